"""One scheduler of several is killed: how soon another has its work, and whether anything stays undone."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final

from bench.command import say
from bench.measure import Figure, Goal
from bench.scaleout.replicas import Replicas, replicas

RENEWALS: Final = 6
USUAL: Final = "dns_zone=5,provider=60,workspace=60"
LOAD_SECONDS: Final = 0.3  # Under load everything is declared anew this often.


@dataclass(frozen=True, slots=True)
class Taken:
    """Seconds from the kill until another owns what was the dead one's, and acts: first, and on the last."""

    lease: float
    loaded: bool
    owned: float
    first: float
    last: float
    accounts: int
    undone: int


def figures(found: list[Taken]) -> list[Figure]:
    rows = []
    for each in found:
        how = "under load" if each.loaded else "steady"
        named = f"failover, lease {each.lease:g} s, {how}"
        missing = "" if each.accounts else "the dead one had nothing"
        allowed = each.lease * (1 + 2 / RENEWALS)
        rows += [
            Figure(f"{named}, owned by another", each.owned, "s"),
            Figure(f"{named}, first act", each.first, "s", Goal("<=", allowed), doubt=missing),
            Figure(f"{named}, last of {each.accounts} accounts", each.last, "s"),
            Figure(f"{named}, not as declared", each.undone, "left", Goal("<=", 0)),
        ]
    return rows


async def measured(number: int, lease: float, *, loaded: bool) -> Taken:
    say(f"failover of one of {number} schedulers, lease {lease:g} s, {'under load' if loaded else 'steady'}")
    async with replicas(number, lease, USUAL) as here:
        await asyncio.sleep(lease / 2)  # Everybody has a share of the work by now.
        async with _load(here) if loaded else contextlib.nullcontext():
            before = await here.epochs()
            killed = time.time()
            await here.of("scheduler")[0].kill()
            await here.change()
            owned, firsts = await asyncio.gather(
                _owned(here, before, killed, lease), _firsts(here, before, killed, lease)
            )
        with contextlib.suppress(TimeoutError):
            await here.settled("dns_zones", "dns_records")
        undone = await here.unready("dns_zones") + await here.unready("dns_records")
        first, last = min(firsts, default=0.0), max(firsts, default=0.0)
        return Taken(lease, loaded, owned, first, last, len(firsts), undone)


async def _owned(here: Replicas, before: dict[str, int], killed: float, lease: float) -> float:
    """Seconds until a shard of the dead one has another owner."""
    while time.time() < killed + 3 * lease:
        if any(epoch > before.get(key, 0) for key, epoch in (await here.epochs()).items()):
            break
        await asyncio.sleep(0.1)
    return time.time() - killed


async def _firsts(here: Replicas, before: dict[str, int], killed: float, lease: float) -> list[float]:
    """For each domain of the dead one the seconds to its first act, all of them or as many as came."""
    deadline, found = time.monotonic() + 3 * lease + 20, dict[str, float]()
    steady_since = time.monotonic()
    while time.monotonic() < deadline:
        known = len(found)
        for act in await here.fleet.acts():
            if act.began_at > killed and act.epoch > before.get(act.shard, 0):
                found.setdefault(act.domain, act.began_at - killed)
        steady_since = time.monotonic() if len(found) > known else steady_since
        if found and time.monotonic() - steady_since > lease / 2:
            break
        await asyncio.sleep(0.2)
    return list(found.values())


@contextlib.asynccontextmanager
async def _load(here: Replicas) -> AsyncIterator[None]:
    async def changing() -> None:
        while True:
            await here.change()
            await asyncio.sleep(LOAD_SECONDS)

    task = asyncio.create_task(changing())
    try:
        await asyncio.sleep(2.0)
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
