"""What every store promises when many commit at once: groups, cancellation, wakes that arrive meanwhile."""

import asyncio
from typing import Any

import pytest

from conformance.store_rows import audit, event, names, puts, wake, zone
from setpoint.engine.entity import Declared
from setpoint.engine.errors import Conflict
from setpoint.engine.rows import Head, Wake
from setpoint.engine.store import EVENTS_AFTER, WAKES_AFTER, WAKES_OF, Change, Drop, Expect, Put, Store


async def test_of_many_who_want_a_slot_at_once_exactly_one_gets_it(store: Store) -> None:
    wanted = [store.commit(puts(zone(str(number), name="shop"))) for number in range(50)]
    outcomes = await asyncio.gather(*wanted, return_exceptions=True)
    assert sum(outcome is None for outcome in outcomes) == 1
    assert sum(isinstance(outcome, Conflict) for outcome in outcomes) == 49


async def test_of_many_edits_of_one_generation_exactly_one_wins(store: Store) -> None:
    await store.commit(puts(zone("1", generation=1)))
    expect = Expect(Declared, "zone/1", "generation", 1)
    edit = Change(expects=(expect,), writes=(Put(zone("1", generation=2)),))
    outcomes = await asyncio.gather(*(store.commit(edit) for _ in range(50)), return_exceptions=True)
    assert outcomes.count(None) == 1


async def test_a_member_of_a_group_that_fails_takes_nobody_with_it(store: Store) -> None:
    await store.commit(puts(zone("taken", name="shop")))
    changes = [
        Change(
            writes=(
                Put(wake(f"w{number}")),
                Put(zone(str(number), name="shop" if number == 5 else str(number))),
            ),
            events=(event(),),
        )
        for number in range(10)
    ]
    outcomes = await asyncio.gather(*map(store.commit, changes), return_exceptions=True)
    assert [number for number, outcome in enumerate(outcomes) if outcome is not None] == [5]
    assert await names(store, WAKES_OF, ref="zone/1") == [f"w{number}" for number in range(10) if number != 5]
    events = await store.read(EVENTS_AFTER, organization="acme", after=0, limit=99)
    assert [line.revision for line in events] == list(range(1, 10))


async def test_two_hundred_commits_at_once_are_all_there(store: Store) -> None:
    changes = [
        Change(writes=(Put(wake(f"{number:03}")),), events=(event(),), audit=(audit(),))
        for number in range(200)
    ]
    await asyncio.gather(*map(store.commit, changes))
    assert len(await store.read(WAKES_AFTER, after="", limit=999)) == 200
    head = await store.get(Head, "acme")
    assert head is not None
    assert head.revision == 400


async def test_a_read_after_the_answer_sees_the_commit(store: Store) -> None:
    for number in range(50):
        await store.commit(puts(wake(f"{number:03}")))
        assert len(await store.read(WAKES_AFTER, after="", limit=99)) == number + 1


async def test_a_cancelled_caller_stops_waiting_and_the_change_is_made(store: Store) -> None:
    waiting = asyncio.ensure_future(store.commit(puts(wake("w1"))))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await store.commit(puts(wake("w2")))
    assert await names(store, WAKES_AFTER, after="", limit=9) == ["w1", "w2"]


async def test_a_change_whose_answer_was_lost_is_refused_when_it_is_sent_again(store: Store) -> None:
    change = Change(expects=(Expect(Wake, "w1"),), writes=(Put(wake("w1")),), events=(event(),))
    waiting = asyncio.ensure_future(store.commit(change))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    with pytest.raises(Conflict, match="wake w1 was expected to be absent, and is there"):
        await store.commit(change)
    assert len(await store.read(EVENTS_AFTER, organization="acme", after=0, limit=9)) == 1


async def test_many_cancelled_callers_disturb_nobody(store: Store) -> None:
    troubles: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: troubles.append(context))
    waiting = [asyncio.ensure_future(store.commit(puts(wake(f"{number:03}")))) for number in range(100)]
    await asyncio.sleep(0)
    for one in waiting[::2]:
        one.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    await store.commit(puts(wake("last")))
    assert len(await store.read(WAKES_AFTER, after="", limit=999)) == 101
    assert troubles == []


async def test_wakes_that_arrive_while_others_are_deleted_by_id_stay(store: Store) -> None:
    await store.commit(puts(wake("w1"), wake("w2")))
    read = await store.read(WAKES_OF, ref="zone/1")
    await store.commit(puts(wake("w3")))
    await store.commit(Change(writes=tuple(Drop(Wake, each.id) for each in read)))
    assert await names(store, WAKES_OF, ref="zone/1") == ["w3"]


async def test_no_wake_is_lost_between_writers_and_a_reader_that_deletes(store: Store) -> None:
    seen: list[str] = []

    async def write(start: int) -> None:
        for number in range(start, start + 20):
            await store.commit(puts(wake(f"{number:03}")))

    async def take() -> None:
        while len(seen) < 100:
            read = await store.read(WAKES_OF, ref="zone/1")
            await store.commit(Change(writes=tuple(Drop(Wake, each.id) for each in read)))
            seen.extend(each.id for each in read)
            await asyncio.sleep(0)

    await asyncio.gather(take(), *(write(start) for start in range(0, 100, 20)))
    assert sorted(seen) == [f"{number:03}" for number in range(100)]
    assert await store.read(WAKES_AFTER, after="", limit=9) == []
