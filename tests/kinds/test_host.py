"""A server from order to ashes: made, waited for, heard, silent, parked, taken back, replaced."""

from typing import Any

import pytest
from msgspec import structs

from setpoint.capabilities.compute import Server
from setpoint.capabilities.mark import PARKED
from setpoint.engine.entity import AnyEntity, Condition, State
from setpoint.engine.errors import Conflict, Missing, Transient
from setpoint.engine.plan import ABSENT, UNKNOWN, Plan, Verb
from setpoint.engine.rows import Sign
from setpoint.kinds.host import PARKED_UNTIL, SILENT_SECONDS, Seen
from setpoint.kinds.make import makes_of, name_of, server_name

from .stage import Stage, entity_of, ours

NOW = 1_000_000.0
WANTED = {"size": "cx22", "image": "debian-12", "location": "fsn1", "power": "on"}


def host(**more: Any) -> AnyEntity:
    return entity_of("host", {"provider": "hetzner", **more.pop("spec", {})}, name="web-1", **more)


def server(**more: Any) -> Server:
    usual: dict[str, Any] = {"status": "running", "size": "cx22", "image": "debian-12", "location": "fsn1"}
    return Server(id="1", name=server_name(host()), **(usual | more))


def heard(seconds_ago: float) -> Sign:
    return Sign(ref=host().ref, at=NOW - seconds_ago)


def planned(entity: AnyEntity, *servers: Server, sign: Sign | None = None) -> Plan:
    return Stage().loop("host").plan(entity, Seen(makes_of(entity, servers), sign), NOW)


def alive(status: Any, since: float = 0.0, message: str = "heard from") -> Condition:
    return Condition(type="AgentAlive", status=status, reason="r", message=message, since=since)


def test_a_host_that_is_not_there_is_ordered() -> None:
    plan = planned(host())
    [action] = plan.actions
    assert (action.verb, action.after, plan.desired, plan.actual) == (Verb.CREATE, WANTED, 1, 0)
    assert (plan.state, plan.reason) == (State.PENDING, "not at the provider yet")
    assert plan.facts == {"server": server_name(host())}


def test_of_which_make_it_was_ordered_is_known_until_it_is_seen() -> None:
    ordered = planned(host()).facts
    changed = host(spec={"image": "ubuntu-24.04"}, status={"facts": ordered})
    assert planned(changed).facts == ordered


def test_a_host_that_was_there_is_said_to_be_missing_and_keeps_its_facts() -> None:
    facts = {"server": "web-1-older", "server_id": "1"}
    plan = planned(host(status={"facts": facts, "conditions": (alive("True"),)}))
    assert (plan.reason, plan.facts) == ("missing at the provider", facts)
    assert plan.conditions == (alive("True"),)


@pytest.mark.parametrize(
    ("spec", "found", "sign", "told"),
    [
        ({}, {"status": "creating"}, None, (State.PENDING, "being made at the provider", 1.0)),
        ({}, {}, None, (State.PENDING, "running; waiting for its agent's first sign", 10.0)),
        ({}, {}, 5.0, (State.READY, "running, agent alive", 25.05)),
        ({}, {}, 30.0, (State.READY, "running, agent alive", 0.05)),
        (
            {},
            {},
            31.0,
            (State.DEGRADED, "running at the provider, but no heartbeat since 13:46:09 UTC", None),
        ),
        ({"agent": False}, {}, None, (State.READY, "running", None)),
        ({"agent": False}, {"status": "creating"}, None, (State.PENDING, "being made at the provider", 1.0)),
    ],
    ids=["creating", "waiting for the agent", "alive", "just alive", "silent", "no agent", "no agent yet"],
)
def test_the_life_of_a_host_is_one_word_and_one_sentence(
    spec: dict[str, Any], found: dict[str, Any], sign: float | None, told: tuple[State, str, float | None]
) -> None:
    plan = planned(host(spec=spec), server(**found), sign=heard(sign) if sign is not None else None)
    assert (plan.actions, plan.state, plan.reason) == ((), *told[:2])
    assert plan.again_in == (pytest.approx(told[2]) if told[2] else None)
    assert bool(plan.conditions) == spec.get("agent", True)


