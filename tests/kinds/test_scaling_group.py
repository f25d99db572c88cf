"""A group of hosts: newest go first, decisions stand for a while, and names are given once."""

from typing import Any

import pytest
from msgspec.structs import replace

from setpoint.engine.entity import AnyEntity, State
from setpoint.engine.errors import Rejected
from setpoint.engine.plan import ABSENT, Plan, Verb
from setpoint.kinds.host import PARKED_UNTIL
from setpoint.kinds.scaling_group import SCALING_GROUP, ScalingGroup, Seen

from .stage import Stage, entity_of

NOW = 1_000_000.0
TEMPLATE = {"provider": "hetzner", "size": "cx22", "image": "debian-12", "location": "fsn1", "agent": True}


def group(desired: int, status: dict[str, Any] | None = None, **more: Any) -> AnyEntity:
    spec = {"provider": "hetzner", "desired": desired, **more.pop("spec", {})}
    return entity_of("scaling_group", spec, status, name="web", **more)


def host(number: int, state: State = State.READY, **more: Any) -> AnyEntity:
    spec = TEMPLATE | more.pop("spec", {})
    name = more.pop("name", f"web-{number}")
    status = {"state": state, "reason": "so it is", "generation": 1, "facts": more.pop("facts", {})}
    return entity_of("host", spec, status, name=name, identity=f"h{number:03d}", **more)


def planned(entity: AnyEntity, *hosts: AnyEntity) -> Plan:
    return Stage().loop("scaling_group").plan(entity, Seen(hosts), NOW)


def actions(plan: Plan) -> list[tuple[str, str]]:
    return [(str(action.verb), action.item) for action in plan.actions]


@pytest.mark.parametrize(
    ("desired", "hosts", "expected"),
    [
        (0, [], []),
        (2, [], [("create", "web-1"), ("create", "web-2")]),
        (2, [host(1), host(2)], []),
        (1, [host(1), host(2), host(3)], [("delete", "web-2"), ("delete", "web-3")]),
        (3, [host(1), host(3)], [("create", "web-2")]),
        (2, [host(1, deleting="asked"), host(2)], [("create", "web-3")]),
        (1, [host(2, name="web-9"), host(1, name="web-5")], [("delete", "web-9")]),
        (1, [host(1, spec={"size": "cx42"})], [("update", "web-1")]),
        (1, [host(1, spec={"image": "x"}), host(2)], [("update", "web-1"), ("delete", "web-2")]),
    ],
    ids=[
        "none",
        "two to make",
        "as wanted",
        "newest go",
        "lowest free number",
        "a name that is leaving is taken",
        "newest by age, not by name",
        "another template",
        "both",
    ],
)
def test_there_are_as_many_hosts_as_wanted(
    desired: int, hosts: list[AnyEntity], expected: list[tuple[str, str]]
) -> None:
    assert actions(planned(group(desired), *hosts)) == expected


@pytest.mark.parametrize(
    ("desired", "low", "high", "size"), [(5, 0, 3, 3), (0, 2, 9, 2), (4, 2, 9, 4), (1, 1, 1, 1)]
)
def test_the_size_stays_between_its_bounds(desired: int, low: int, high: int, size: int) -> None:
    assert planned(group(desired, spec={"min": low, "max": high})).desired == size


@pytest.mark.parametrize(
    ("decided_ago", "size", "reason"),
    [(59.0, 1, "; 3 wanted, cooling down until 13:46:41 UTC"), (60.0, 3, "")],
)
def test_one_decision_stands_before_the_next(decided_ago: float, size: int, reason: str) -> None:
    known = {"size": 1, "decided_at": NOW - decided_ago}
    plan = planned(group(3, {"facts": known}), host(1))
    assert (plan.desired, plan.reason.endswith(reason)) == (size, True)
    assert plan.facts["decided_at"] == (NOW if size == 3 else NOW - decided_ago)


def test_a_decision_that_stays_keeps_its_date() -> None:
    plan = planned(group(1, {"facts": {"size": 1, "decided_at": 7.0}}), host(1))
    assert plan.facts == {"size": 1, "decided_at": 7.0, "hosts": 1}


@pytest.mark.parametrize(
    ("states", "state", "reason"),
    [
        ([State.READY, State.READY], State.READY, "2 of 2 hosts READY"),
        ([State.READY], State.PENDING, "1 of 2 hosts READY"),
        ([State.READY, State.PENDING], State.PENDING, "1 of 2 hosts READY; web-2: so it is"),
        ([State.DEGRADED, State.READY], State.DEGRADED, "1 of 2 hosts READY; web-1: so it is"),
        ([State.PENDING, State.HELD], State.DEGRADED, "0 of 2 hosts READY; web-1: so it is"),
        ([State.FAILED, State.FAILED], State.DEGRADED, "0 of 2 hosts READY; web-1: so it is"),
    ],
)
def test_a_group_is_as_well_as_its_hosts(states: list[State], state: State, reason: str) -> None:
    plan = planned(group(2), *(host(number, each) for number, each in enumerate(states, 1)))
    assert (plan.state, plan.reason) == (state, reason)


