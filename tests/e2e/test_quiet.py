"""A quiet minute over many entities: everything is looked at, and nothing is written but leases."""

import os
import sqlite3
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import asyncpg  # type: ignore[import-untyped]
import pytest

import postgres
from declarations import records, setting, zone
from fleet import Member
from harness import Plane, client, is_ready, simulator, until
from processes import Process, free_port, start_up
from setpoint.client.resource import seconds_of
from setpoint.drive.observations import ASKED
from setpoint.engine.ledger import Ledger
from setpoint.engine.limits import Limits
from setpoint.providers.hetzner.listing import PAGE_SIZE
from setpoint.sim.hetzner import HetznerSim
from setpoint.sim.hetzner.values.rrset import Record, RRSet
from setpoint.storage.form import decoded

MANY = int(os.environ.get("SETPOINT_QUIET", "1000"))
SECONDS = 30.0 if MANY >= 100_000 else 1.0
"""Between two looks at one zone."""
LOOKS = 3
IN_A_ZONE = 500
EVERY = ",".join(f"{kind}={SECONDS:g}" for kind in ("organization", "project", "provider", "dns_zone"))
WITHIN = 120 + MANY / 100
USUAL = {"SETPOINT_INTERVALS": EVERY, "SETPOINT_INVENTORY_SECONDS": "5"}
LEASES = {"shard", "replica"}
TABLES = "SELECT relname FROM pg_stat_user_tables ORDER BY relname"
NEWEST = 'SELECT coalesce(max(xmin::text::bigint), 0), count(*) FROM "{}"'


@dataclass(frozen=True)
class Used:
    """What processes have used so far."""

    cpu: float
    resident: int

    @classmethod
    def by(cls, *processes: Process) -> "Used":
        ticks, resident = 0, 0
        for each in processes:
            folder = Path(f"/proc/{each.process.pid}")
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
            resident += int((folder / "statm").read_text().split()[1])
        return cls(ticks / os.sysconf("SC_CLK_TCK"), resident * os.sysconf("SC_PAGE_SIZE") >> 20)


