"""Ships audit checkpoints out of the database: to a file that is only ever appended to, or to syslog."""

import asyncio
import logging
import os
from collections.abc import Callable
from contextlib import suppress
from logging.handlers import SysLogHandler
from pathlib import Path
from typing import BinaryIO, Final

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from setpoint.drive.checkpoint import Checkpoint, Index, Shipped, read_shipped, sealed
from setpoint.engine.errors import FAILURES
from setpoint.engine.rows import Head
from setpoint.engine.store import HEADS_PAGE, Store
from setpoint.log import Log
from setpoint.settings import Settings, syslog_at

NAME: Final = "audit.checkpoints"
EVERY_SECONDS: Final = 300.0
EVERY_COMMITS: Final = 1000
LOOK_SECONDS: Final = 5.0
AT_ONCE: Final = 200

log = Log("audit")


class Shipping(Struct):
    """Every five minutes, and sooner after a thousand commits; each replica of the API by itself."""

    store: Store
    key: str
    now: Callable[[], float]
    file: Path | None = None
    syslog: str = ""
    _known: dict[str, str] = field(default_factory=dict)
    _index: Index = field(default_factory=Index)
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)
    _heard: int = 0

    async def run(self) -> None:
        stop = self.store.listen(self._hear)
        due = float("-inf")
        try:
            while True:
                if self.now() >= due or self._heard >= EVERY_COMMITS:
                    due, self._heard = self.now() + EVERY_SECONDS, 0
                    with suppress(*FAILURES):  # The store is away: it is shipped when it is back.
                        await self.ship()
                await asyncio.sleep(LOOK_SECONDS)
        finally:
            stop()

    async def ship(self) -> None:
        """The head of every chain that moved: the installation's, and of organizations, gone ones too."""
        known, after = [await self.store.get(Head, "")], ""
        while page := await self.store.read(HEADS_PAGE, after=after, limit=AT_ONCE):
            known += page
            after = page[-1].organization
        at = self.now()
        points = [
            sealed(
                self.key,
                Checkpoint(organization=head.organization, revision=head.revision, hash=head.hash, at=at),
            )
            for head in known
            if head is not None and head.hash and self._known.get(head.organization) != head.hash
        ]
        if not points:
            return
        try:
            await asyncio.to_thread(self._write, [msgspec.json.encode(point) for point in points])
        except OSError as error:
            log.warning("audit checkpoints could not be shipped", why=str(error), lines=len(points))
            return
        self._known |= {point.organization: point.hash for point in points}

    async def shipped(self, organization: str) -> Shipped:
        """What can be read back here of one chain; nothing where it went to syslog alone."""
        async with self._reading:  # One at a time keeps the index whole, and the others' turns short.
            return await asyncio.to_thread(self._read, organization)

    def _read(self, organization: str) -> Shipped:
        if self.file is None:
            return Shipped()
        try:
            with self.file.open("rb") as written:
                return self._found(written, organization)
        except FileNotFoundError:
            return Shipped()

    def _found(self, written: BinaryIO, organization: str) -> Shipped:
        found = read_shipped(self.key, self._index.lines_of(written, organization))
        if found.foreign:  # Made up, or the file was changed under the index: that is told by reading it all.
            self._index = Index()
            found = read_shipped(self.key, self._index.lines_of(written, organization))
        return replace(found, foreign=found.foreign + self._index.torn + self._index.unended)

    def _write(self, lines: list[bytes]) -> None:
        if self.file is not None:
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
            with os.fdopen(os.open(self.file, flags, 0o600), "ab") as written:
                written.write(b"".join(line + b"\n" for line in lines))
                written.flush()
                os.fsync(written.fileno())
        if self.syslog:
            _tell(self.syslog, lines)

    def _hear(self, moved: frozenset[str]) -> None:
        self._heard += 1


def shipping_of(settings: Settings, store: Store, key: str, now: Callable[[], float]) -> Shipping:
    """As the setting says; the data folder where it says nothing."""
    sort, _, place = settings.audit_checkpoints.partition(":")
    if sort == "syslog":
        return Shipping(store, key, now, syslog=place)
    return Shipping(store, key, now, file=Path(place) if place else Path(settings.data) / NAME)


def _tell(place: str, lines: list[bytes]) -> None:
    handler = SysLogHandler(syslog_at(place), SysLogHandler.LOG_AUTH)
    try:
        for line in lines:
            text = f"audit checkpoint {line.decode()}"
            handler.emit(logging.LogRecord("setpoint", logging.INFO, "", 0, text, None, None))
    finally:
        handler.close()