def test_silence_is_told_once_and_dated() -> None:
    first = planned(host(status={"conditions": (alive("True", since=5.0),)}), server(), sign=heard(40))
    [told] = first.happenings
    assert (told.type, first.conditions[0].since) == ("host.heartbeat_missing", NOW)
    again = planned(host(status={"conditions": first.conditions}), server(), sign=heard(40))
    assert (again.happenings, again.conditions) == ((), first.conditions)


def test_a_host_that_is_heard_again_is_ready_again() -> None:
    silent = alive("False", message="no heartbeat since long")
    plan = planned(host(status={"conditions": (silent,)}), server(), sign=heard(1))
    assert (plan.state, plan.conditions[0].status, plan.happenings) == (State.READY, "True", ())


def test_another_silence_after_a_sign_keeps_since_when_there_was_silence() -> None:
    silent = alive("False", since=7.0, message="no heartbeat since long")
    [condition] = planned(host(status={"conditions": (silent,)}), server(), sign=heard(40)).conditions
    assert (condition.since, condition.message != silent.message) == (7.0, True)


def test_facts_say_where_the_server_is() -> None:
    plan = planned(host(), server(address="192.0.2.7"))
    assert plan.facts == {"server": server_name(host()), "server_id": "1", "address": "192.0.2.7"}
    assert (plan.known, plan.desired, plan.actual) == (frozenset({"server"}), 1, 1)


def test_a_copy_with_our_mark_is_told_of_and_nothing_is_done() -> None:
    copy = Server(id="2", name="web-1-copy", status="running", size="a", image="b", location="c")
    plan = planned(host(deleting="asked"), server(), copy)
    assert (plan.state, plan.actions) == (State.DEGRADED, ())
    assert plan.reason == "our mark is on servers we did not make: web-1-copy (2)"


def older(**more: Any) -> Server:
    """The server of the make that was wanted before."""
    made = server(image="debian-11", **more)
    return structs.replace(made, id="0", name=name_of(host(), made))


def test_another_make_is_made_beside_the_one_it_replaces() -> None:
    [action] = planned(host(), older(), sign=heard(5)).actions
    assert (action.verb, action.item, action.after) == (Verb.REPLACE, "server", WANTED)


@pytest.mark.parametrize("found", [{"status": "creating"}, {"size": "cx42"}, {"status": "off"}])
def test_what_is_replaced_stays_until_the_new_one_is_well(found: dict[str, Any]) -> None:
    plan = planned(host(), older(), server(**found), sign=heard(5))
    assert [action.item for action in plan.actions if action.destructive] == []
    assert plan.reason.endswith(f"{older().name} stays until it is well")


def test_what_was_replaced_goes_when_the_new_one_is_well() -> None:
    [action] = planned(host(), older(), server(), sign=heard(5)).actions
    assert (action.verb, action.item, action.explicit) == (Verb.DELETE, older().name, True)


@pytest.mark.parametrize(
    ("found", "verb", "reason"),
    [
        ({"size": "cx42"}, Verb.UPDATE, "size cx42 → cx22"),
        ({"status": "off"}, Verb.UPDATE, "power off → on"),
        ({"status": "off", "labels": {PARKED: "9"}}, Verb.UNPARK, "power off → on"),
        ({"image": "debian-11"}, Verb.REPLACE, "image debian-11 → debian-12"),
        ({"location": "hel1"}, Verb.REPLACE, "location hel1 → fsn1"),
        ({"size": "cx42", "image": "x"}, Verb.REPLACE, "size cx42 → cx22, image x → debian-12"),
    ],
    ids=["size", "off", "parked", "image", "location", "both"],
)
def test_each_difference_has_its_verb(found: dict[str, Any], verb: Verb, reason: str) -> None:
    plan = planned(host(protected=True), server(**found), sign=heard(1))
    [action] = plan.actions
    assert (action.verb, action.protected, plan.state) == (verb, True, State.PENDING)
    assert plan.reason == f"differs at the provider: {reason}"


