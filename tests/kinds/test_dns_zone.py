"""A zone with its records: what is planned, what is left alone, and how it goes."""

from typing import Any

import pytest
from msgspec import structs

from setpoint.capabilities.dns import RecordSet, Zone
from setpoint.engine.entity import AnyEntity, State
from setpoint.engine.errors import Conflict
from setpoint.engine.plan import ABSENT, UNKNOWN, Member, Plan, Verb
from setpoint.kinds.dns_zone import Seen

from .stage import Stage, entity_of, ours

ZONE = entity_of("dns_zone", {"provider": "hetzner", "domain": "example.org"}, name="example")
OURS = Zone(id="7", name="example.org", labels=ours(ZONE))
THEIRS = Zone(id="7", name="example.org")


def record(name: str, *values: str, **more: Any) -> AnyEntity:
    """A declared record, of type A unless another is given."""
    kind = more.pop("kind", "A")
    spec = {"zone": "example", "name": name, "type": kind, "values": values or ("192.0.2.1",)}
    identity = more.pop("identity", f"r-{name}")
    return entity_of("dns_record", spec, name=f"record-{identity}", identity=identity, **more)


def found(name: str, *values: str, mine: bool = True, kind: str = "A", ttl: int | None = None) -> RecordSet:
    labels = ours(ZONE) if mine else {}
    return RecordSet(name=name, type=kind, values=values or ("192.0.2.1",), ttl=ttl, labels=labels)


def planned(
    declared: list[AnyEntity], records: list[RecordSet], zone: Any = OURS, entity: AnyEntity = ZONE
) -> Plan:
    return Stage().loop("dns_zone").plan(entity, Seen(zone, tuple(records), tuple(declared)), 0.0)


def actions(plan: Plan) -> list[tuple[str, str]]:
    return [(str(action.verb), action.item) for action in plan.actions]


@pytest.mark.parametrize(
    ("declared", "records", "expected"),
    [
        ([], [], []),
        ([record("www")], [found("www")], []),
        ([record("www")], [], [("create", "www/A")]),
        ([record("www", "192.0.2.2")], [found("www")], [("update", "www/A")]),
        ([], [found("www")], [("delete", "www/A")]),
        ([record("b", "1.1.1.1", "2.2.2.2")], [found("b", "2.2.2.2", "1.1.1.1")], []),
        ([record("a")], [found("b")], [("create", "a/A"), ("delete", "b/A")]),
        ([], [found("@", kind="NS", mine=False), found("@", kind="SOA", mine=False)], []),
        ([], [found("@", kind="NS"), found("@", kind="SOA")], []),
        ([], [found("theirs", mine=False)], []),
        ([record("www")], [found("www", mine=False)], []),
        ([record("www", deleting="asked")], [found("www")], [("delete", "www/A")]),
        ([record("www", deleting="withdrawn")], [], []),
    ],
    ids=[
        "nothing",
        "as declared",
        "missing",
        "another value",
        "undeclared",
        "another order",
        "renamed",
        "the provider's own",
        "the provider's own even with our mark",
        "a stranger",
        "a stranger in our place",
        "deleted by name",
        "deleted and gone",
    ],
)
def test_the_records_at_the_provider_are_held_at_those_declared(
    declared: list[AnyEntity], records: list[RecordSet], expected: list[tuple[str, str]]
) -> None:
    plan = planned(declared, records)
    assert actions(plan) == expected
    stuck = any(member.state is State.FAILED for member in plan.members)
    assert (plan.state is State.READY) == (not expected and not stuck)


def test_a_zone_with_a_record_that_cannot_be_made_is_not_ready() -> None:
    plan = planned([record("www"), record("mail")], [found("www", mine=False), found("mail")])
    assert (plan.actions, plan.state) == ((), State.DEGRADED)
    assert plan.reason.startswith("1 of 2 records as declared; www/A: ")