NAMES = [f"z{number}-example" for number in range(MANY // IN_A_ZONE)]


def furnish(sim: HetznerSim) -> None:
    """All records in each zone, as if its loop had made them long ago: they carry the zone's own mark."""
    cloud = sim._cloud
    for number, name in enumerate(NAMES):
        made = next(zone for zone in cloud.zones if zone.name == name.replace("-", "."))
        for each in range(IN_A_ZONE):
            address = (Record("192.0.2.1"),)
            rrset = RRSet(zone=made.id, name=f"r{number * IN_A_ZONE + each}", type="A", created=0.0, ttl=300)
            fields = _fields(rrset) | {"records": address, "labels": made.labels}
            cloud.rrsets.put(RRSet(**fields))


def _fields(rrset: RRSet) -> dict[str, Any]:
    return {field: getattr(rrset, field) for field in rrset.__struct_fields__}


async def declared(plane: Plane, sim: HetznerSim, sim_url: str) -> None:
    await plane.declare([*setting(f"{sim_url}/v1"), *(zone(name) for name in NAMES)])
    await every_zone_is_ready(plane)
    furnish(sim)
    for number, name in enumerate(NAMES):
        await plane.declare(records(range(number * IN_A_ZONE, (number + 1) * IN_A_ZONE), zone=name))
    await every_zone_is_ready(plane)


async def every_zone_is_ready(plane: Plane) -> None:
    async def settled() -> bool:
        return all(map(is_ready, await plane.every("dns_zones")))

    await until(settled, "every zone is READY", plane.story, within=WITHIN)


async def observed(plane: Plane, begun: float) -> None:
    """Every zone and record shows a look of this quiet time, though nothing was written."""

    async def shown(plural: str) -> bool:
        told = [one["status"] for one in await plane.every(plural)]
        assert not [each for each in told if each["stale"] or not each["next_observation_at"]]
        return all((seconds_of(each["observed_at"]) or 0.0) > begun for each in told)

    for plural in ("dns_zones", "dns_records"):
        # What was answered a moment ago is shown for that moment.
        await until(partial(shown, plural), f"looks of this time at {plural}", plane.story, within=WITHIN)


async def unobserved(plane: Plane) -> None:
    """Once the scheduler is dead, that is said."""

    async def told() -> bool:
        found = await plane.every("dns_zones")
        return all("no scheduler answers" in one["status"]["stale"] for one in found)

    await until(told, "the zones say that nobody looks", plane.story, within=WITHIN)


async def quiet(
    sim: HetznerSim,
    ledgers: Callable[[], Awaitable[list[bytes]]],
    written: Callable[[], Awaitable[Any]],
    *processes: Process,
) -> None:
    """Watches while everything is looked at several times, once every domain has proven its ground.

    A new domain notes its first looks, because the first delete waits for them: so many that no more are
    needed, and then no other. READY does not wait for that.
    """

    async def proven() -> bool:
        return all(decoded(Ledger, body).looks >= Limits().probation_looks for body in await ledgers())

    async def looked() -> bool:
        listings = [name for name in asked if name.startswith("GET ") and name.endswith("/rrsets")]
        assert listings, asked
        pages = sum(sim.requests[name] - asked[name] for name in listings)
        return pages >= LOOKS * MANY / PAGE_SIZE

    async def story() -> str:
        return f"{[decoded(Ledger, body) for body in await ledgers()]}"[:2000]

    asked = Counter[str]()
    await until(proven, "every domain has proven its ground", story, within=WITHIN)
    before, used, asked = await written(), Used.by(*processes), Counter(sim.requests)
    await until(looked, f"{LOOKS} looks at every zone", story, within=WITHIN)
    after, later = await written(), Used.by(*processes)
    print(  # noqa: T201 - the figures are what it is for
        f"\n{MANY} entities, {LOOKS} looks: {(Counter(sim.requests) - asked).total()} calls, "
        f"{later.cpu - used.cpu:.1f} s CPU, {later.resident} MB in all"
    )
    assert after == before


@pytest.mark.timeout(1800)
async def test_on_sqlite_a_quiet_time_writes_nothing(tmp_path: Path) -> None:
    async with simulator() as (sim, sim_url):
        process = await start_up(tmp_path, free_port(), **USUAL)
        try:
            ready = await process.ready()
            async with client(ready["url"], ready["token"]) as session:
                plane = Plane(ready["url"], tmp_path / "data", session)
                await declared(plane, sim, sim_url)
            with closing(sqlite3.connect(tmp_path / "data" / "setpoint.db")) as database:

                async def ledgers() -> list[bytes]:
                    return [body for (body,) in database.execute("SELECT body FROM ledger")]

                async def written() -> int:
                    """Changes whenever somebody else commits."""
                    return int(database.execute("PRAGMA data_version").fetchone()[0])

                begun = time.time()
                await quiet(sim, ledgers, written, process)
            async with client(ready["url"], ready["token"]) as session:
                await observed(Plane(ready["url"], tmp_path / "data", session), begun)
        finally:
            await process.kill()


@asynccontextmanager
async def services(folder: Path, url: str) -> AsyncIterator[dict[str, Member]]:
    found = {}
    for name in ("api", "worker", "scheduler"):
        (folder / name).mkdir()
        found[name] = Member(name, folder / name, url)
        await found[name].start(USUAL)
        assert found[name].process is not None
        await found[name].process.ready()
    try:
        yield found
    finally:
        for member in found.values():
            await member.kill()


async def quiet_but_for_leases(sim: HetznerSim, url: str, *processes: Process) -> None:
    database = await asyncpg.connect(url)
    try:

        async def ledgers() -> list[bytes]:
            return [body for (body,) in await database.fetch("SELECT body FROM ledger")]

        async def written() -> dict[str, tuple[int, ...]]:
            """Which transaction wrote each table's newest row, and how many rows there are."""
            tables = [name for (name,) in await database.fetch(TABLES) if name not in LEASES]
            return {name: tuple(await database.fetchrow(NEWEST.format(name))) for name in tables}

        # Nobody looks at a list any more; what was asked for the last time would be answered for a while.
        await database.execute("DELETE FROM sign WHERE ref = $1", ASKED)
        await quiet(sim, ledgers, written, *processes)
    finally:
        await database.close()


@pytest.mark.timeout(1800)
async def test_on_postgresql_a_quiet_time_writes_leases_only(tmp_path: Path) -> None:
    server = postgres.started({"max_connections": "200"})
    try:
        await (await postgres.admin_of(server)).close()
        async with simulator() as (sim, sim_url), services(tmp_path, server.url()) as members:
            processes = [member.process for member in members.values() if member.process is not None]
            ready = await processes[0].ready()
            async with client(ready["url"], ready["token"]) as session:
                await declared(Plane(ready["url"], tmp_path / "api", session), sim, sim_url)
            begun = time.time()
            await quiet_but_for_leases(sim, server.url(), *processes)
            async with client(ready["url"], ready["token"]) as session:
                plane = Plane(ready["url"], tmp_path / "api", session)
                await observed(plane, begun)
                await members["scheduler"].kill()
                await unobserved(plane)
    finally:
        server.close()