@pytest.mark.parametrize(
    ("deleting", "found", "verb", "explicit"),
    [
        ("asked", {}, Verb.PARK, True),
        ("withdrawn", {}, Verb.PARK, False),
        ("asked", {"labels": {PARKED: f"{int(NOW) + 60}"}}, Verb.PARK, True),
        ("asked", {"status": "off"}, Verb.PARK, True),
        ("withdrawn", {"labels": {PARKED: f"{int(NOW) - 1}"}, "status": "off"}, Verb.DELETE, True),
        ("asked", {"labels": {PARKED: f"{int(NOW)}"}, "status": "off"}, Verb.DELETE, True),
    ],
    ids=["asked", "withdrawn", "half parked", "off but not parked", "parked long enough", "just so"],
)
def test_a_host_is_parked_first_and_destroyed_when_its_time_is_up(
    deleting: Any, found: dict[str, Any], verb: Verb, explicit: bool
) -> None:
    plan = planned(host(deleting=deleting, protected=True), server(**found))
    [action] = plan.actions
    assert (action.verb, action.explicit, action.protected) == (verb, explicit, True)
    assert (plan.desired, plan.actual, plan.gone) == (0, 1, False)


def test_a_parked_host_waits_and_says_until_when() -> None:
    until = int(NOW) + 60
    plan = planned(host(deleting="asked"), server(status="off", labels={PARKED: f"{until}"}))
    assert (plan.actions, plan.state, plan.again_in) == ((), State.PENDING, 60.0)
    assert plan.reason.startswith("parked until 13:47:40 UTC, and costs money until")
    assert plan.facts[PARKED_UNTIL] == until


def test_a_host_that_is_parked_for_days_says_until_which_day() -> None:
    until = int(NOW) + 7 * 86_400
    plan = planned(host(deleting="asked"), server(status="off", labels={PARKED: f"{until}"}))
    assert plan.reason.startswith("parked until 1970-01-19 13:46 UTC")


def test_a_host_that_is_gone_is_gone() -> None:
    assert planned(host(deleting="asked")).gone


async def made(stage: Stage, **spec: Any) -> AnyEntity:
    web = await stage.declare("host", "web-1", provider="hetzner", **spec)
    await stage.act(web, Verb.CREATE, "server", WANTED)
    return web


async def test_an_order_carries_our_mark_and_lets_its_agent_in(stage: Stage) -> None:
    web = await made(stage)
    loop = stage.loop("host")
    seen = await loop.observe(web)
    assert (seen.makes.current.name, seen.makes.older, seen.makes.copies) == (server_name(web), (), ())
    assert seen.makes.current.labels["setpoint/workspace"] == "shop.prod"
    assert (await loop.look(web, "server"), loop.settles_in) == (WANTED, 10.0)


@pytest.mark.parametrize(
    ("verb", "after", "calls"),
    [
        (Verb.PARK, None, [("label", "1"), ("power", "1", False)]),
        (Verb.UNPARK, None, [("power", "1", True), ("label", "1")]),
        (Verb.UPDATE, WANTED | {"size": "cx42"}, [("resize", "1", "cx42")]),
        (Verb.UPDATE, WANTED, [("power", "1", True)]),
        (Verb.REPLACE, WANTED | {"image": "other"}, [("delete", "1")]),
        (Verb.REPLACE, WANTED, []),
        (Verb.CREATE, WANTED, []),
        (Verb.DELETE, None, [("delete", "1")]),
    ],
    ids=["park", "unpark", "resize", "on", "rebuilt behind us", "made by an earlier try", "hidden", "delete"],
)
async def test_each_verb_is_a_few_calls(stage: Stage, verb: Verb, after: Any, calls: list[Any]) -> None:
    web = await made(stage)
    stage.cloud.calls.clear()
    await stage.act(web, verb, "server", after)
    assert stage.cloud.calls == calls


