"""A quiet minute over many entities: everything is looked at, and nothing is written but leases."""

import asyncio
import os
import sqlite3
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg  # type: ignore[import-untyped]
import pytest

import postgres
from declarations import records, setting, zone
from fleet import Member
from harness import Plane, client, is_ready, simulator, until
from processes import Process, free_port, start_up
from setpoint.sim.hetzner import HetznerSim
from setpoint.sim.hetzner.values.rrset import Record, RRSet
from setpoint.sim.hetzner.values.zone import Zone, born_with

MANY = int(os.environ.get("SETPOINT_QUIET", "1000"))
SECONDS = 60.0 if MANY >= 100_000 else 6.0
IN_A_ZONE = 500
EVERY = f"dns_zone={min(60.0, SECONDS / 2):g},provider={min(60.0, SECONDS / 2):g}"
USUAL = {"SETPOINT_INTERVALS": EVERY, "SETPOINT_INVENTORY_SECONDS": "5"}
LEASES = {"shard", "replica"}
WRITES = "SELECT relname, n_tup_ins + n_tup_upd + n_tup_del FROM pg_stat_user_tables"


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


def furnished(sim: HetznerSim) -> list[str]:
    """Zones with all their records, as somebody made them long ago."""
    names = [f"z{number}-example" for number in range(MANY // IN_A_ZONE)]
    cloud = sim._cloud
    for number, name in enumerate(names):
        made = cloud.zones.put(Zone(id=cloud.new_id(), name=name.replace("-", "."), created=time.time()))
        for rrset in born_with(made):
            cloud.rrsets.put(rrset)
        for each in range(IN_A_ZONE):
            address = (Record("192.0.2.1"),)
            rrset = RRSet(zone=made.id, name=f"r{number * IN_A_ZONE + each}", type="A", created=0.0, ttl=300)
            cloud.rrsets.put(RRSet(**{**_fields(rrset), "records": address}))
    return names


def _fields(rrset: RRSet) -> dict[str, Any]:
    return {field: getattr(rrset, field) for field in rrset.__struct_fields__}


async def declared(plane: Plane, sim_url: str, names: list[str]) -> None:
    await plane.declare([*setting(f"{sim_url}/v1"), *(zone(name, adopt=True) for name in names)])
    for number, name in enumerate(names):
        await plane.declare(records(range(number * IN_A_ZONE, (number + 1) * IN_A_ZONE), zone=name))

    async def settled() -> bool:
        return all(map(is_ready, await plane.every("dns_zones")))

    await until(settled, "every zone is READY", plane.story, within=60 + MANY / 100)


async def quiet(sim: HetznerSim, written: Callable[[], Awaitable[Any]], *processes: Process) -> None:
    """Watches for a while, once the looks are over that prove the ground after a start."""
    before = None
    for _ in range(10):
        earlier, before = before, await written()
        if before == earlier:
            break
        await asyncio.sleep(SECONDS)
    used, asked = Used.by(*processes), sum(sim.requests.values())
    await asyncio.sleep(SECONDS)
    after, later = await written(), Used.by(*processes)
    looks = sum(sim.requests.values()) - asked
    cpu = later.cpu - used.cpu
    print(  # noqa: T201 - the figures are what it is for
        f"\n{MANY} entities, {SECONDS:.0f} s: {looks} calls, {cpu:.1f} s CPU, {later.resident} MB in all"
    )
    assert looks >= MANY // IN_A_ZONE, "nobody looked"
    assert after == before


@pytest.mark.timeout(1800)
async def test_on_sqlite_a_quiet_time_writes_nothing(tmp_path: Path) -> None:
    async with simulator() as (sim, sim_url):
        process = await start_up(tmp_path, free_port(), **USUAL)
        try:
            ready = await process.ready()
            async with client(ready["url"], ready["token"]) as session:
                plane = Plane(ready["url"], tmp_path / "data", session)
                await declared(plane, sim_url, furnished(sim))
            with closing(sqlite3.connect(tmp_path / "data" / "setpoint.db")) as database:

                async def written() -> int:
                    """Changes whenever somebody else commits."""
                    return int(database.execute("PRAGMA data_version").fetchone()[0])

                await quiet(sim, written, process)
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


@pytest.mark.timeout(1800)
async def test_on_postgresql_a_quiet_time_writes_leases_only(tmp_path: Path) -> None:
    server = postgres.started({"max_connections": "200"})
    try:
        await (await postgres.admin_of(server)).close()
        async with simulator() as (sim, sim_url), services(tmp_path, server.url()) as members:
            processes = [member.process for member in members.values() if member.process is not None]
            ready = await processes[0].ready()
            async with client(ready["url"], ready["token"]) as session:
                await declared(Plane(ready["url"], tmp_path / "api", session), sim_url, furnished(sim))
            database = await asyncpg.connect(server.url())
            try:

                async def written() -> dict[str, int]:
                    """Rows ever written, by table; the counters are a moment late."""
                    await asyncio.sleep(2.0)
                    await database.execute("SELECT pg_stat_clear_snapshot()")
                    rows = await database.fetch(WRITES)
                    return {name: count for name, count in rows if name not in LEASES}

                await quiet(sim, written, *processes)
            finally:
                await database.close()
    finally:
        server.close()