@pytest.mark.parametrize(
    ("declared", "seen"),
    [
        (record("www", "2001:DB8:0::1", kind="AAAA"), found("www", "2001:db8::1", kind="AAAA")),
        (record("WWW"), found("www")),
        (record("bücher"), found("xn--bcher-kva")),
        (record("www", "Web", kind="CNAME"), found("www", "web.example.org.", kind="CNAME")),
        (record("www", "web.example.org.", kind="CNAME"), found("www", "web", kind="CNAME")),
        (record("@", "v=spf1 -all", kind="TXT"), found("@", '"v=spf1 -all"', kind="TXT")),
        (record("@", "ü" * 200, kind="TXT"), found("@", f'"{"ü" * 127}\\195" "\\188{"ü" * 72}"', kind="TXT")),
        (record("@", "10\tMail.example.net.", kind="MX"), found("@", "10 mail.example.net.", kind="MX")),
    ],
)
def test_another_spelling_of_a_value_is_no_difference(declared: AnyEntity, seen: RecordSet) -> None:
    plan = planned([declared], [seen])
    assert (actions(plan), member(plan).state) == ([], State.READY)


def test_plain_text_is_quoted_for_the_provider_and_names_are_whole() -> None:
    declared = [record("@", 'a "b"', kind="TXT"), record("Www", "Web", kind="CNAME")]
    plan = planned(declared, [])
    assert [(action.item, action.after["values"]) for action in plan.actions] == [
        ("@/TXT", ['"a \\"b\\""']),
        ("www/CNAME", ["web.example.org."]),
    ]


def test_a_domain_goes_to_the_provider_in_its_own_spelling() -> None:
    zone = entity_of("dns_zone", {"provider": "h", "domain": "Bücher.example."})
    [action] = planned([], [], ABSENT, zone).actions
    assert action.after == {"domain": "xn--bcher-kva.example"}


ALIAS = record("www", "web.example.net.", kind="CNAME")


@pytest.mark.parametrize(
    ("declared", "records", "state"),
    [
        ([ALIAS], [found("www")], State.PENDING),
        ([record("www")], [found("www", "web.example.net.", kind="CNAME")], State.PENDING),
        ([ALIAS], [found("www", mine=False)], State.FAILED),
    ],
    ids=["an alias for a record", "a record for an alias", "a stranger's record"],
)
def test_what_cannot_stand_beside_what_is_there_waits_until_it_is_gone(
    declared: list[AnyEntity], records: list[RecordSet], state: State
) -> None:
    plan = planned(declared, records)
    old = f"{records[0].name}/{records[0].type}"
    assert actions(plan) == ([("delete", old)] if state is State.PENDING else [])
    assert (member(plan).state, old in member(plan).reason) == (state, True)
    assert actions(planned(declared, [])) == [("create", member(plan).item)]


def test_the_counts_are_of_what_is_declared_and_what_is_ours() -> None:
    plan = planned([record("a"), record("b")], [found("a"), found("x", mine=False)])
    assert (plan.desired, plan.actual, plan.known) == (2, 1, frozenset({"a/A", "zone"}))
    assert plan.facts == {"zone_id": "7", "records": 1}


@pytest.mark.parametrize(("deleting", "explicit"), [("asked", True), ("withdrawn", False)])
def test_only_what_a_person_deleted_by_name_is_explicit(deleting: Any, explicit: bool) -> None:
    [action] = planned([record("www", deleting=deleting)], [found("www")]).actions
    assert action.explicit == explicit


def test_a_protected_record_is_protected_when_it_is_withdrawn() -> None:
    [action] = planned([record("www", deleting="withdrawn", protected=True)], [found("www")]).actions
    assert action.protected


def test_an_adopted_zone_owns_every_record_without_a_mark() -> None:
    adopted = entity_of("dns_zone", {"provider": "h", "domain": "example.org", "adopt": True})
    plan = planned([record("www")], [found("www", mine=False), found("old", mine=False)], THEIRS, adopted)
    assert actions(plan) == [("delete", "old/A"), ("update", "www/A")]
    assert (plan.adopts, plan.actual, plan.known) == ({"old/A", "www/A"}, 0, {"zone"})


