"""What every store promises of slots: a name, an item and a key are taken once."""

import asyncio

import pytest

from conformance.store_rows import act, names, puts, task, wake, zone
from setpoint.engine.entity import Declared
from setpoint.engine.errors import Conflict
from setpoint.engine.rows import ActState, Task, TaskState, Wake
from setpoint.engine.store import DECLARED_ALL, DECLARED_AT, Change, Drop, Put, Store


async def test_two_live_entities_cannot_share_a_name(store: Store) -> None:
    await store.commit(puts(zone("1", name="shop")))
    with pytest.raises(Conflict, match=r"'zone\|acme\|shop' is taken by zone/1; zone/2 cannot have it"):
        await store.commit(puts(wake("w1"), zone("2", name="shop")))
    assert await store.get(Declared, "zone/2") is None
    assert await store.get(Wake, "w1") is None


async def test_a_row_keeps_its_slot_when_it_is_put_again(store: Store) -> None:
    await store.commit(puts(zone("1", name="shop")))
    await store.commit(puts(zone("1", name="shop", generation=2)))


async def test_a_slot_is_free_again_after_a_rename_and_after_a_drop(store: Store) -> None:
    await store.commit(puts(zone("1", name="shop")))
    await store.commit(puts(zone("1", name="store"), zone("2", name="shop")))
    await store.commit(Change(writes=(Drop(Declared, "zone/2"), Put(zone("3", name="shop")))))
    assert await names(store, DECLARED_ALL, after="", limit=9) == ["1", "3"]


async def test_names_can_be_swapped_by_way_of_a_third(store: Store) -> None:
    await store.commit(puts(zone("1", name="a"), zone("2", name="b")))
    await store.commit(puts(zone("1", name="c"), zone("2", name="a"), zone("1", name="b")))
    assert await names(store, DECLARED_AT, slot="zone|acme|a") == ["2"]
    assert await names(store, DECLARED_AT, slot="zone|acme|b") == ["1"]


async def test_a_slot_that_one_row_left_goes_to_any_other_in_the_same_change(store: Store) -> None:
    await store.commit(puts(zone("2", name="a")))
    await store.commit(puts(zone("2", name="b"), zone("1", name="a"), zone("3", name="c")))
    await store.commit(
        Change(writes=(Drop(Declared, "zone/1"), Put(zone("3", name="a")), Put(zone("1", name="c"))))
    )
    assert await names(store, DECLARED_AT, slot="zone|acme|a") == ["3"]
    assert await names(store, DECLARED_AT, slot="zone|acme|c") == ["1"]


async def test_of_many_moves_at_once_each_sees_those_before_it(store: Store) -> None:
    await store.commit(puts(*(zone(str(number), name=str(number)) for number in range(9))))
    moves = [puts(zone(str(number), name=str(number + 1))) for number in range(8, -1, -1)]
    await asyncio.gather(*map(store.commit, moves))
    assert await names(store, DECLARED_AT, slot="zone|acme|1") == ["0"]
    assert await names(store, DECLARED_AT, slot="zone|acme|0") == []


async def test_a_refused_change_gives_back_the_slots_it_had_taken_and_left(store: Store) -> None:
    await store.commit(puts(zone("1", name="a"), zone("2", name="b")))
    with pytest.raises(Conflict):
        await store.commit(puts(zone("1", name="c"), zone("3", name="a"), zone("4", name="b")))
    with pytest.raises(Conflict, match="taken by zone/1"):
        await store.commit(puts(zone("5", name="a")))
    await store.commit(puts(zone("5", name="c")))


async def test_an_item_has_one_open_act_and_any_number_of_ended_ones(store: Store) -> None:
    await store.commit(puts(act("a1", ActState.DONE, item="www"), act("a2", ActState.FAILED, item="www")))
    await store.commit(puts(act("a3", ActState.STARTED, item="www")))
    with pytest.raises(Conflict, match=r"act slot 'zone/1\|www' is taken by a3; a4 cannot have it"):
        await store.commit(puts(act("a4", ActState.UNKNOWN, item="www")))
    await store.commit(puts(act("a3", ActState.DONE, item="www"), act("a4", ActState.STARTED, item="www")))


async def test_a_key_is_never_open_twice_on_one_target(store: Store) -> None:
    await store.commit(puts(task("t1", key="move")))
    with pytest.raises(Conflict, match="taken by t1"):
        await store.commit(puts(task("t2", key="move")))
    await store.commit(puts(task("t1", TaskState.FAILED, key="move"), task("t2", key="move")))
    assert await store.get(Task, "t2") == task("t2", key="move")
