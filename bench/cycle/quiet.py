"""A cycle in which nothing changes: real passes, counted at the simulated cloud and in the database."""

import asyncio
import math
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bench.command import say
from bench.measure import Figure, Goal
from bench.tests_path import reachable

PAGE: Final = 50
LOOKS: Final = 5  # Passes over everything that are counted.
SETTLED: Final = 3  # And before them, until each has proved its ground.
NEVER: Final = 3600.0  # Nobody looks by itself: a pass is a pass that was asked for.

ZONE: Final = "/zones/{id_or_name}"
RRSETS: Final = f"{ZONE}/rrsets"


@dataclass(frozen=True, slots=True)
class Cycle:
    """What was asked of the cloud and of the database in so many passes over each zone."""

    zones: int
    records: int
    requests: dict[str, int]
    commits: int

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
        Figure(f"{named}, commits to the store", cycle.commits, "commits", Goal("<=", 0)),
        Figure(f"{named}, other calls", cycle.others / cycle.passes, "a pass"),
    )


async def counted(zones: int, records: int) -> Cycle:
    """Zones found at the cloud and taken over, then looked at again and again."""
    reachable()
    import declarations  # noqa: PLC0415 - what tests are made of is not everywhere
    import harness  # noqa: PLC0415

    quiet = {"dns_zone": NEVER, "provider": NEVER}
    with tempfile.TemporaryDirectory(prefix="setpoint-bench-") as folder:
        async with harness.world(Path(folder), intervals=quiet) as world:
            names = [f"z{number}-example" for number in range(zones)]
            items = world.setting()
            for name in names:
                await _found(world, name, records)
                items.append(declarations.zone(name, adopt=True))
            await world.plane.declare(items)
            for name in names:
                await world.plane.declare(declarations.records(range(records), zone=name))
            await world.all_ready("dns_zones", zones, within=60 + zones * records / 50)
            say(f"{zones} zones of {records:,} records stand as declared; counting {LOOKS} looks at each")
            await _looked(world, names, SETTLED)
            with closing(sqlite3.connect(Path(folder) / "setpoint.db")) as database:
                before, version = world.sim.requests, _version(database)
                await _looked(world, names, LOOKS)
                requests = {name: count - before.get(name, 0) for name, count in world.sim.requests.items()}
                return Cycle(zones, records, requests, _version(database) - version)


async def _found(world: Any, name: str, records: int) -> None:
    values = [{"value": "192.0.2.1"}]
    rrsets = [{"name": f"r{n}", "type": "A", "ttl": 300, "records": values} for n in range(records)]
    body = {"name": name.replace("-", "."), "mode": "primary", "rrsets": rrsets}
    await world.sim_call("POST", "/v1/zones", body)


async def _looked(world: Any, names: list[str], times: int) -> None:
    for name in names:
        await world.looked("dns_zone", name, times)
    await asyncio.sleep(0.2)  # What a pass leaves to be written would be written by now.


def _version(database: sqlite3.Connection) -> int:
    """Changes whenever somebody else commits."""
    return int(database.execute("PRAGMA data_version").fetchone()[0])
