"""A cycle in which nothing changes: real passes, counted at the simulated cloud and in the database."""

import asyncio
import math
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from bench.command import say
from bench.measure import Figure, Goal
from bench.tests_path import reachable
from setpoint.engine.limits import Limits
from setpoint.sim.hetzner.values.rrset import Record, RRSet

PAGE: Final = 50
LOOKS: Final = 5  # Passes over everything that are counted.
WRITTEN: Final = 0.2  # Seconds after which what a pass leaves to be written is written.
NEVER: Final = 3600.0  # Nobody looks by itself: a pass is a pass that was asked for.

ZONE: Final = "/zones/{id_or_name}"
RRSETS: Final = f"{ZONE}/rrsets"


@dataclass(frozen=True, slots=True)
class Cycle:
    """What was asked of the cloud and of the database in so many passes over each zone."""

    zones: int
    records: int
    requests: dict[str, int]
    writing_looks: int
    """After how many of the passes there was a new commit; how many at once cannot be told from outside."""

    @property
    def pages(self) -> int:
        """Of one listing: two records are the provider's own."""
        return math.ceil((self.records + 2) / PAGE)

    @property
    def passes(self) -> int:
        return LOOKS * self.zones

    def calls(self, *names: str) -> int:
        return sum(self.requests.get(name, 0) for name in names)

    @property
    def listing(self) -> int:
        return sum(count for name, count in self.requests.items() if is_listing(name))

    @property
    def writing(self) -> int:
        return sum(count for name, count in self.requests.items() if not name.startswith("GET "))

    @property
    def looking(self) -> int:
        """At one record, by its name."""
        return sum(
            count for name, count in self.requests.items() if name.startswith("GET ") and "/rrsets/" in name
        )

    @property
    def others(self) -> int:
        return sum(self.requests.values()) - self.listing - self.writing - self.looking


def is_listing(name: str) -> bool:
    return name.startswith("GET ") and name.endswith("/rrsets")


def figures(cycle: Cycle) -> tuple[Figure, ...]:
    """P20. The look at the zone itself is one call for all of its records."""
    named = f"P20 no change, {cycle.zones} zones of {cycle.records:,}"
    return (
        Figure(
            f"{named}, list calls",
            cycle.listing / cycle.passes,
            "a pass",
            Goal("<=", 1),
            beside=float(cycle.pages),
            doubt="" if cycle.listing else "nobody looked",
        ),
        Figure(f"{named}, calls for one record", cycle.looking, "calls", Goal("<=", 0)),
        Figure(f"{named}, writes at the provider", cycle.writing, "calls", Goal("<=", 0)),
        Figure(f"{named}, passes with a commit", cycle.writing_looks, "passes", Goal("<=", 0)),
        Figure(f"{named}, other calls", cycle.others / cycle.passes, "a pass"),
    )


async def counted(zones: int, records: int) -> Cycle:
    """Zones that stand as declared, looked at again and again."""
    reachable()
    import declarations  # noqa: PLC0415 - what tests are made of is not everywhere
    import harness  # noqa: PLC0415

    quiet = {"dns_zone": NEVER, "provider": NEVER}
    with tempfile.TemporaryDirectory(prefix="setpoint-bench-") as folder:
        async with harness.world(Path(folder), intervals=quiet) as world:
            names = [f"z{number}-example" for number in range(zones)]
            await world.plane.declare([*world.setting(), *map(declarations.zone, names)])
            await world.all_ready("dns_zones", zones)
            for name in names:
                await _furnish(world, name, records)
                await world.plane.declare(declarations.records(range(records), zone=name))
            await world.all_ready("dns_zones", zones, within=60 + zones * records / 50)
            say(f"{zones} zones of {records:,} records stand as declared; counting {LOOKS} looks at each")
            await _proven(world, names)
            with closing(sqlite3.connect(Path(folder) / "setpoint.db")) as database:
                before = world.sim.requests
                writing = await _counted(world, names, database)
                requests = {name: count - before.get(name, 0) for name, count in world.sim.requests.items()}
                return Cycle(zones, records, requests, writing)


async def _furnish(world: Any, name: str, records: int) -> None:
    """All records, as if the zone's loop had made them long ago: they carry its mark."""
    cloud = world.sim._cloud
    made = next(zone for zone in cloud.zones if zone.name == name.replace("-", "."))
    for number in range(records):
        cloud.rrsets.put(
            RRSet(
                zone=made.id,
                name=f"r{number}",
                type="A",
                created=0.0,
                ttl=300,
                records=(Record("192.0.2.1"),),
                labels=made.labels,
            )
        )


async def _proven(world: Any, names: list[str]) -> None:
    """Until no zone is on probation any more: a look that counts for that is written down."""
    for _ in range(Limits().probation_looks):
        for name in names:
            await world.looked("dns_zone", name)
        await asyncio.sleep(Limits().probation_gap + 0.1)
    for name in names:
        await world.looked("dns_zone", name)
    await asyncio.sleep(WRITTEN)


async def _counted(world: Any, names: list[str], database: sqlite3.Connection) -> int:
    """How many looks were followed by a commit."""
    versions = [_version(database)]
    for name in names:
        for _ in range(LOOKS):
            await world.looked("dns_zone", name)
            versions.append(_version(database))
    await asyncio.sleep(WRITTEN)
    versions.append(_version(database))
    return sum(one != other for one, other in pairwise(versions))


def _version(database: sqlite3.Connection) -> int:
    """Another number once somebody else has committed."""
    return int(database.execute("PRAGMA data_version").fetchone()[0])