def test_a_group_that_waits_to_shrink_is_not_ready_and_is_looked_at_when_it_may() -> None:
    known = {"size": 5, "decided_at": NOW - 20.0}
    plan = planned(group(2, {"facts": known}), *map(host, range(1, 6)))
    assert (plan.state, plan.again_in, plan.actions) == (State.PENDING, 40.0, ())
    assert "5 of 5 hosts READY; 2 wanted" in plan.reason


@pytest.mark.parametrize(
    ("facts", "state", "words"),
    [({}, State.PENDING, "1 to be parked"), ({PARKED_UNTIL: NOW + 60.0}, State.READY, "1 parked")],
)
def test_a_group_is_ready_when_what_leaves_is_parked(facts: dict[str, Any], state: State, words: str) -> None:
    plan = planned(group(1), host(1), host(2, deleting="asked", facts=facts))
    assert (plan.state, words in plan.reason) == (state, True)


def test_a_host_that_is_ready_about_older_intent_does_not_make_its_group_ready() -> None:
    behind = host(1, generation=2)
    assert planned(group(1), behind).state is State.PENDING


@pytest.mark.parametrize(("deleting", "explicit"), [("asked", True), ("withdrawn", False)])
def test_a_group_that_leaves_takes_its_hosts_with_it(deleting: Any, explicit: bool) -> None:
    plan = planned(group(2, deleting=deleting), host(1), host(2, deleting="asked"))
    assert actions(plan) == [("delete", "web-1")]
    assert (plan.actions[0].explicit, plan.desired, plan.gone) == (explicit, 0, False)
    assert (plan.state, plan.reason) == (State.PENDING, "waiting for 2 hosts to go")


def test_a_group_is_gone_when_its_hosts_are() -> None:
    assert planned(group(2, deleting="asked")).gone


def test_a_protected_host_is_protected_from_its_group() -> None:
    [action] = planned(group(0), host(1, protected=True)).actions
    assert action.protected


async def played(stage: Stage, desired: int = 2) -> AnyEntity:
    return await stage.declare("scaling_group", "web", provider="hetzner", desired=desired)


async def grown(stage: Stage, entity: AnyEntity) -> Plan:
    """Everything planned is done; the plan after that."""
    loop = stage.loop("scaling_group")
    for action in loop.plan(entity, await loop.observe(entity), NOW).actions:
        await stage.act(entity, action.verb, action.item, action.after)
    return loop.plan(entity, await loop.observe(entity), NOW)


async def test_a_group_declares_its_hosts_and_is_then_at_rest(stage: Stage) -> None:
    entity = await played(stage)
    plan = await grown(stage, entity)
    assert (plan.actions, plan.known) == ((), frozenset({"web-1", "web-2"}))
    hosts = await stage.intent.children(entity.ref, "host")
    assert {found.declared.owner for found in hosts} == {entity.ref}


async def test_a_group_deletes_the_host_it_meant_and_nothing_twice(stage: Stage) -> None:
    entity = await played(stage)
    await grown(stage, entity)
    loop = stage.loop("scaling_group")
    assert isinstance(await loop.look(entity, "web-2"), dict)
    await stage.act(entity, Verb.DELETE, "web-2")
    await stage.act(entity, Verb.DELETE, "web-2")
    assert await loop.look(entity, "web-2") is ABSENT
    assert await loop.look(entity, "web-7") is ABSENT
    await stage.act(entity, Verb.DELETE, "web-7")


async def test_a_new_template_keeps_the_labels_and_the_protection_of_a_host(stage: Stage) -> None:
    entity = await played(stage, 1)
    await grown(stage, entity)
    [web] = await stage.intent.children(entity.ref, "host")
    await stage.put(replace(web.declared, protected=True, labels={"rack": "7"}))
    await stage.act(entity, Verb.UPDATE, "web-1", TEMPLATE | {"size": "cx42"})
    kept = (await stage.entity(web.ref)).declared
    assert (kept.spec["size"], kept.protected, kept.labels) == ("cx42", True, {"rack": "7"})


async def test_a_host_of_somebody_else_with_a_name_of_ours_is_left_alone(stage: Stage) -> None:
    theirs = await stage.declare("host", "web-1", provider="hetzner", size="cx52")
    entity = await played(stage, 1)
    with pytest.raises(Rejected, match="a host called web-1 exists that is not of this group"):
        await stage.act(entity, Verb.CREATE, "web-1", TEMPLATE)
    assert (await stage.entity(theirs.ref)).declared == theirs.declared


async def test_a_name_that_somebody_else_took_is_passed_over(stage: Stage) -> None:
    adopted = await stage.declare("host", "web-1", provider="hetzner")
    entity = await played(stage)
    plan = await grown(stage, entity)
    assert (plan.actions, plan.known) == ((), frozenset({"web-2", "web-3"}))
    assert (await stage.entity(adopted.ref)).declared == adopted.declared


@pytest.mark.parametrize(
    ("low", "high", "wrong"), [(1, 2, ()), (3, 2, (("min", "3 is more than max, which is 2"),))]
)
def test_bounds_that_contradict_each_other_are_a_mistake(low: int, high: int, wrong: Any) -> None:
    assert SCALING_GROUP.check is not None
    assert SCALING_GROUP.check(ScalingGroup(provider="h", desired=1, min=low, max=high)) == wrong
