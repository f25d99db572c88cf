"""Several processes on one PostgreSQL: the database decides, and nobody rests on what has changed."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

import postgres
from conformance.store_leases import HOUR, OVER, asked
from conformance.store_rows import audit, event, names, protection, puts, switch, wake, zone
from setpoint.engine.audit import broken_at
from setpoint.engine.entity import Declared
from setpoint.engine.errors import Conflict
from setpoint.engine.ledger import Protection
from setpoint.engine.rows import Head, Shard, Switch, Wake
from setpoint.engine.store import (
    AUDIT_PAGE,
    EVENTS_AFTER,
    SHARDS_OF,
    WAKES_AFTER,
    Change,
    Drop,
    Expect,
    Lease,
    Put,
)
from setpoint.engine.tenure import SHARDS
from setpoint.storage.postgres import PostgresStore, open_postgres

A_MOMENT = 0.15


@pytest.fixture
async def url() -> str:
    return await postgres.emptied()


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[PostgresStore]:
    store = await open_postgres(url, allow_unsafe=True)
    yield store
    await store.close()


@pytest.fixture
async def one(url: str) -> AsyncIterator[PostgresStore]:
    async with opened(url) as store:
        yield store


@pytest.fixture
async def other(url: str) -> AsyncIterator[PostgresStore]:
    async with opened(url) as store:
        yield store


@pytest.fixture
async def slow(url: str, tmp_path: Path) -> AsyncIterator[tuple[PostgresStore, postgres.Relay]]:
    """A store whose next commit stops just before COMMIT, and the relay that lets it go on."""
    async with postgres.relayed(url, tmp_path) as (through, relay), opened(through) as store:
        yield store, relay


@asynccontextmanager
async def stopped_before_commit(
    slow: tuple[PostgresStore, postgres.Relay], change: Change
) -> AsyncIterator["asyncio.Task[None]"]:
    store, relay = slow
    relay.armed = True
    first = asyncio.ensure_future(store.commit(change))
    await relay.reached.wait()
    try:
        yield first
    finally:
        relay.go_on.set()
        await asyncio.wait([first])


async def outcome_while(
    slow: tuple[PostgresStore, postgres.Relay], first: Change, other: PostgresStore, second: Change
) -> tuple[Any, Any]:
    """How both went, where the second had to wait for the first, which was about to COMMIT."""
    async with stopped_before_commit(slow, first) as before:
        after = asyncio.ensure_future(other.commit(second))
        await asyncio.wait([after], timeout=A_MOMENT)
        assert not after.done(), "did not wait"
    await asyncio.wait([after])
    return before.exception(), after.exception()


Slow = tuple[PostgresStore, postgres.Relay]


@pytest.mark.parametrize("there", [switch("all"), protection("www")], ids=["switch", "protection"])
async def test_nobody_puts_what_a_commit_in_flight_found_absent(
    slow: Slow, other: PostgresStore, there: Any
) -> None:
    begin = Change(expects=(Expect(type(there), there.key),), writes=(Put(wake("act")),))
    assert await outcome_while(slow, begin, other, puts(there)) == (None, None)
    with pytest.raises(Conflict, match="expected to be absent, and is there"):
        await other.commit(begin)


@pytest.mark.parametrize("there", [switch("all"), protection("www")], ids=["switch", "protection"])
async def test_nobody_rests_on_the_absence_of_what_is_about_to_be_there(
    slow: Slow, other: PostgresStore, there: Any
) -> None:
    begin = Change(expects=(Expect(type(there), there.key),), writes=(Put(wake("act")),))
    first, second = await outcome_while(slow, puts(there), other, begin)
    assert first is None
    assert str(second).endswith("was expected to be absent, and is there")
    assert await other.get(Wake, "act") is None


async def test_those_who_rest_on_the_same_absence_do_not_wait_for_each_other(
    slow: Slow, other: PostgresStore
) -> None:
    async with stopped_before_commit(
        slow, Change(expects=(Expect(Switch, "all"),), writes=(Put(wake("1")),))
    ):
        await other.commit(Change(expects=(Expect(Switch, "all"),), writes=(Put(wake("2")),)))


async def test_what_a_commit_in_flight_rests_on_does_not_change_before_it(
    slow: Slow, other: PostgresStore
) -> None:
    await other.commit(puts(zone("1"), switch("all")))
    expects = (Expect(Declared, "zone/1", "generation", 1), Expect(Switch, "all", "version", 1))
    begin = Change(expects=expects, writes=(Put(wake("act")),))
    edit = Change(
        expects=(Expect(Declared, "zone/1", "generation", 1),), writes=(Put(zone("1", generation=2)),)
    )
    assert await outcome_while(slow, begin, other, edit) == (None, None)
    with pytest.raises(Conflict, match="generation 1, and has 2"):
        await other.commit(begin)


async def test_a_switch_that_is_dropped_or_put_without_a_look_waits_too(
    slow: Slow, other: PostgresStore
) -> None:
    await other.commit(puts(switch("all")))
    begin = Change(expects=(Expect(Switch, "all", "version", 1),), writes=(Put(wake("act")),))
    assert await outcome_while(slow, begin, other, Change(writes=(Drop(Switch, "all"),))) == (None, None)


async def test_of_two_edits_of_one_generation_the_second_is_refused(slow: Slow, other: PostgresStore) -> None:
    await other.commit(puts(zone("1")))
    expect = (Expect(Declared, "zone/1", "generation", 1),)
    edits = [Change(expects=expect, writes=(Put(zone("1", generation=2, owner=who)),)) for who in "ab"]
    first, second = await outcome_while(slow, edits[0], other, edits[1])
    assert (first, str(second)) == (None, "declared zone/1 was expected with generation 1, and has 2")
    found = await other.get(Declared, "zone/1")
    assert found is not None
    assert found.owner == "a"


async def test_two_who_create_the_same_key_do_not_overwrite_each_other(
    slow: Slow, other: PostgresStore
) -> None:
    create = [
        Change(expects=(Expect(Wake, "w"),), writes=(Put(wake("w", ref)),)) for ref in ("zone/1", "zone/2")
    ]
    first, second = await outcome_while(slow, create[0], other, create[1])
    assert (first, str(second)) == (None, "wake w was expected to be absent, and is there")
    assert await other.get(Wake, "w") == wake("w", "zone/1")


async def test_a_slot_taken_by_another_process_is_a_conflict_in_the_same_words(
    slow: Slow, other: PostgresStore
) -> None:
    first, second = await outcome_while(
        slow, puts(zone("1", name="shop")), other, puts(zone("2", name="shop"))
    )
    assert first is None
    assert str(second) == "declared slot 'zone|acme|shop' is taken by zone/1; zone/2 cannot have it"


async def test_a_group_that_loses_a_race_loses_only_the_member_that_lost_it(
    slow: Slow, other: PostgresStore
) -> None:
    async with stopped_before_commit(slow, puts(zone("1", name="shop"))):
        group = [
            puts(zone(str(number), name="shop" if number == 5 else str(number))) for number in range(2, 9)
        ]
        waiting = [asyncio.ensure_future(other.commit(change)) for change in group]
        await asyncio.wait(waiting, timeout=A_MOMENT)
    outcomes = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [*[type(None)] * 3, Conflict, *[type(None)] * 3]


async def test_a_shard_under_a_commit_in_flight_is_not_taken_and_not_waited_for(
    slow: Slow, other: PostgresStore
) -> None:
    old = await other.lease(asked("old", more=SHARDS, seconds=OVER))
    fence = Expect(Shard, "scheduler/007", "epoch", next(s.epoch for s in old.mine if s.key.endswith("/007")))
    async with stopped_before_commit(slow, Change(expects=(fence,), writes=(Put(wake("act")),))) as first:
        taken = await other.lease(asked("new", more=SHARDS))
        assert {f"scheduler/{n:03}" for n in range(SHARDS)} - {s.key for s in taken.mine} == {"scheduler/007"}
    assert first.exception() is None
    assert len((await other.lease(asked("new", more=1))).mine) == SHARDS
    with pytest.raises(Conflict, match=f"expected with epoch {fence.value}, and has"):
        await other.commit(Change(expects=(fence,)))


async def test_replicas_in_two_processes_share_the_shards_without_overlap(
    one: PostgresStore, other: PostgresStore
) -> None:
    for _ in range(5):
        await asyncio.gather(
            *(
                store.lease(asked(name, more=40))
                for store, name in ((one, "a"), (other, "b"), (one, "c"), (other, "d"))
            )
        )
    shards = await one.read(SHARDS_OF, service="scheduler")
    assert {shard.owner != "" for shard in shards} == {True}
    got = [await one.lease(Lease(service="scheduler", owner=each, seconds=HOUR)) for each in "abcd"]
    assert sum(len(each.mine) for each in got) == SHARDS
    assert {each.replicas for each in got} == {4}


async def test_revisions_have_no_gap_and_the_chain_verifies_with_writers_in_two_processes(
    one: PostgresStore, other: PostgresStore
) -> None:
    async def write(store: PostgresStore, name: str) -> None:
        for number in range(25):
            where = "acme" if number % 3 else "other"
            done = Change(
                writes=(Put(wake(f"{name}{number:02}")),),
                events=(event(organization=where), event()),
                audit=(audit(), audit(organization=where)),
            )
            await store.commit(done)

    await asyncio.gather(
        *(write(store, f"{name}{lane}") for store, name in ((one, "a"), (other, "b")) for lane in range(4))
    )
    for organization in ("acme", "other"):
        events = await one.read(EVENTS_AFTER, organization=organization, after=0, limit=9999)
        chain = await one.read(AUDIT_PAGE, organization=organization, after=0, limit=9999)
        head = await other.get(Head, organization)
        assert head is not None
        assert sorted(line.revision for line in (*events, *chain)) == list(range(1, head.revision + 1))
        assert broken_at(chain) is None
        assert chain[-1].hash == head.hash
    assert len(await one.read(WAKES_AFTER, after="", limit=999)) == 200


async def test_groups_that_want_the_same_rows_in_any_order_all_get_through(
    one: PostgresStore, other: PostgresStore
) -> None:
    await one.commit(puts(*(switch(str(number)) for number in range(20)), *(zone(str(n)) for n in range(20))))

    def change(number: int) -> Change:
        rests = Expect(Switch, str((number * 7) % 20), "version", 1)
        writes = (
            Put(zone(str((number * 3) % 20))),
            Put(zone(str((number * 11) % 20))),
            Put(wake(str(number))),
        )
        return Change(expects=(rests,), writes=writes, events=(event(),))

    await asyncio.gather(*((one, other)[number % 2].commit(change(number)) for number in range(200)))
    assert len(await one.read(WAKES_AFTER, after="", limit=999)) == 200


async def test_another_process_hears_which_organizations_moved(
    one: PostgresStore, other: PostgresStore
) -> None:
    told: asyncio.Queue[frozenset[str]] = asyncio.Queue()
    own: list[frozenset[str]] = []
    other.listen(told.put_nowait)
    one.listen(own.append)
    await listening(one, other)
    while not told.empty():
        told.get_nowait()
    own.clear()
    await one.commit(Change(events=(event(), event("x", "other"))))
    async with asyncio.timeout(60):
        assert await told.get() == {"acme", "other"}
    assert own == [frozenset({"acme", "other"})]


async def test_notices_too_long_for_postgres_say_that_something_moved(
    one: PostgresStore, other: PostgresStore
) -> None:
    told: asyncio.Queue[frozenset[str]] = asyncio.Queue()
    other.listen(told.put_nowait)
    await listening(one, other)
    while not told.empty():
        told.get_nowait()
    await one.commit(Change(events=tuple(event(organization=f"{number:0500}") for number in range(20))))
    async with asyncio.timeout(60):
        assert await told.get() == {""}


async def listening(one: PostgresStore, other: PostgresStore) -> None:
    """Until each hears the other."""
    for speaker, listener in ((one, other), (other, one)):
        heard = asyncio.Event()
        forget = listener.listen(lambda _, heard=heard: heard.set())  # type: ignore[misc]
        async with asyncio.timeout(60):
            while not heard.is_set():
                await speaker.commit(puts(wake("hello")))
                with_patience = asyncio.wait_for(heard.wait(), 0.05)
                await asyncio.gather(with_patience, return_exceptions=True)
        forget()


async def test_what_is_in_one_process_is_read_by_the_other(one: PostgresStore, other: PostgresStore) -> None:
    await one.commit(puts(protection("www"), wake("w1")))
    assert await other.get(Protection, "zone/1|www") == protection("www")
    assert await names(other, WAKES_AFTER, after="", limit=9) == ["w1"]
