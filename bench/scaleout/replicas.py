"""Real processes as our tests start them: one API, schedulers and workers, one database, one cloud."""

import asyncio
import contextlib
import os
import re
import tempfile
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

from bench.tests_path import reachable

ACCOUNTS: Final = 24  # Work is divided by account: each has one zone.
ORGANIZATION: Final = "/v1/organizations/acme"
PASSES: Final = re.compile(r"^setpoint_pass_duration_seconds_count\{.*\} (\S+)$", re.MULTILINE)
ENOUGH: Final = 90.0

AnyJson = Any


@dataclass(slots=True)
class Replicas:
    """Everything that runs, with a client of its API."""

    fleet: Any
    values: int = 0

    def of(self, service: str) -> list[Any]:
        return [member for member in self.fleet.of(service) if member.alive]

    async def passes(self) -> int:
        """Ended so far, by all schedulers that are alive."""
        return sum([await self._passes(member) for member in self.of("scheduler")])

    async def _passes(self, member: Any) -> int:
        async with self.fleet.session.get(f"{member.url}/metrics") as answer:
            return int(sum(float(each) for each in PASSES.findall(await answer.text())))

    def cpu(self) -> float:
        """Seconds so far, of schedulers and workers together."""
        members = (*self.of("scheduler"), *self.of("worker"))
        return sum(_cpu(member.process.process.pid) for member in members)

    async def change(self) -> None:
        """Every zone gets another value for its record."""
        self.values += 1
        await self.declare(
            [_record(number, f"192.0.2.{self.values % 250 + 1}") for number in range(ACCOUNTS)]
        )

    async def declare(self, items: list[AnyJson]) -> None:
        for _ in range(100):
            if await self.fleet.declare(items):
                return
            await asyncio.sleep(0.1)
        raise RuntimeError("the API does not acknowledge")

    async def unready(self, plural: str) -> int:
        """How many are not READY at what is declared now."""
        return sum(not _is_ready(one) for one in await self.fleet.every(plural))

    async def settled(self, *plurals: str) -> None:
        async with asyncio.timeout(ENOUGH):
            while sum([await self.unready(plural) for plural in plurals]):  # noqa: ASYNC110 - it asks a process
                await asyncio.sleep(0.1)

    async def epochs(self) -> dict[str, int]:
        """Of the shards of passes; one that has another owner has a greater one."""
        import asyncpg  # type: ignore[import-untyped]  # noqa: PLC0415

        session = await asyncpg.connect(self.fleet.database)
        try:
            found = await session.fetch("SELECT key, epoch FROM shard WHERE service = 'scheduler'")
        finally:
            await session.close()
        return dict(found)


@contextlib.asynccontextmanager
async def replicas(number: int, lease: float, intervals: str) -> AsyncIterator[Replicas]:
    """So many schedulers and workers, with the accounts, zones and records declared and made."""
    reachable()
    import aiohttp  # noqa: PLC0415 - what tests are made of is not everywhere

    import fleet  # noqa: PLC0415
    import postgres  # noqa: PLC0415
    import processes  # noqa: PLC0415

    env = {"SETPOINT_LEASE_SECONDS": f"{lease:g}", "SETPOINT_INTERVALS": intervals}
    with tempfile.TemporaryDirectory(prefix="setpoint-bench-") as folder:
        server = postgres.started(fleet.SAFE)
        try:
            await (await postgres.admin_of(server)).close()
            async with (
                processes.sim_process(Path(folder), action_seconds=0.0) as sim,
                aiohttp.ClientSession() as session,
            ):
                names = ["api-0", *(f"{kind}-{n}" for kind in ("scheduler", "worker") for n in range(number))]
                members = [_member(fleet, Path(folder) / name, server.url()) for name in names]
                here = Replicas(fleet.Fleet(members, sim, server, session, Random(7)))  # noqa: S311
                try:
                    await _started(here.fleet, env)
                    await _furnished(here, sim.url)
                    yield here
                finally:
                    await here.fleet.stop()
        finally:
            server.close()


def _member(fleet: Any, folder: Path, database: str) -> Any:
    folder.mkdir()
    return fleet.Member(folder.name.rpartition("-")[0], folder, database)


async def _started(fleet: Any, env: dict[str, str]) -> None:
    """The API first: it makes the tables."""
    for members in (fleet.of("api"), [each for each in fleet.members if each.service != "api"]):
        for member in members:
            await member.start(env)
        ready = [await member.process.ready() for member in members]
        if members[0].service == "api":
            fleet.session.headers["Authorization"] = f"Bearer {ready[0]['token']}"


async def _furnished(here: Replicas, sim_url: str) -> None:
    import declarations  # noqa: PLC0415

    organization, project, provider = declarations.setting(f"{sim_url.removesuffix('/v1')}/v1")
    items = [organization, project]
    for number in range(ACCOUNTS):
        items.append({**provider, "metadata": {"name": f"account-{number}"}})
        items.append(declarations.zone(f"z{number}-example", provider=f"account-{number}"))
    await here.declare(items)
    await here.change()
    await here.settled("dns_zones", "dns_records")


def _record(number: int, value: str) -> AnyJson:
    import declarations  # noqa: PLC0415

    return declarations.record(1, value, zone=f"z{number}-example")


def workspaces(numbers: Iterable[int]) -> list[AnyJson]:
    """Each is made by a task."""
    return [
        {
            "kind": "workspace",
            "metadata": {"name": f"w{number}", "project": "shop"},
            "spec": {"provider": f"account-{number % ACCOUNTS}"},
        }
        for number in numbers
    ]


def _is_ready(one: AnyJson) -> bool:
    newest = one["status"]["observed_generation"] == one["metadata"]["generation"]
    return bool(one["status"]["state"] == "READY" and newest)


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
