"""Which wakes are new: every one is heard, none twice, and a long list costs no more than a short one."""

import pytest

from conformance.store_rows import event
from engine.fake_runtime import START
from setpoint.drive import ear as hearing
from setpoint.drive.ear import REREAD_SECONDS, Ear
from setpoint.engine.entity import Ref
from setpoint.engine.rows import Wake
from setpoint.engine.store import ANYTHING, Change, Drop, Put, Query
from setpoint.storage.memory import MemoryStore


class CountingStore(MemoryStore):
    """Knows how many rows were read from it."""

    rows = 0

    async def read(self, query: Query, **values: object) -> list:  # type: ignore[type-arg]
        found = await super().read(query, **values)  # type: ignore[arg-type]
        self.rows += len(found)
        return found  # type: ignore[return-value]

    async def put(self, *numbers: int) -> None:
        await self.commit(Change(writes=tuple(Put(wake(number)) for number in numbers)))


def wake(number: int) -> Wake:
    return Wake(id=f"{number:06d}", ref=Ref(f"zone/{number}"), reason="woken")


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> CountingStore:
    monkeypatch.setattr(hearing, "PAGE", 100)
    monkeypatch.setattr(hearing, "OVERLAP", 10)
    return CountingStore()


@pytest.fixture
def ear(store: CountingStore) -> Ear:
    ear = Ear(store, lambda ref: ref != "zone/13")
    store.listen(ear.prick)
    return ear


async def heard(ear: Ear, now: float) -> list[int]:
    return [int(each.id) for each in await ear.hear(now)]


async def test_a_change_behind_many_others_is_heard_at_once(store: CountingStore, ear: Ear) -> None:
    await store.put(*range(1_000, 1_250))
    assert len(await heard(ear, START)) == 250
    await store.put(9_999)
    assert await heard(ear, START) == [9_999]


async def test_a_page_that_is_just_full_is_not_the_end(store: CountingStore, ear: Ear) -> None:
    await store.put(*range(1_000, 1_100))
    assert len(await heard(ear, START)) == 100
    await store.put(*range(2_000, 2_100))
    assert len(await heard(ear, START + 100)) == 100


async def test_nothing_is_heard_twice_and_others_are_left_alone(store: CountingStore, ear: Ear) -> None:
    await store.put(*range(50))
    assert await heard(ear, START) == [number for number in range(50) if number != 13]
    for seconds in (0.0, 1.0, REREAD_SECONDS, 100.0):
        assert await heard(ear, START + seconds) == []


async def test_a_commit_that_wakes_nobody_is_no_reason_to_read(store: CountingStore, ear: Ear) -> None:
    await store.put(1)
    await heard(ear, START)
    store.rows = 0
    await store.commit(Change(events=(event(),)))
    assert await heard(ear, START) == []
    assert store.rows == 0


async def test_where_hints_may_have_been_lost_all_is_read(store: CountingStore) -> None:
    deaf = Ear(store, lambda ref: True)
    await heard(deaf, START)
    await store.put(7)
    assert not deaf.prick(frozenset({"acme"}))
    assert await heard(deaf, START) == []
    assert deaf.prick(frozenset({ANYTHING}))
    assert await heard(deaf, START) == [7]


async def test_at_a_hint_only_the_latest_are_read_again(store: CountingStore, ear: Ear) -> None:
    await store.put(*range(1_000, 1_950))
    await heard(ear, START)
    store.rows = 0
    await store.put(9_999)
    await heard(ear, START + 0.1)
    assert store.rows <= 10


async def test_a_commit_that_was_overtaken_is_heard_at_the_next_hint(store: CountingStore, ear: Ear) -> None:
    await store.put(*range(1_000, 1_050))
    await store.put(1_060)
    await heard(ear, START)
    await store.put(1_055)
    assert await heard(ear, START) == [1_055]


async def test_a_commit_that_was_overtaken_long_ago_is_heard_when_all_are_read_again(
    store: CountingStore, ear: Ear
) -> None:
    await store.put(*range(1_000, 1_090))
    await heard(ear, START)
    await store.put(1)
    assert await heard(ear, START + REREAD_SECONDS - 0.1) == []
    assert await heard(ear, START + REREAD_SECONDS) == [1]


async def test_a_long_list_is_read_again_less_often(store: CountingStore, ear: Ear) -> None:
    await store.put(*range(1_000, 1_950))
    await heard(ear, START)
    store.rows = 0
    for tenth in range(10 * int(REREAD_SECONDS) * 20):
        await heard(ear, START + tenth / 10)
    # Twenty times two seconds: a page in each, besides the few that are read again at every hint.
    assert store.rows <= 20 * 100 + 10 * 20 * REREAD_SECONDS * 10


async def test_what_was_heard_and_is_gone_is_forgotten(store: CountingStore, ear: Ear) -> None:
    await store.put(5)
    await heard(ear, START)
    await store.commit(Change(writes=(Drop(Wake, "000005"),)))
    await heard(ear, START + REREAD_SECONDS)
    await store.put(5)
    assert await heard(ear, START + REREAD_SECONDS) == [5]
