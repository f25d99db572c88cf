"""Connections set up the one way we use PostgreSQL."""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, Literal, Protocol

import asyncpg  # type: ignore[import-untyped]
from msgspec import Struct

from setpoint.storage.postgres.failure import ERRORS, told_of

Pen = Literal["api", "worker", "scheduler"]

CONNECT_SECONDS: Final = 5.0
COMMAND_SECONDS: Final = 30.0
_READERS: Final = 8
_STATEMENTS_KEPT: Final = 256
_SETTINGS: Final = {
    # Whoever waits longer than this for a lock, or sits on one without a word, has died or soon will have.
    "lock_timeout": "10s",
    "idle_in_transaction_session_timeout": "30s",
    "statement_timeout": "30s",
}


class Session(Protocol):
    """What we use of a connection."""

    async def execute(self, sql: str, *places: Any) -> str: ...

    async def executemany(self, sql: str, rows: Sequence[Sequence[Any]]) -> None: ...

    async def fetch(self, sql: str, *places: Any) -> list[Any]: ...

    async def fetchrow(self, sql: str, *places: Any) -> Any: ...

    async def fetchval(self, sql: str, *places: Any) -> Any: ...

    def cursor(self, sql: str, *places: Any, prefetch: int | None = None) -> AsyncIterable[Any]: ...

    async def add_listener(self, channel: str, heard: Callable[[Any, int, str, str], None]) -> None: ...

    def add_termination_listener(self, heard: Callable[[Any], None]) -> None: ...

    def get_server_pid(self) -> int: ...

    def is_closed(self) -> bool: ...

    def terminate(self) -> None: ...

    async def close(self) -> None: ...


class Pool(Protocol):
    """Connections that are lent out."""

    def acquire(self, *, timeout: float | None = None) -> Any: ...

    async def expire_connections(self) -> None: ...

    async def close(self) -> None: ...


class Address(Struct, frozen=True):
    """Where the database is, and whose pen we hold there; no pen is for whoever does everything."""

    url: str
    pen: Pen | None = None
    command_seconds: float = COMMAND_SECONDS

    async def connect(self) -> Session:
        session: Session = await asyncpg.connect(self.url, **self._settings())
        return session

    async def pool(self) -> Pool:
        """For reads: whatever is lost is connected anew when it is next needed."""
        pool: Pool = await asyncpg.create_pool(
            self.url, min_size=1, max_size=_READERS, reset=_nothing, **self._settings()
        )
        return pool

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Session]:
        """One connection for a while; its errors in our words."""
        with told_of("the database cannot be used"):
            session = await self.connect()
            try:
                yield session
            finally:
                await leave(session)

    def _settings(self) -> dict[str, Any]:
        role = {"role": f"setpoint_{self.pen}"} if self.pen else {}
        name = {"application_name": f"setpoint {self.pen or 'up'}"}
        return {
            "timeout": CONNECT_SECONDS,
            "command_timeout": self.command_seconds,
            "statement_cache_size": _STATEMENTS_KEPT,
            "max_cached_statement_lifetime": 0,
            "server_settings": {**_SETTINGS, **name, **role},
        }


async def leave(session: Session) -> None:
    """Close it politely, or at once if nobody answers."""
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            await session.close()
    except ERRORS:
        session.terminate()


async def _nothing(_: Session) -> None:
    """Nobody changes a setting of a lent connection: nothing to put back, and no round trip for it."""
