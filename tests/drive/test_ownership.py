"""Who owns which shard: shared fairly, taken over when somebody dies, never owned by two."""

from collections.abc import Iterable

import pytest

from setpoint.drive.ownership import LEASE_SECONDS, RENEWALS, Ownership
from setpoint.engine.errors import Conflict, Transient
from setpoint.engine.rows import Shard
from setpoint.engine.store import SHARDS_OF, Change, Lease, Leased
from setpoint.engine.tenure import SHARDS, numbered, shard_key
from setpoint.storage.memory import MemoryStore

RENEW_SECONDS = LEASE_SECONDS / RENEWALS
HOMES = [f"zone/{number}" for number in range(2000)]


class Clock:
    """One time for everybody, unless somebody's own clock runs apart."""

    def __init__(self) -> None:
        self.time = 1000.0

    def now(self) -> float:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(clock: Clock) -> MemoryStore:
    return MemoryStore(clock.now)


def replica(store: MemoryStore, clock: Clock, name: str) -> Ownership:
    return Ownership(store, "scheduler", name, clock.now)


async def rounds(clock: Clock, replicas: Iterable[Ownership], count: int = 4) -> None:
    for _ in range(count):
        for each in replicas:
            await each.keep()
        clock.time += RENEW_SECONDS


def shares(replicas: Iterable[Ownership]) -> list[int]:
    held = [{home for home in HOMES if each.holds(home)} for each in replicas]
    assert sum(map(len, held)) == len(set().union(*held)), "two own the same"
    return [len({shard_key("scheduler", home) for home in homes}) for homes in held]


async def test_one_replica_owns_everything(store: MemoryStore, clock: Clock) -> None:
    one = replica(store, clock, "a")
    assert await one.keep()
    assert shares([one]) == [SHARDS]


async def test_three_replicas_share_fairly_whoever_was_first(store: MemoryStore, clock: Clock) -> None:
    replicas = [replica(store, clock, name) for name in "abc"]
    await rounds(clock, replicas[:1])
    await rounds(clock, replicas)
    found = shares(replicas)
    assert (sum(found), max(found)) == (SHARDS, 86)


