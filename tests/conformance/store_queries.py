"""What every store answers to each named query, and in which order."""

import asyncio
from typing import Any

import msgspec
import pytest

from conformance.store_rows import (
    ACME,
    act,
    approval,
    names,
    plan,
    puts,
    refs,
    status,
    switch,
    task,
    wake,
    zone,
)
from setpoint.engine.entity import Declared, Ref, Scope, Status, canonical
from setpoint.engine.errors import Conflict
from setpoint.engine.rows import ActState, PlanState, TaskState
from setpoint.engine.store import (
    ACTS_OF,
    ACTS_OPEN,
    ACTS_PAGE,
    ACTS_SINCE,
    APPROVALS_OF,
    DECLARED_ALL,
    DECLARED_AT,
    DECLARED_CHILDREN,
    DECLARED_IN,
    DECLARED_INSIDE,
    DECLARED_OWNED,
    DECLARED_PAGE,
    DECLARED_REFERRING,
    PLANS_OF,
    PLANS_PAGE,
    STATUSES,
    SWITCHES,
    SWITCHES_OF,
    TASKS_OF,
    TASKS_OPEN,
    TASKS_PAGE,
    WAKES_AFTER,
    WAKES_OF,
    Change,
    Drop,
    Put,
    Store,
    held_acts,
    listed,
)

SHOP = Scope("acme", "shop")
LIVE = Scope("acme", "shop", "live")
OTHER = Scope("other", "shop", "live")


def page(scope: Scope, kind: str = "zone", after: str = "", limit: int = 100) -> dict[str, Any]:
    return inside(scope) | {"kind": kind, "after": after, "limit": limit}


def inside(scope: Scope) -> dict[str, Any]:
    return {"organization": scope.organization, "project": scope.project, "workspace": scope.workspace}


async def scattered(store: Store) -> None:
    """One zone in each of four scopes, and a few other kinds, two of them with names that begin like ours."""
    await store.commit(
        puts(
            zone("d", LIVE),
            zone("c", SHOP),
            zone("b", ACME),
            zone("a", OTHER),
            zone("e", LIVE, kind="host"),
            zone("f", LIVE, kind="zone-set"),
            zone("g", LIVE, kind="zones"),
        )
    )


async def test_a_slot_leads_to_its_declaration(store: Store) -> None:
    await store.commit(puts(zone("1", name="shop"), zone("2", name="store")))
    assert await names(store, DECLARED_AT, slot="zone|acme|store") == ["2"]
    assert await names(store, DECLARED_AT, slot="zone|acme|none") == []
    asked = listed(["zone|acme|store", "zone|acme|none", "zone|acme|shop", "zone|acme|shop"])
    assert await names(store, DECLARED_IN, slots=asked) == ["1", "2"]


@pytest.mark.parametrize(
    ("scope", "found"),
    [
        (Scope(), ["a", "b", "c", "d"]),
        (ACME, ["b", "c", "d"]),
        (SHOP, ["c", "d"]),
        (LIVE, ["d"]),
        (OTHER, ["a"]),
        (Scope("none"), []),
    ],
)
async def test_a_page_holds_one_kind_inside_a_scope(store: Store, scope: Scope, found: list[str]) -> None:
    await scattered(store)
    assert await names(store, DECLARED_PAGE, **page(scope)) == found


async def test_a_page_of_no_kind_holds_every_kind(store: Store) -> None:
    await scattered(store)
    assert await names(store, DECLARED_PAGE, **page(Scope(), kind="")) == ["e", "f", "a", "b", "c", "d", "g"]
    assert await names(store, DECLARED_PAGE, **page(SHOP, kind="")) == ["e", "f", "c", "d", "g"]
    assert await names(store, DECLARED_PAGE, **page(SHOP, kind="", after="zone/c")) == ["d", "g"]


@pytest.mark.parametrize("scope", [Scope(), ACME, SHOP, LIVE])
async def test_pages_follow_each_other_without_a_gap_or_a_repeat(store: Store, scope: Scope) -> None:
    await store.commit(puts(*(zone(f"{number:02}", LIVE) for number in range(25))))
    seen: list[str] = []
    after = ""
    while rows := await store.read(DECLARED_PAGE, **page(scope, after=after, limit=10)):
        seen += [row.ref for row in rows]
        after = rows[-1].ref
    assert seen == [f"zone/{number:02}" for number in range(25)]


