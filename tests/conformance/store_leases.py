"""What every store promises of a lease: one owner per shard, a new epoch with every new owner."""

import asyncio
from typing import Any

import pytest

from conformance.store_rows import wake
from setpoint.engine.errors import Conflict
from setpoint.engine.rows import Shard, Wake
from setpoint.engine.store import REPLICAS_OF, SHARDS_OF, Change, Expect, Lease, Leased, Put, Store
from setpoint.engine.tenure import SHARDS, shard_key

HOUR = 3600.0
OVER = -1.0  # A lease of so many seconds has run out before it began.


def asked(owner: str, more: int = 0, seconds: float = HOUR, **other: Any) -> Lease:
    return Lease(service="scheduler", owner=owner, seconds=seconds, more=more, **other)


async def owners(store: Store) -> set[str]:
    return {shard.owner for shard in await store.read(SHARDS_OF, service="scheduler")}


def epochs(got: Leased) -> dict[str, int]:
    return {shard.key: shard.epoch for shard in got.mine}


def all_newer(later: Leased, earlier: Leased) -> bool:
    """Whether every shard has a higher epoch than it had."""
    return all(epoch > epochs(earlier)[key] for key, epoch in epochs(later).items())


async def test_at_first_nobody_owns_any_of_the_shards(store: Store) -> None:
    for service in ("scheduler", "worker"):
        shards = await store.read(SHARDS_OF, service=service)
        assert len({shard.key for shard in shards}) == SHARDS
        assert {(shard.owner, shard.epoch) for shard in shards} == {("", 0)}
        assert await store.read(REPLICAS_OF, service=service) == []


async def test_a_replica_gets_as_many_as_it_asks_for(store: Store) -> None:
    got = await store.lease(asked("a", more=100))
    assert (len(got.mine), got.replicas) == (100, 1)
    assert {(shard.owner, shard.epoch > 0) for shard in got.mine} == {("a", True)}
    assert await store.get(Shard, got.mine[0].key) == got.mine[0]


async def test_nobody_gets_what_another_holds(store: Store) -> None:
    first = await store.lease(asked("a", more=200))
    second = await store.lease(asked("b", more=SHARDS))
    assert (len(second.mine), second.replicas) == (SHARDS - 200, 2)
    assert not {s.key for s in first.mine} & {s.key for s in second.mine}


async def test_keeping_a_shard_keeps_its_epoch(store: Store) -> None:
    first = await store.lease(asked("a", more=10))
    again = await store.lease(asked("a"))
    assert epochs(again) == epochs(first)
    assert all(later.until >= shard.until for later, shard in zip(again.mine, first.mine, strict=True))


async def test_a_lease_that_has_run_out_goes_to_the_next_under_a_new_epoch(store: Store) -> None:
    lost = await store.lease(asked("a", more=SHARDS, seconds=OVER))
    taken = await store.lease(asked("b", more=SHARDS))
    assert (len(taken.mine), taken.replicas) == (SHARDS, 1)
    assert await owners(store) == {"b"}
    assert all_newer(taken, lost)
    assert (await store.lease(asked("a"))).mine == ()


async def test_an_owner_that_comes_back_before_anybody_took_over_goes_on(store: Store) -> None:
    first = await store.lease(asked("a", more=SHARDS, seconds=OVER))
    assert epochs(await store.lease(asked("a"))) == epochs(first)
    assert (await store.lease(asked("b", more=SHARDS))).mine == ()
    assert await owners(store) == {"a"}


async def test_what_is_given_back_is_free_at_once(store: Store) -> None:
    held = await store.lease(asked("a", more=SHARDS))
    back = tuple(shard.key for shard in held.mine[:56])
    kept = await store.lease(asked("a", back=back))
    assert {shard.key for shard in kept.mine} == {shard.key for shard in held.mine} - set(back)
    taken = await store.lease(asked("b", more=SHARDS))
    assert sorted(epochs(taken)) == sorted(back)
    assert all_newer(taken, held)


async def test_an_epoch_whose_commit_was_lost_is_not_given_out_again(store: Store) -> None:
    # As a failover leaves it that took away the commit by which the shard was taken.
    held = await store.lease(asked("a", more=1))
    before = Shard(key=held.mine[0].key, service="scheduler", owner="", epoch=0, until=0.0)
    await store.commit(Change(writes=(Put(before),)))
    await asyncio.sleep(0.002)
    again = await store.lease(asked("b", more=SHARDS))
    assert epochs(again)[before.key] > held.mine[0].epoch


async def test_nobody_gives_back_what_is_not_theirs(store: Store) -> None:
    held = await store.lease(asked("a", more=SHARDS))
    await store.lease(asked("b", back=tuple(shard.key for shard in held.mine)))
    assert await owners(store) == {"a"}
    assert epochs(await store.lease(asked("a"))) == epochs(held)


async def test_whoever_is_alone_takes_everything_whatever_a_lease_says(store: Store) -> None:
    held = await store.lease(asked("a", more=SHARDS))
    taken = await store.lease(asked("b", more=SHARDS, alone=True))
    assert len(taken.mine) == SHARDS
    assert all_newer(taken, held)


async def test_the_services_have_shards_of_their_own(store: Store) -> None:
    await store.lease(asked("a", more=SHARDS))
    worker = await store.lease(Lease(service="worker", owner="a", seconds=HOUR, more=SHARDS))
    assert {shard.service for shard in worker.mine} == {"worker"}
    assert (len(worker.mine), worker.replicas) == (SHARDS, 1)


@pytest.mark.parametrize("lost", [True, False])
async def test_a_commit_under_a_lost_epoch_is_refused_whole(store: Store, lost: bool) -> None:
    key = shard_key("scheduler", "zone/1")
    before = await store.lease(asked("a", more=SHARDS, seconds=OVER))
    after = await store.lease(asked("b", more=SHARDS))
    epoch = epochs(before if lost else after)[key]
    change = Change(expects=(Expect(Shard, key, "epoch", epoch),), writes=(Put(wake("w1")),))
    if lost:
        with pytest.raises(Conflict, match="epoch"):
            await store.commit(change)
        assert await store.get(Wake, "w1") is None
    else:
        await store.commit(change)
        assert await store.get(Wake, "w1") is not None


async def test_many_who_ask_at_once_share_without_overlap(store: Store) -> None:
    replies = await asyncio.gather(
        *(store.lease(asked(f"replica-{n}", more=50)) for n in range(6)), return_exceptions=True
    )
    got = [shard.key for reply in replies if not isinstance(reply, BaseException) for shard in reply.mine]
    assert len(got) == len(set(got))
    assert all(isinstance(reply, Conflict) for reply in replies if isinstance(reply, BaseException))
    assert got
