"""What every store answers about how everything stands."""

from conformance.store_queries import LIVE, SHOP, inside, scattered
from conformance.store_rows import ACME, puts
from setpoint.engine.entity import Ref, Scope, State, Status
from setpoint.engine.ledger import Ledger
from setpoint.engine.rows import Event
from setpoint.engine.store import EVENTS_BEFORE, LEDGERS_OF, TALLIES, UNWELL, Change, Store, listed

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


async def test_what_is_unwell_comes_worst_first(store: Store) -> None:
    await told_of(store)
    found = await store.read(UNWELL, **inside(ACME), limit=10)
    assert [row.ref for row in found] == ["host/e", "zone/d", "zones/g"]
    assert [row.ref for row in await store.read(UNWELL, **inside(LIVE), limit=1)] == ["host/e"]
    assert await store.read(UNWELL, **inside(Scope("other")), limit=10) == []


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
