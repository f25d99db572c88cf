"""Who gets which shard: the rule, and a lease as one commit for stores with a single writer."""

from collections.abc import Iterable
from itertools import islice
from typing import Final

from msgspec.structs import replace

from setpoint.engine.rows import Replica, Service, Shard
from setpoint.engine.store import REPLICAS_OF, SHARDS_OF, Change, Drop, Expect, Lease, Leased, Put, Store
from setpoint.engine.tenure import SHARDS, numbered

SERVICES: Final[tuple[Service, ...]] = ("scheduler", "worker")


def first_shards() -> tuple[Shard, ...]:
    """All there are, before anybody owned one."""
    return tuple(
        Shard(key=numbered(service, number), service=service)
        for service in SERVICES
        for number in range(SHARDS)
    )


def changed(shards: Iterable[Shard], asked: Lease, now: float) -> tuple[Shard, ...]:
    """What this lease makes of a service's shards: given back, kept, or taken under a new epoch."""
    known, until = tuple(shards), now + asked.seconds
    mine = [shard for shard in known if shard.owner == asked.owner]
    # Under a new epoch: what whoever gives it back still has in hand no longer begins.
    back = [replace(s, owner="", epoch=next_epoch(s, now), until=0.0) for s in mine if s.key in asked.back]
    kept = [replace(s, until=until) for s in mine if s.key not in asked.back]
    open_now = (s for s in known if s.owner != asked.owner and (asked.alone or s.until <= now))
    taken = (replace(s, owner=asked.owner, epoch=next_epoch(s, now), until=until) for s in open_now)
    return (*back, *kept, *islice(taken, asked.more))


def next_epoch(shard: Shard, now: float) -> int:
    """Milliseconds, and never one twice: a database that lost its last commits would count the same again."""
    return max(shard.epoch + 1, int(now * 1000))


async def leased(store: Store, asked: Lease, now: float) -> Leased:
    """Read, decide, commit; Conflict where somebody else was faster."""
    shards = {shard.key: shard for shard in await store.read(SHARDS_OF, service=asked.service)}
    others = await store.read(REPLICAS_OF, service=asked.service)
    me = Replica(key=f"{asked.service}/{asked.owner}", service=asked.service, until=now + asked.seconds)
    # One that cannot be read is made anew: its epoch is the time, and nobody else can be here.
    lost = {shard.key: shard for shard in first_shards() if asked.alone and shard.key not in shards}
    mended = {key: shard for key, shard in lost.items() if shard.service == asked.service}
    moved = changed((*shards.values(), *mended.values()), asked, now)
    expects = tuple(
        Expect(Shard, shard.key, "epoch", shards[shard.key].epoch) for shard in moved if shard.key in shards
    )
    gone = tuple(Drop(Replica, each.key) for each in others if each.until <= now and each.key != me.key)
    await store.commit(Change(expects, (*map(Put, moved), Put(me), *gone)))
    alive = {each.key for each in others if each.until > now} | {me.key}
    shards |= {shard.key: shard for shard in moved}
    return Leased(tuple(s for s in shards.values() if s.owner == asked.owner), len(alive), now)