@pytest.mark.parametrize(
    "theirs", [{"entity": "dns_zone.other"}, {"installation": "another"}, {"act": "a-1"}]
)
def test_what_carries_any_other_mark_is_neither_adopted_nor_changed(theirs: dict[str, str]) -> None:
    adopted = entity_of("dns_zone", {"provider": "h", "domain": "example.org", "adopt": True})
    labels = ours(ZONE) | {f"setpoint/{name}": value for name, value in theirs.items()}
    labels = labels if "act" not in theirs else {"setpoint/act": "a-1"}
    strangers = [structs.replace(found(name), labels=labels) for name in ("www", "old")]
    plan = planned([record("www", "192.0.2.9")], strangers, THEIRS, adopted)
    assert (plan.actions, plan.actual, plan.adopts) == ((), 0, frozenset())
    assert plan.state is State.DEGRADED
    assert [(member.state, "somebody else's mark" in member.reason) for member in plan.members] == [
        (State.FAILED, True)
    ]


def test_a_zone_that_is_not_there_is_made_first_and_alone() -> None:
    plan = planned([record("www")], [], ABSENT)
    assert actions(plan) == [("create", "zone")]
    assert (plan.state, plan.desired, plan.reason) == (
        State.PENDING,
        1,
        "example.org is not at the provider yet",
    )


def leaving(deleting: Any, **more: Any) -> AnyEntity:
    return entity_of("dns_zone", deleting=deleting, **more)


@pytest.mark.parametrize(("deleting", "explicit"), [("asked", True), ("withdrawn", False)])
def test_a_zone_we_made_goes_as_a_whole(deleting: Any, explicit: bool) -> None:
    plan = planned([record("www", deleting="asked")], [found("www")], OURS, leaving(deleting))
    assert actions(plan) == [("delete", "zone")]
    assert (plan.actions[0].explicit, plan.desired, plan.gone) == (explicit, 0, False)


def test_a_zone_we_made_stays_for_the_sake_of_what_strangers_put_into_it() -> None:
    records = [found("www"), found("theirs", mine=False)]
    plan = planned([record("www", deleting="asked")], records, OURS, leaving("asked"))
    assert (actions(plan), plan.gone) == ([("delete", "www/A")], False)


@pytest.mark.parametrize(
    ("zone", "part", "guarded"), [(True, False, True), (False, True, True), (False, False, False)]
)
def test_a_zone_is_protected_with_whatever_is_protected_in_it(zone: bool, part: bool, guarded: bool) -> None:
    part_of_it = record("www", deleting="asked", protected=part)
    plan = planned([part_of_it], [found("www")], OURS, leaving("asked", protected=zone))
    assert plan.actions[0].protected == guarded


def test_in_a_zone_we_did_not_make_only_our_records_go() -> None:
    records = [found("www"), found("theirs", mine=False)]
    plan = planned([record("www", deleting="asked")], records, THEIRS, leaving("asked"))
    assert (actions(plan), plan.gone) == ([("delete", "www/A")], False)
    assert planned([], records[1:], THEIRS, leaving("asked")).gone


def test_a_zone_that_leaves_builds_nothing_any_more() -> None:
    plan = planned([record("www")], [], THEIRS, leaving("asked"))
    assert (actions(plan), plan.gone) == ([], True)


def test_a_zone_that_is_gone_is_gone() -> None:
    assert planned([], [], ABSENT, leaving("asked")).gone


def member(plan: Plan, place: int = 0) -> Member:
    return plan.members[place]


@pytest.mark.parametrize(
    ("declared", "records", "state", "reason"),
    [
        (record("www"), [found("www")], State.READY, "at the provider as declared"),
        (record("www"), [], State.PENDING, "not at the provider yet"),
        (record("www"), [found("www", "1.1.1.1")], State.PENDING, "the provider still has 1.1.1.1"),
        (
            record("www"),
            [found("www", mine=False)],
            State.FAILED,
            "www/A exists without our mark; set adopt on the zone, or remove it",
        ),
        (record("www", deleting="asked"), [found("www")], State.PENDING, "to be deleted at the provider"),
    ],
    ids=["ready", "missing", "different", "a stranger's", "leaving"],
)
def test_each_record_is_told_how_it_is(
    declared: AnyEntity, records: list[RecordSet], state: State, reason: str
) -> None:
    told = member(planned([declared], records))
    assert (told.state, told.reason, told.item, told.gone) == (state, reason, "www/A", False)


