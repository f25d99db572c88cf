"""The services as processes on a simulated cloud: several of each on PostgreSQL, or one of all on SQLite."""

import asyncio
import contextlib
import os
import signal
import sqlite3
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import aiohttp
import asyncpg  # type: ignore[import-untyped]

import postgres
from harness import TOKEN, AnyJson, keep_secret
from processes import Process, SimProcess, free_port, sim_process, start
from setpoint.engine.rows import Act, Audit, Event
from setpoint.storage.form import decoded
from setpoint.vault.master import new_master
from stranger import Stranger

SERVICES = ("api", "worker", "scheduler")
SAFE = {"max_connections": "200"}  # Everything else as PostgreSQL comes: fsync and all.


@dataclass
class Member:
    """One replica, started again after each death under the same name and at the same address."""

    service: str
    folder: Path
    database: str
    port: int = field(default_factory=free_port)
    process: Process | None = None
    deaths: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def alive(self) -> bool:
        return self.process is not None and self.process.process.returncode is None

    async def start(self, env: Mapping[str, str] | None = None) -> None:
        keep_secret(self.folder, "hetzner", TOKEN)
        command = [self.service, "--data", str(self.folder)]
        command += ["--database", self.database] if self.database else []
        quick = {"SETPOINT_LEASE_SECONDS": "6"}
        self.process = await start(self.folder, [*command, "--port", str(self.port)], quick | dict(env or {}))

    async def ready(self) -> AnyJson:
        """What it says when it is ready."""
        assert self.process is not None
        return await self.process.ready()

    async def kill(self) -> None:
        if self.process is not None:
            await self.process.kill()
            self.deaths += 1

    async def stop(self) -> int:
        assert self.process is not None
        self.process.terminate()
        return await self.process.ended()

    def pause(self) -> None:
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        if self.alive and self.process is not None:
            os.kill(self.process.process.pid, number)


@dataclass
class Fleet:
    """Everything there is, and a client that asks whichever API answers."""

    members: list[Member]
    sim: SimProcess
    _server: postgres.Server | None  # None: everything is on SQLite.
    session: aiohttp.ClientSession
    chance: Random
    stranger: str = ""
    """Another organization, which nothing here is about."""

    @property
    def server(self) -> postgres.Server:
        assert self._server is not None
        return self._server

    @property
    def database(self) -> str:
        return self.server.url()

    @property
    def apis(self) -> list[Member]:
        """Whoever answers people: the replicas of the API, or the one process with everything in it."""
        return self.of("api") or self.of("up")

    def of(self, service: str) -> list[Member]:
        return [member for member in self.members if member.service == service]

    async def call(self, method: str, path: str, body: AnyJson = None) -> tuple[int, AnyJson]:
        """One answer of one replica; an error of the connection says nothing about what was done."""
        member = self.chance.choice(self.apis)
        timeout = aiohttp.ClientTimeout(total=10)
        async with self.session.request(method, member.url + path, json=body, timeout=timeout) as answer:
            return answer.status, await answer.json()

    async def declare(self, items: list[AnyJson]) -> bool:
        """Whether these declarations were acknowledged."""
        path = "/v1/organizations/acme/declarations"
        try:
            status, said = await self.call("POST", path, {"items": items, "owner": "", "prune": False})
        except (OSError, TimeoutError, aiohttp.ClientError):
            return False
        assert status < 500 or status == 503, said
        return status < 300

    async def every(self, plural: str) -> list[AnyJson]:
        """Every object of this kind, from whichever replica answers."""
        found, after = [], ""
        while True:
            status, page = await self._patiently(f"/v1/organizations/acme/{plural}?page_size=500{after}")
            assert status == 200, page
            found += page["items"]
            if not page.get("next_page_token"):
                return found
            after = f"&page_token={page['next_page_token']}"

    async def _patiently(self, path: str) -> tuple[int, AnyJson]:
        for _ in range(100):
            with contextlib.suppress(OSError, TimeoutError, aiohttp.ClientError):
                status, said = await self.call("GET", path)
                if status != 503:
                    return status, said
            await asyncio.sleep(0.1)
        raise AssertionError(f"no replica answers {path}")

    async def acts(self) -> list[Act]:
        """The journal, in the order it was begun."""
        return [decoded(Act, body) for body in await self._bodies("act ORDER BY began_at, id")]

    async def events(self) -> list[Event]:
        """All that happened, oldest first."""
        every = [decoded(Event, body) for body in await self._bodies("event ORDER BY revision")]
        return [event for event in every if event.organization != self.stranger]

    async def audit(self) -> list[Audit]:
        """All evidence, oldest first; its chain is whole."""
        status, verdict = await self._patiently("/v1/organizations/acme/audit:verify")
        assert (status, verdict["intact"]) == (200, True), verdict
        every = [decoded(Audit, body) for body in await self._bodies("audit ORDER BY revision")]
        return [line for line in every if line.organization != self.stranger]

    async def _bodies(self, rows: str) -> list[bytes]:
        """Read past every service."""
        sql = f"SELECT body FROM {rows}"  # noqa: S608 - our own words
        if self._server is None:
            path = f"file:{self.members[0].folder / 'setpoint.db'}?mode=ro"
            with contextlib.closing(sqlite3.connect(path, uri=True, timeout=10)) as database:
                return [body for (body,) in database.execute(sql)]
        session = await asyncpg.connect(self.database)
        try:
            return [body for (body,) in await session.fetch(sql)]
        finally:
            await session.close()

    async def stop(self) -> None:
        for member in self.members:
            member.resume()
            if member.process is not None:
                await member.process.kill()