async def test_what_is_handed_over_rests_before_it_changes_hands(store: MemoryStore, clock: Clock) -> None:
    first, second = replica(store, clock, "a"), replica(store, clock, "b")
    await first.keep()
    await second.keep()
    clock.time += RENEW_SECONDS
    await first.keep()
    assert shares([first, second]) == [SHARDS // 2, 0]
    leaving = next(home for home in HOMES if not first.holds(home))
    # Nothing of it begins any more; what is under way may still be finished.
    assert first.fence(leaving).key == shard_key("scheduler", leaving)
    clock.time += RENEW_SECONDS
    await first.keep()
    assert await second.keep()
    assert shares([first, second]) == [SHARDS // 2, SHARDS // 2]
    with pytest.raises(Conflict, match="belongs to another scheduler now"):
        first.fence(leaving)


async def test_the_work_of_a_dead_replica_is_taken_over_under_a_new_epoch(
    store: MemoryStore, clock: Clock
) -> None:
    dead, alive = replica(store, clock, "a"), replica(store, clock, "b")
    await rounds(clock, [dead, alive])
    fences = [dead.fence(home) for home in HOMES if dead.holds(home)]
    clock.time += LEASE_SECONDS - RENEW_SECONDS - 1.0
    assert not await alive.keep()
    clock.time += RENEW_SECONDS
    assert await alive.keep()
    assert shares([alive]) == [SHARDS]
    for fence in fences[:3]:
        with pytest.raises(Conflict, match="epoch"):
            await store.commit(Change(expects=(fence,)))


async def test_a_replica_that_slept_past_its_lease_knows_it_before_it_asks(
    store: MemoryStore, clock: Clock
) -> None:
    one = replica(store, clock, "a")
    await one.keep()
    clock.time += LEASE_SECONDS
    assert shares([one]) == [0]
    with pytest.raises(Conflict, match="is ours for 0 s more"):
        one.fence(HOMES[0])


async def test_a_call_that_could_outlast_the_lease_does_not_begin(store: MemoryStore, clock: Clock) -> None:
    one = replica(store, clock, "a")
    await one.keep()
    assert one.fence(HOMES[0], seconds=LEASE_SECONDS - 0.1)
    clock.time += 20.0
    with pytest.raises(Conflict, match="is ours for 10 s more, and this needs 15"):
        one.fence(HOMES[0], seconds=15.0)
    assert one.fence(HOMES[0])


async def test_the_lease_is_counted_from_before_it_was_asked_for(store: MemoryStore, clock: Clock) -> None:
    class Slow(MemoryStore):
        async def lease(self, asked: Lease) -> Leased:
            got = await super().lease(asked)
            clock.time += 20.0
            return got

    one = replica(Slow(clock.now), clock, "a")
    await one.keep()  # Two round trips of twenty seconds each: the lease is over when the answer comes.
    with pytest.raises(Conflict, match="is ours for 0 s more"):
        one.fence(HOMES[0])


async def test_whoever_stops_leaves_everything_to_the_others_at_once(
    store: MemoryStore, clock: Clock
) -> None:
    first, second = replica(store, clock, "a"), replica(store, clock, "b")
    await rounds(clock, [first, second])
    await first.give_back()
    await second.keep()
    assert shares([first, second]) == [0, SHARDS]


async def test_a_store_that_is_away_costs_nothing_until_the_lease_is_over(
    store: MemoryStore, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = replica(store, clock, "a")
    await one.keep()
    clock.time += RENEW_SECONDS

    async def away(asked: Lease) -> Leased:
        raise Transient("the store does not answer")

    monkeypatch.setattr(store, "lease", away)
    with pytest.raises(Transient):
        await one.keep()
    assert shares([one]) == [SHARDS]
    clock.time += LEASE_SECONDS
    assert shares([one]) == [0]


async def test_renewing_is_not_news_and_not_too_often(store: MemoryStore, clock: Clock) -> None:
    one = replica(store, clock, "a")
    assert await one.keep()
    before = await store.read(SHARDS_OF, service="scheduler")
    assert not await one.keep()
    assert await store.read(SHARDS_OF, service="scheduler") == before
    clock.time += RENEW_SECONDS
    assert not await one.keep()
    after = await store.read(SHARDS_OF, service="scheduler")
    assert {s.until - b.until for s, b in zip(after, before, strict=True)} == {RENEW_SECONDS}


async def test_alone_in_a_store_everything_is_ours_at_once_and_for_ever(
    store: MemoryStore, clock: Clock
) -> None:
    before = replica(store, clock, "killed a moment ago")
    await before.keep()
    one = Ownership(store, "scheduler", "b", clock.now, alone=True)
    assert await one.keep()
    assert shares([one]) == [SHARDS]
    clock.time += 10 * 365 * 86400.0
    assert not await one.keep()
    assert shares([one]) == [SHARDS]
    with pytest.raises(Conflict, match="epoch"):
        await store.commit(Change(expects=(before.fence(HOMES[0], -(10**9)),)))


@pytest.mark.parametrize(("off", "begins"), [(4.0, True), (-4.0, True), (3600.0, False), (-3600.0, False)])
async def test_nothing_begins_where_our_clock_is_not_the_databases(
    store: MemoryStore, clock: Clock, off: float, begins: bool
) -> None:
    one = Ownership(store, "scheduler", "a", clock.now, now=lambda: clock.now() + off)
    await one.keep()
    if begins:
        assert one.fence(HOMES[0])
        return
    with pytest.raises(Conflict, match=rf"our clock is \{off:+.0f} s from the database's"):
        one.fence(HOMES[0])


async def test_an_answer_that_took_long_says_nothing_against_our_clock(clock: Clock) -> None:
    class Slow(MemoryStore):
        async def lease(self, asked: Lease) -> Leased:
            got = await super().lease(asked)
            clock.time += 9.0
            return got

    one = Ownership(Slow(clock.now), "scheduler", "a", clock.now, now=clock.now)
    await one.keep()
    assert one.fence(HOMES[0])


def test_what_shares_an_account_shares_a_shard_and_the_rest_is_spread() -> None:
    keys = {shard_key("worker", home) for home in HOMES}
    assert keys == {numbered("worker", number) for number in range(SHARDS)}
    assert Shard(key="worker/001", service="worker").key in keys
