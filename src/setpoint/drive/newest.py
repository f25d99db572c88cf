"""Which act was the newest, noted beside the database: one that does not hold it is an older state of it."""

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec import Struct

from setpoint.drive.frozen import inspected
from setpoint.engine.errors import FAILURES
from setpoint.engine.rows import Installation
from setpoint.engine.store import ACTS_PAGE, Store

NAME: Final = "journal.newest"
EVERY_SECONDS: Final = 3.0


class Newest(Struct):
    """Noted every few seconds and at the end. Behind is harmless; ahead of the database it can never be."""

    store: Store
    folder: Path
    now: Callable[[], float]
    _who: str = ""
    _noted: str = ""

    async def begin(self) -> str:
        """Before anything runs: why everything is frozen now, or nothing."""
        found = await self.store.get(Installation, "installation")
        self._who = found.id if found else ""
        who, _, act = (await asyncio.to_thread(_read, self.folder / NAME)).partition(" ")
        # What another installation noted here, on another database, says nothing about this one.
        self._noted = act if who == self._who else ""
        reason = await inspected(self.store, self._noted, self.now)
        await self.note()
        return reason

    async def run(self) -> None:
        """A database can be replaced, or another server take over, while we run."""
        while True:
            await asyncio.sleep(EVERY_SECONDS)
            with suppress(*FAILURES):  # The store is away: it is noted when it is back.
                await inspected(self.store, self._noted, self.now)
                await self.note()

    async def note(self) -> None:
        found = await self.store.read(ACTS_PAGE, domain="", after="", limit=1)
        newest = found[0].id if found else ""
        if newest != self._noted:
            with suppress(OSError):  # The folder cannot be written, or is gone: then nothing is noted.
                await asyncio.to_thread(_write, self.folder / NAME, f"{self._who} {newest}\n")
            self._noted = newest


def _read(path: Path) -> str:
    """The installation and the act that were noted last; empty where nothing was, or it cannot be read."""
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""


def _write(path: Path, text: str) -> None:
    """Whole or not at all."""
    draft = path.with_name(f"{NAME}.new")
    draft.unlink(missing_ok=True)
    file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(file, "w") as written:
        written.write(text)
    draft.replace(path)