async def test_a_parked_host_comes_back_as_the_same_server(stage: Stage) -> None:
    web = await made(stage)
    await stage.act(web, Verb.PARK, "server")
    [parked] = stage.cloud.machines.values()
    assert (parked.status, parked.labels[PARKED]) == ("off", f"{int(stage.runtime.now() + 3600)}")
    await stage.act(web, Verb.UNPARK, "server")
    [back] = stage.cloud.machines.values()
    assert (back.id, back.status, PARKED in back.labels) == (parked.id, "running", False)


@pytest.mark.parametrize("verb", [Verb.PARK, Verb.UPDATE, Verb.DELETE])
async def test_what_is_not_there_cannot_be_changed(stage: Stage, verb: Verb) -> None:
    web = await stage.declare("host", "web-1", provider="hetzner")
    with pytest.raises(Missing, match="is not at the provider"):
        await stage.act(web, verb, "server", WANTED)


async def test_without_an_agent_a_server_boots_with_nothing(stage: Stage) -> None:
    web = await made(stage, agent=False)
    assert (await stage.loop("host").observe(web)).sign is None


async def with_agent(stage: Stage, seconds_ago: float) -> AnyEntity:
    """A host whose agent was heard from so long ago."""
    web = await stage.declare("host", "web-1", provider="hetzner")
    agent = entity_of("agent", name="web-1", parent=web.ref).declared
    await stage.put(agent)
    await stage.store.sign([Sign(ref=agent.ref, at=stage.runtime.now() - seconds_ago)])
    return web


@pytest.mark.parametrize(("seconds_ago", "look"), [(5.0, UNKNOWN), (40.0, ABSENT)])
async def test_a_server_whose_agent_still_beats_is_not_believed_to_be_gone(
    stage: Stage, seconds_ago: float, look: Any
) -> None:
    web = await with_agent(stage, seconds_ago)
    assert await stage.loop("host").look(web, "server") is look


async def test_a_server_of_our_name_without_our_mark_is_a_conflict(stage: Stage) -> None:
    web = await stage.declare("host", "web-1", provider="hetzner")
    stage.cloud.put_server(server_name(web), {})
    with pytest.raises(Conflict, match="exists without our mark"):
        await stage.loop("host").look(web, "server")
    for verb in (Verb.CREATE, Verb.REPLACE):
        with pytest.raises(Conflict, match="exists without our mark"):
            await stage.act(web, verb, "server", WANTED)
    assert [found.labels for found in stage.cloud.machines.values()] == [{}]


async def test_a_replacement_is_made_first_and_the_older_one_goes_last(stage: Stage) -> None:
    before = await made(stage, image="debian-11", agent=False)
    web = await stage.declare("host", "web-1", provider="hetzner", agent=False)
    stage.cloud.calls.clear()
    await stage.act(web, Verb.REPLACE, "server", WANTED)
    await stage.act(web, Verb.REPLACE, "server", WANTED)
    assert sorted(found.name for found in stage.cloud.machines.values()) == sorted(
        [server_name(before), server_name(web)]
    )
    assert await stage.loop("host").look(web, server_name(before)) != ABSENT
    await stage.act(web, Verb.DELETE, server_name(before))
    assert [found.name for found in stage.cloud.machines.values()] == [server_name(web)]


async def test_only_servers_with_our_mark_are_seen(stage: Stage) -> None:
    web = await stage.declare("host", "web-1", provider="hetzner")
    stage.cloud.put_server("stranger", {})
    for number in range(10):
        stage.cloud.put_server(f"twin-{number}", ours(web))
    seen = await stage.loop("host").observe(web)
    assert [int(found.id) for found in seen.makes.copies] == list(range(2, 12))


async def test_a_host_whose_agent_falls_silent_says_so_before_its_provider_is_asked(stage: Stage) -> None:
    silent = await with_agent(stage, 31.0)
    ready = structs.replace(silent, status=structs.replace(silent.status, state=State.READY))
    with pytest.raises(Transient, match="no heartbeat since") as silence:
        await stage.loop("host").observe(ready)
    assert silence.value.retry_after == SILENT_SECONDS
    assert await stage.loop("host").observe(silent)  # The next pass looks at the server.
