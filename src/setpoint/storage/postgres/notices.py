"""Hearing a moment later what other processes committed, and telling them of ours. A hint only."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import msgspec

from setpoint.engine.store import ANYTHING
from setpoint.storage.patience import Patience
from setpoint.storage.postgres.connection import Address, Session, leave
from setpoint.storage.postgres.failure import ERRORS
from setpoint.storage.postgres.statements import appends

CHANNEL: Final = "setpoint"
LONGEST: Final = 7999
"""How many bytes PostgreSQL lets a notice have."""

_ANYTHING: Final = frozenset({ANYTHING})
_QUIET_SECONDS: Final = 30.0


class Notices:
    """One connection that listens and tells, from the moment this exists until `close`."""

    def __init__(self, address: Address, patience: Patience, heard: Callable[[frozenset[str]], None]) -> None:
        self._address = address
        self._patience = patience
        self._heard = heard
        self._untold: set[str] = set()
        self._missed = False
        self._news = asyncio.Event()
        self._task = asyncio.create_task(self._run(), name="setpoint-notices")

    def tell(self, moved: frozenset[str]) -> None:
        """Soon, and together with what else moves until then."""
        if moved:
            self._untold |= moved
            self._news.set()

    async def close(self) -> None:
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    async def _run(self) -> None:
        while True:
            await self._patience.wait()
            with suppress(*ERRORS):
                await self._attend(await self._address.connect())
            self._patience.failed()

    async def _attend(self, session: Session) -> None:
        """Until the connection is lost."""
        try:
            session.add_termination_listener(lambda _: self._news.set())
            await session.add_listener(CHANNEL, self._hear)
            self._patience.succeeded()
            if self._missed:
                self._heard(_ANYTHING)  # Whatever was told while nobody listened.
            while not session.is_closed():
                await self._told(session)
        finally:
            self._missed = True
            await leave(session)

    async def _told(self, session: Session) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(_QUIET_SECONDS):
                await self._news.wait()
        self._news.clear()
        untold, self._untold = frozenset(self._untold), set()
        # A connection that died without a word is noticed by this too.
        await session.fetchval(appends()["notify"], CHANNEL, spelled(untold))

    def _hear(self, session: Any, sender: int, _: str, notice: str) -> None:
        if sender != session.get_server_pid():
            self._heard(heard(notice))


def spelled(moved: frozenset[str]) -> str:
    """The organizations as a notice."""
    notice = msgspec.json.encode(sorted(moved)).decode()
    return notice if len(notice.encode()) <= LONGEST else spelled(_ANYTHING)


def heard(notice: str) -> frozenset[str]:
    """The organizations of a notice; one that is not ours says that something happened, and no more."""
    try:
        return frozenset(msgspec.json.decode(notice, type=list[str]))
    except msgspec.DecodeError:
        return _ANYTHING