async def test_pages_stay_right_while_rows_come_and_go_on_both_sides(store: Store) -> None:
    await store.commit(puts(*(zone(f"{number:02}") for number in range(0, 40, 2))))
    first = await names(store, DECLARED_PAGE, **page(ACME, limit=10))
    await store.commit(puts(zone("01"), zone("03"), zone("21")))
    await store.commit(Change(writes=(Drop(Declared, f"zone/{first[-1]}"),)))
    second = await names(store, DECLARED_PAGE, **page(ACME, after=f"zone/{first[-1]}", limit=20))
    assert first == [f"{number:02}" for number in range(0, 20, 2)]
    assert second == sorted([f"{number:02}" for number in range(20, 40, 2)] + ["21"])


async def test_newest_first_pages_are_not_shifted_by_what_is_written_meanwhile(store: Store) -> None:
    await store.commit(puts(*(act(f"{number:02}") for number in range(20))))
    seen: list[str] = []

    async def walk() -> None:
        after = ""
        while found := await names(store, ACTS_PAGE, domain="zone/1", after=after, limit=3):
            seen.extend(found)
            after = found[-1]

    async def write() -> None:
        for number in range(20, 40):
            await store.commit(puts(act(f"{number:02}")))

    await asyncio.gather(walk(), write())
    assert seen == sorted(set(seen), reverse=True)
    assert {f"{number:02}" for number in range(20)} <= set(seen)


async def test_inside_a_scope_is_everything_it_holds(store: Store) -> None:
    await scattered(store)
    assert await names(store, DECLARED_INSIDE, **inside(SHOP)) == ["e", "f", "c", "d", "g"]
    assert await names(store, DECLARED_INSIDE, **inside(LIVE)) == ["e", "f", "d", "g"]
    assert await names(store, DECLARED_INSIDE, **inside(OTHER)) == ["a"]
    assert len(await store.read(DECLARED_INSIDE, **inside(Scope()))) == 7


async def test_children_are_found_by_their_parent(store: Store) -> None:
    await store.commit(puts(zone("1"), zone("3", parent=Ref("zone/1")), zone("2", parent=Ref("zone/1"))))
    assert await names(store, DECLARED_CHILDREN, parent="zone/1") == ["2", "3"]
    await store.commit(puts(zone("2")))
    assert await names(store, DECLARED_CHILDREN, parent="zone/1") == ["3"]


async def test_what_refers_to_something_is_found_among_several_refs(store: Store) -> None:
    both = (Ref("host/1"), Ref("host/2"))
    await store.commit(puts(zone("2", refs=both), zone("1", refs=(Ref("host/2"),)), zone("3")))
    assert await names(store, DECLARED_REFERRING, ref="host/2") == ["1", "2"]
    assert await names(store, DECLARED_REFERRING, ref="host/1") == ["2"]


async def test_referring_follows_edits_drops_and_refused_changes(store: Store) -> None:
    await store.commit(puts(zone("1", refs=(Ref("host/1"), Ref("host/2"))), zone("2", refs=(Ref("host/1"),))))
    await store.commit(puts(zone("1", refs=(Ref("host/2"), Ref("host/3")))))
    await store.commit(Change(writes=(Drop(Declared, "zone/2"),)))
    assert await names(store, DECLARED_REFERRING, ref="host/1") == []
    assert await names(store, DECLARED_REFERRING, ref="host/2") == ["1"]
    with pytest.raises(Conflict):
        await store.commit(puts(zone("1", refs=(Ref("host/9"),)), zone("4", name="zone-1")))
    assert await names(store, DECLARED_REFERRING, ref="host/9") == []
    assert await names(store, DECLARED_REFERRING, ref="host/3") == ["1"]


async def test_owned_is_by_organization_and_owner(store: Store) -> None:
    await store.commit(
        puts(zone("2", owner="git"), zone("1", LIVE, owner="git"), zone("3"), zone("4", OTHER, owner="git"))
    )
    assert await names(store, DECLARED_OWNED, organization="acme", owner="git") == ["1", "2"]
    assert await names(store, DECLARED_OWNED, organization="acme", owner="") == []


