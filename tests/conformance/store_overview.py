"""What every store answers about how everything stands."""

import math
from typing import Any

import pytest

from conformance.store_queries import LIVE, SHOP, inside, scattered
from conformance.store_rows import ACME, puts, zone
from setpoint.engine.entity import Declared, Ref, Scope, State, Status
from setpoint.engine.ledger import Ledger
from setpoint.engine.rows import Event, Holding
from setpoint.engine.store import (
    BY_CHANGED,
    BY_CHANGED_DOWN,
    BY_CREATED,
    BY_CREATED_DOWN,
    BY_NAME,
    BY_NAME_DOWN,
    EVENTS_BEFORE,
    HOLDING,
    LEDGERS_OF,
    TALLIES,
    UNWELL,
    Change,
    Query,
    Store,
    listed,
)

LAST = "\U0010ffff"

STATES = {"zone/c": State.READY, "zone/d": State.HELD, "host/e": State.FAILED, "zones/g": State.PENDING}


async def told_of(store: Store) -> None:
    await scattered(store)
    await store.commit(puts(*(Status(ref=Ref(ref), state=state) for ref, state in STATES.items())))


async def test_a_tally_counts_by_kind_place_and_state(store: Store) -> None:
    await told_of(store)
    tallies = await store.read(TALLIES, **inside(SHOP))
    assert [(tally.kind, tally.scope, tally.state, tally.count) for tally in tallies] == [
        ("host", LIVE, "FAILED", 1),
        ("zone", SHOP, "READY", 1),
        ("zone", LIVE, "HELD", 1),
        ("zone-set", LIVE, "", 1),
        ("zones", LIVE, "PENDING", 1),
    ]
    assert sum(tally.count for tally in await store.read(TALLIES, **inside(ACME))) == 6
    assert sum(tally.count for tally in await store.read(TALLIES, **inside(LIVE))) == 4
    assert await store.read(TALLIES, **inside(Scope("nobody"))) == []


async def test_a_holding_counts_one_organization_and_its_bytes(store: Store) -> None:
    await told_of(store)
    [held] = await store.read(HOLDING, organization="acme")
    assert (held.objects, held.bytes > 100 * held.objects) == (6, True)
    assert await store.read(HOLDING, organization="nobody") == [Holding(objects=0, bytes=0)]


async def test_what_is_unwell_is_found_by_its_state(store: Store) -> None:
    await told_of(store)
    wanted = walk(ACME, state="HELD")
    assert await refs_of(store, UNWELL, wanted) == ["zone/d"]
    assert await refs_of(store, UNWELL, wanted | {"after": "zone/d"}) == []
    assert await refs_of(store, UNWELL, wanted | {"kind": "host"}) == []
    assert await refs_of(store, UNWELL, wanted | {"text": "D"}) == []
    assert await refs_of(store, UNWELL, walk(SHOP, state="PENDING")) == ["zones/g"]
    assert await refs_of(store, UNWELL, walk(ACME, state="READY")) == []
    assert await refs_of(store, UNWELL, walk(Scope("other"), state="HELD")) == []


WALKS = {
    BY_CREATED: ["host/e", "zone-set/f", "zone/b", "zone/c", "zone/d", "zones/g"],
    BY_NAME: ["zone/b", "zone/c", "zone/d", "host/e", "zone-set/f", "zones/g"],
    BY_CHANGED: ["zone/c", "host/e", "zone-set/f", "zone/b", "zone/d", "zones/g"],
}
DOWN = {BY_CREATED: BY_CREATED_DOWN, BY_NAME: BY_NAME_DOWN, BY_CHANGED: BY_CHANGED_DOWN}


@pytest.mark.parametrize("query", WALKS, ids=lambda query: query.name)
async def test_an_organization_is_walked_in_any_order_page_by_page(
    store: Store, query: Query[Declared]
) -> None:
    await told_of(store)
    await store.commit(puts(zone("c", SHOP, changed_at=-1.0), zone("x", Scope("", "", ""), kind="thing")))
    for way, first, found in (
        (query, begin(query), WALKS[query]),
        (DOWN[query], end(query), WALKS[query][::-1]),
    ):
        seen: list[str] = []
        wanted = walk(ACME, limit=2) | first
        while rows := await store.read(way, **wanted):
            seen += [row.ref for row in rows]
            wanted |= {"value": place(query, rows[-1]), "after": rows[-1].ref}
        assert seen == found
    assert await refs_of(store, query, walk(Scope()) | begin(query)) == ["thing/x"]


@pytest.mark.parametrize("query", [*WALKS, *DOWN.values()], ids=lambda query: query.name)
async def test_a_walk_leaves_out_what_is_not_wanted(store: Store, query: Query[Declared]) -> None:
    await told_of(store)
    await store.commit(puts(zone("c", SHOP, labels={"Team": "Blog%_"})))
    start = end(query) if query in DOWN.values() else begin(query)

    async def found(scope: Scope = ACME, **asked: Any) -> set[str]:
        return set(await refs_of(store, query, walk(scope, **asked) | start))

    assert await found(SHOP) == {"zone/c", "zone/d", "host/e", "zone-set/f", "zones/g"}
    assert await found(LIVE, kind="zone") == {"zone/d"}
    assert await found(text="team=blog%_") == {"zone/c"}
    assert await found(text="%") == {"zone/c"}
    assert await found(text="Blog") == set()
    assert await found(state="HELD") == {"zone/d"}
    assert await found(state="PENDING", unseen="PENDING") == {"zones/g", "zone-set/f", "zone/b"}


def walk(scope: Scope, **asked: Any) -> dict[str, Any]:
    nothing = dict.fromkeys(("kind", "text", "state", "unseen", "value", "after"), "")
    return inside(scope) | nothing | {"limit": 100} | asked


def begin(query: Query[Declared]) -> dict[str, Any]:
    return {"value": -9.0 if "changed" in query.name else "", "after": ""}


def end(query: Query[Declared]) -> dict[str, Any]:
    return {"value": math.inf if "changed" in query.name else LAST, "after": LAST}


def place(query: Query[Declared], row: Declared) -> str | float:
    return row.changed_at if query is BY_CHANGED else row.name


async def refs_of(store: Store, query: Query[Declared], asked: dict[str, Any]) -> list[str]:
    return [row.ref for row in await store.read(query, **asked)]


async def test_events_are_read_backwards_from_a_revision(store: Store) -> None:
    for number in range(5):
        event = Event(
            organization="acme", type="x.happened", ref=Ref(f"x/{number}"), scope=ACME, at=float(number)
        )
        await store.commit(Change(events=(event,)))
    assert [
        each.revision for each in await store.read(EVENTS_BEFORE, organization="acme", below=5, limit=2)
    ] == [4, 3]
    assert [each.ref for each in await store.read(EVENTS_BEFORE, organization="acme", below=99, limit=9)] == [
        f"x/{number}" for number in reversed(range(5))
    ]
    assert await store.read(EVENTS_BEFORE, organization="other", below=99, limit=9) == []


async def test_what_guards_remember_of_several_domains_is_read_together(store: Store) -> None:
    kept = [Ledger(ref=Ref(f"zone/{name}"), accepted=number) for number, name in enumerate("cab")]
    await store.commit(puts(*kept))
    found = await store.read(LEDGERS_OF, refs=listed(("zone/c", "zone/a", "zone/none")))
    assert [(row.ref, row.accepted) for row in found] == [("zone/a", 1), ("zone/c", 0)]
    assert await store.read(LEDGERS_OF, refs=listed(())) == []
