"""How many passes and tasks a number of replicas does, with more to do than they can."""

import time
from dataclasses import dataclass
from typing import Final

from bench.command import say
from bench.measure import Figure
from bench.scaleout.replicas import replicas, workspaces

BUSY: Final = "dns_zone=0.05,provider=60,workspace=30"  # Every zone is always due.
LEASE: Final = 30.0


@dataclass(frozen=True, slots=True)
class Done:
    """By so many replicas: passes and tasks a second, and how many cores that took."""

    number: int
    passes: float
    tasks: float
    cores: float


def figures(found: list[Done]) -> list[Figure]:
    rows = []
    for each in found:
        named = f"scaleout, {each.number} of each"
        rows += [
            Figure(f"{named}, passes", each.passes, "/s", beside=found[0].passes),
            Figure(f"{named}, tasks", each.tasks, "/s", beside=found[0].tasks),
            Figure(f"{named}, cores used by passes", each.cores, "cores"),
        ]
    return rows


async def measured(number: int, seconds: float, tasks: int) -> Done:
    say(f"scaleout, {number} schedulers and {number} workers: {seconds:.0f} s of passes, then {tasks} tasks")
    async with replicas(number, LEASE, BUSY) as here:
        await here.change()
        passes, cpu, began = await here.passes(), here.cpu(), time.monotonic()
        while time.monotonic() < began + seconds:
            await here.change()
        took = time.monotonic() - began
        passes, cpu = await here.passes() - passes, here.cpu() - cpu
        await here.settled("dns_zones", "dns_records")
        began = time.monotonic()
        await here.declare(workspaces(range(tasks)))
        await here.settled("workspaces")
        return Done(number, passes / took, tasks / (time.monotonic() - began), cpu / took)