def test_a_deleted_record_is_gone_when_it_is_not_there_any_more() -> None:
    assert member(planned([record("www", deleting="asked")], [])).gone
    assert member(planned([record("www", deleting="withdrawn")], [], ABSENT)).gone


def test_of_two_records_in_one_place_the_second_is_told_of_the_first() -> None:
    plan = planned([record("www"), record("www", "9.9.9.9", identity="r-2")], [found("www")])
    assert (actions(plan), plan.desired) == ([], 1)
    told = member(plan, 1)
    assert (told.state, told.reason) == (State.FAILED, "www/A is already declared by dns_record record-r-www")


@pytest.mark.parametrize("deleting", ["asked", "withdrawn"])
def test_a_record_that_leaves_a_place_another_holds_is_gone_at_once(deleting: Any) -> None:
    plan = planned([record("www", deleting=deleting), record("www", identity="r-2")], [found("www")])
    assert (actions(plan), member(plan).gone, member(plan, 1).gone) == ([], True, False)


async def played(stage: Stage) -> AnyEntity:
    return await stage.declare("dns_zone", "example", provider="hetzner", domain="example.org")


async def test_what_is_made_carries_our_mark_and_is_seen_as_ours(stage: Stage) -> None:
    zone = await played(stage)
    loop = stage.loop("dns_zone")
    await stage.act(zone, Verb.CREATE, "zone", {"domain": "example.org"})
    www = await stage.declare("dns_record", "www", zone="example", name="www", type="A", values=["1.1.1.1"])
    zone = await stage.entity(zone.ref)
    [action] = loop.plan(zone, await loop.observe(zone), 0.0).actions
    await stage.act(zone, action.verb, action.item, action.after)
    plan = loop.plan(zone, await loop.observe(zone), 0.0)
    assert (plan.actions, plan.members[0].ref, plan.members[0].state) == ((), www.ref, State.READY)
    assert stage.cloud.calls == [("create_zone", "example.org"), ("create_record", "www", "A")]


async def test_each_act_is_one_call(stage: Stage) -> None:
    zone = await played(stage)
    await stage.act(zone, Verb.CREATE, "zone")
    await stage.act(zone, Verb.CREATE, "www/A", {"values": ["1.1.1.1"], "ttl": None})
    await stage.act(zone, Verb.UPDATE, "www/A", {"values": ["2.2.2.2"], "ttl": 60})
    assert stage.cloud.sets["example.org", "www", "A"].values == ("2.2.2.2",)
    await stage.act(zone, Verb.DELETE, "www/A")
    await stage.act(zone, Verb.DELETE, "zone")
    assert [call[0] for call in stage.cloud.calls] == [
        "create_zone",
        "create_record",
        "change_record",
        "delete_record",
        "delete_zone",
    ]


async def test_a_look_goes_to_the_one_thing_itself(stage: Stage) -> None:
    zone, loop = await played(stage), stage.loop("dns_zone")
    assert (await loop.look(zone, "zone"), await loop.look(zone, "www/A")) == (ABSENT, ABSENT)
    await stage.act(zone, Verb.CREATE, "zone")
    assert (await loop.look(zone, "zone"), await loop.look(zone, "www/A")) == (
        {"domain": "example.org"},
        ABSENT,
    )
    await stage.act(zone, Verb.CREATE, "www/A", {"values": ["1.1.1.1"], "ttl": None})
    assert await loop.look(zone, "www/A") == {"values": ["1.1.1.1"], "ttl": None}


async def test_a_stranger_in_a_place_we_want_is_neither_there_nor_absent(stage: Stage) -> None:
    zone, loop = await played(stage), stage.loop("dns_zone")
    await stage.act(zone, Verb.CREATE, "zone")
    stage.cloud.sets["example.org", "www", "A"] = RecordSet(name="www", type="A", values=("6.6.6.6",))
    assert await loop.look(zone, "www/A") is UNKNOWN
    with pytest.raises(Conflict):
        await stage.act(zone, Verb.CREATE, "www/A", {"values": ["1.1.1.1"], "ttl": None})


def test_the_plan_of_a_pass_is_the_same_twice() -> None:
    seen = ([record("a"), record("b")], [found("b", "9.9.9.9"), found("c")])
    assert structs.asdict(planned(*seen)) == structs.asdict(planned(*seen))