async def test_all_declarations_come_in_pages_by_ref(store: Store) -> None:
    await scattered(store)
    assert await names(store, DECLARED_ALL, after="", limit=3) == ["e", "f", "a"]
    assert await names(store, DECLARED_ALL, after="zone/a", limit=99) == ["b", "c", "d", "g"]


async def test_statuses_are_found_by_refs_in_order_and_once(store: Store) -> None:
    await store.commit(puts(*(status(str(number)) for number in range(5))))
    wanted = refs("zone/3", "zone/1", "zone/none", "zone/1")
    assert await names(store, STATUSES, refs=wanted) == ["1", "3"]
    assert await names(store, STATUSES, refs=refs()) == []


async def test_a_thousand_statuses_are_found_in_one_question(store: Store) -> None:
    await store.commit(puts(*(status(f"{number:04}") for number in range(1000))))
    wanted = refs(*(f"zone/{number:04}" for number in range(1000)))
    assert len(await store.read(STATUSES, refs=wanted)) == 1000


async def test_wakes_are_found_by_ref_and_in_pages(store: Store) -> None:
    await store.commit(puts(wake("w3"), wake("w1"), wake("w2", "zone/2")))
    assert await names(store, WAKES_OF, ref="zone/1") == ["w1", "w3"]
    assert await names(store, WAKES_AFTER, after="", limit=2) == ["w1", "w2"]
    assert await names(store, WAKES_AFTER, after="w2", limit=2) == ["w3"]


async def test_acts_are_found_by_their_ids_and_what_is_not_there_is_left_out(store: Store) -> None:
    await store.commit(puts(act("a1"), act("a2", ActState.DONE), act("a3", ActState.FAILED)))
    assert [found.id for found in await store.read(ACTS_OF, ids=refs("a3", "a1", "lost"))] == ["a1", "a3"]
    assert await store.read(ACTS_OF, ids=refs()) == []
    assert await held_acts(store, ["a2", "a2", "lost"]) == {"a2"}


async def test_a_store_knows_which_database_it_is(store: Store) -> None:
    here = await store.identity()
    assert here.place
    assert await store.identity() == here


async def test_open_acts_are_the_started_and_the_unknown(store: Store) -> None:
    elsewhere = {"domain": Ref("zone/2")}
    states = [ActState.STARTED, ActState.UNKNOWN, ActState.DONE, ActState.FAILED]
    await store.commit(puts(*(act(f"a{number}", state) for number, state in enumerate(states))))
    await store.commit(puts(act("a9", **elsewhere)))
    assert await names(store, ACTS_OPEN, domain="zone/1") == ["a0", "a1"]
    assert await names(store, ACTS_OPEN, domain="") == ["a0", "a1", "a9"]
    await store.commit(puts(act("a0", ActState.DONE)))
    assert await names(store, ACTS_OPEN, domain="zone/1") == ["a1"]


async def test_acts_since_a_time_include_that_time_in_order_of_beginning(store: Store) -> None:
    times = {"a1": 30.0, "a2": 10.0, "a3": 20.0, "a4": 20.0}
    await store.commit(puts(*(act(identity, began_at=at) for identity, at in times.items())))
    assert await names(store, ACTS_SINCE, domain="zone/1", since=20.0) == ["a3", "a4", "a1"]
    assert await names(store, ACTS_SINCE, domain="zone/2", since=0.0) == []


async def test_pages_of_acts_are_newest_first_in_one_domain_or_all(store: Store) -> None:
    await store.commit(puts(act("a1"), act("a2"), act("a3"), act("a4", domain=Ref("zone/2"))))
    assert await names(store, ACTS_PAGE, domain="zone/1", after="", limit=2) == ["a3", "a2"]
    assert await names(store, ACTS_PAGE, domain="zone/1", after="a2", limit=2) == ["a1"]
    assert await names(store, ACTS_PAGE, domain="", after="", limit=9) == ["a4", "a3", "a2", "a1"]


async def test_plans_of_a_ref_are_the_last_twenty(store: Store) -> None:
    await store.commit(puts(*(plan(f"{number:02}") for number in range(25)), plan("99", ref=Ref("zone/2"))))
    assert await names(store, PLANS_OF, ref="zone/1") == [f"{number:02}" for number in range(24, 4, -1)]