@contextlib.asynccontextmanager
async def fleet(folder: Path, each: int | Mapping[str, int], chance: Random) -> AsyncIterator[Fleet]:
    """So many replicas of each service, ready, on a PostgreSQL that loses nothing it confirms."""
    many = dict.fromkeys(SERVICES, each) if isinstance(each, int) else each
    server = postgres.started(SAFE)
    try:
        await (await postgres.admin_of(server)).close()  # It answers.
        async with _manned(folder, many, server, chance) as here:
            yield here
    finally:
        server.close()


@contextlib.asynccontextmanager
async def alone(folder: Path, chance: Random) -> AsyncIterator[Fleet]:
    """All services in one process on SQLite, ready."""
    async with _manned(folder, {"up": 1}, None, chance) as here:
        yield here


@contextlib.asynccontextmanager
async def _manned(
    folder: Path, many: Mapping[str, int], server: postgres.Server | None, chance: Random
) -> AsyncIterator[Fleet]:
    names = [f"{service}-{number}" for service in many for number in range(many[service])]
    master = new_master().text
    async with sim_process(folder) as sim:
        members = []
        for name in names:
            (folder / name).mkdir()
            if not name.startswith("api"):  # Whoever opens secrets or signs has the same one; no API has it.
                (folder / name / "master.key").touch(mode=0o600)
                (folder / name / "master.key").write_text(f"{master}\n")
            members.append(Member(name.rpartition("-")[0], folder / name, server.url() if server else ""))
        stranger = Stranger.of(folder)
        session = aiohttp.ClientSession(trace_configs=[stranger.tracing()])
        here = Fleet(members, sim, server, session, chance, stranger.name)
        try:
            await _started(here)
            await stranger.settle(session, here.apis[0].url, seals=not {"worker", "up"}.isdisjoint(many))
            yield here
            urls = [member.url for member in members if member.alive]
            await stranger.overheard(session, urls, folder, here.database if server else "")
        finally:
            await here.stop()
            await here.session.close()


async def _started(here: Fleet) -> None:
    # One first: it makes the tables, and the token that the other replicas of the API share.
    first, *others = here.members
    await first.start()
    ready = await first.ready()
    for member in others:
        if member.service == "api":
            (member.folder / "admin.token").write_text(ready["token"])
        await member.start()
    for member in others:
        await member.ready()
    here.session.headers["Authorization"] = f"Bearer {ready['token']}"