@pytest.mark.parametrize(
    ("organization", "state", "found"),
    [
        ("acme", "", ["3", "2", "1"]),
        ("acme", "held", ["3", "1"]),
        ("", "held", ["4", "3", "1"]),
        ("", "", list("4321")),
    ],
)
async def test_pages_of_plans_are_by_organization_and_state(
    store: Store, organization: str, state: str, found: list[str]
) -> None:
    await store.commit(puts(plan("1"), plan("2", PlanState.SHOWN), plan("3"), plan("4", scope=OTHER)))
    values = {"organization": organization, "state": state}
    assert await names(store, PLANS_PAGE, **values, after="", limit=9) == found
    assert await names(store, PLANS_PAGE, **values, after=found[0], limit=1) == found[1:2]


async def test_approvals_are_found_by_ref(store: Store) -> None:
    await store.commit(puts(approval("y2"), approval("y1"), approval("y3", "zone/2")))
    assert await names(store, APPROVALS_OF, ref="zone/1") == ["y1", "y2"]


async def test_switches_come_by_key(store: Store) -> None:
    await store.commit(puts(switch("kind:zone"), switch("all")))
    assert [row.key for row in await store.read(SWITCHES)] == ["all", "kind:zone"]
    asked = listed(["kind:zone", "kind:none"])
    assert [row.key for row in await store.read(SWITCHES_OF, keys=asked)] == ["kind:zone"]


async def test_tasks_of_a_target_are_the_last_twenty(store: Store) -> None:
    await store.commit(
        puts(*(task(f"{number:02}") for number in range(25)), task("99", target=Ref("zone/2")))
    )
    assert await names(store, TASKS_OF, target="zone/1") == [f"{number:02}" for number in range(24, 4, -1)]


async def test_open_tasks_are_those_that_have_not_ended(store: Store) -> None:
    await store.commit(puts(*(task(f"t{number}", state) for number, state in enumerate(TaskState))))
    assert await names(store, TASKS_OPEN) == ["t0", "t1", "t2", "t3"]
    await store.commit(puts(task("t2", TaskState.DONE)))
    assert await names(store, TASKS_OPEN) == ["t0", "t1", "t3"]


async def test_pages_of_tasks_are_newest_first_by_organization(store: Store) -> None:
    await store.commit(puts(task("t1"), task("t2"), task("t3", organization="other")))
    assert await names(store, TASKS_PAGE, organization="acme", after="", limit=9) == ["t2", "t1"]
    assert await names(store, TASKS_PAGE, organization="acme", after="t2", limit=9) == ["t1"]
    assert await names(store, TASKS_PAGE, organization="", after="", limit=1) == ["t3"]


async def test_a_page_of_bodies_is_the_page_with_its_statuses_as_they_are_stored(store: Store) -> None:
    zones = [zone(str(number), name=f"z{number}") for number in range(1, 6)]
    told = Status(ref=zones[1].ref, reason="as it was seen")
    await store.commit(Change(writes=(*map(Put, zones), Put(told))))
    page = {"kind": "zone", "organization": zones[0].organization, "project": "", "workspace": "", "limit": 3}
    first = await store.bodies(DECLARED_PAGE, **page, after="")
    rest = await store.bodies(DECLARED_PAGE, **page, after=str(zones[2].ref))
    assert [msgspec.json.decode(body, type=Declared) for body, _ in (*first, *rest)] == zones
    statuses = [msgspec.json.decode(each, type=Status) if each else None for _, each in (*first, *rest)]
    assert statuses == [None, told, None, None, None]
    assert list(await store.bodies(DECLARED_AT, slot=zones[1].slot)) == [first[1]]
    assert list(await store.bodies(DECLARED_AT, slot="zone|acme|nobody")) == []


async def test_a_page_of_bodies_asked_for_again_has_what_was_committed_meanwhile(store: Store) -> None:
    one = zone("1", name="z1")
    page = {"kind": "zone", "organization": one.organization, "project": "", "workspace": "", "limit": 3}
    assert list(await store.bodies(DECLARED_PAGE, **page, after="")) == []
    await store.commit(puts(one))
    [(body, status)] = await store.bodies(DECLARED_PAGE, **page, after="")
    assert (body, status) == (canonical(one), None)
    await store.commit(puts(Status(ref=one.ref, reason="seen")))
    [(body, status)] = await store.bodies(DECLARED_PAGE, **page, after="")
    assert status is not None
