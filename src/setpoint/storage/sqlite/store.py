"""The store on SQLite: one writer, one reader thread, signs of life apart; one row is read at once."""

import asyncio
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Final, NoReturn, TypeVar

from msgspec import Struct

from setpoint.engine.entity import Declared
from setpoint.engine.errors import Denied, Transient
from setpoint.engine.rows import Sign
from setpoint.engine.store import (
    ACCEPTANCES_BY,
    ACCOUNT_AT,
    DECLARED_AT,
    DECLARED_IN,
    DECLARED_OF,
    SIGNS,
    STANDINGS_OF,
    STATUSES,
    TOKENS_CALLED,
    WAKES_OF,
    Change,
    Identity,
    Lease,
    Leased,
    Query,
    Scalar,
    Stored,
)
from setpoint.storage.lease import leased
from setpoint.storage.listeners import Heard, Listeners
from setpoint.storage.sqlite import migrate
from setpoint.storage.sqlite.aside import Aside
from setpoint.storage.sqlite.connection import connect, failure, file_identity, of_the_file
from setpoint.storage.sqlite.lock import FolderLock
from setpoint.storage.sqlite.nearby import Nearby
from setpoint.storage.sqlite.signs import Signs
from setpoint.storage.sqlite.transaction import clock, prepared, rows
from setpoint.storage.sqlite.writer import Answers, Request, Writer

RowT = TypeVar("RowT")
ResultT = TypeVar("ResultT")
NEARBY: Final = frozenset(
    query.name for query in (ACCEPTANCES_BY, ACCOUNT_AT, DECLARED_AT, STANDINGS_OF, TOKENS_CALLED, WAKES_OF)
)
LISTED: Final = {DECLARED_OF.name: "refs", DECLARED_IN.name: "slots", STATUSES.name: "refs"}
FEW: Final = 1000
"""Characters of a list that asks for a few rows: they are read faster than another thread is asked."""


class Files(Struct, frozen=True):
    """What an open folder consists of; `lock` is None for a process that does not enforce."""

    path: Path
    writes: sqlite3.Connection
    reads: sqlite3.Connection
    nearby: sqlite3.Connection
    """For the thread of the event loop. A reader never waits for the writer."""
    signs: Signs
    lock: FolderLock | None


async def open_sqlite(folder: Path, *, enforcing: bool = True) -> "SqliteStore":
    """The store in this folder, created or brought up to date; one enforcing process at a time."""
    return SqliteStore(await asyncio.to_thread(_opened, folder, enforcing))


class SqliteStore:
    """Used on the event loop it was made on."""

    def __init__(self, files: Files) -> None:
        self._loop = asyncio.get_running_loop()
        self._files = files
        self._listeners = Listeners()
        self._closed = False
        self._nearby = Nearby(files.nearby, self._loop.call_soon)
        self.writer = Writer(files.writes, self._answer)
        self._reads = Aside("setpoint-reader")
        self._signs = Aside("setpoint-signs")

    async def commit(self, change: Change) -> None:
        """Durable when this returns. A cancelled caller stops waiting; the change is made all the same."""
        self._check_open()
        answer: asyncio.Future[None] = self._loop.create_future()
        self.writer.submit(Request(prepared(change), partial(_answer, answer)))
        await answer

    async def get(self, row: type[RowT], key: str) -> RowT | None:
        self._check_open()
        try:
            found: RowT | None = self._nearby.get(row, key)
        except sqlite3.Error as error:
            _tell(error)
        return found

    async def read(self, query: Query[RowT], **values: Scalar) -> list[RowT]:
        if query.name in NEARBY or _few(query.name, values):
            self._check_open()
            try:
                return self._nearby.read(query, values)
            except sqlite3.Error as error:
                _tell(error)
        if query.name == SIGNS.name:
            return await self._on(self._signs, partial(rows, self._files.signs.connection, query, values))
        return await self._on(self._reads, partial(rows, self._files.reads, query, values))

    async def bodies(self, query: Query[Declared], **values: Scalar) -> Sequence[Stored]:
        self._check_open()
        try:
            return self._nearby.bodies(query.name, values)
        except sqlite3.Error as error:
            _tell(error)

    async def lease(self, asked: Lease) -> Leased:
        return await leased(self, asked, await self._on(self._reads, partial(clock, self._files.reads)))

    async def identity(self) -> Identity:
        return Identity(await asyncio.to_thread(file_identity, self._files.path))

    async def sign(self, signs: Sequence[Sign], hint: str = "") -> None:
        await self._on(self._signs, partial(self._files.signs.put, tuple(signs)))
        if hint:
            self._listeners.tell(frozenset({hint}))

    def listen(self, heard: Heard) -> Callable[[], None]:
        return self._listeners.add(heard)

    async def close(self) -> None:
        """Finish what was asked, then let go of the folder. A second call does nothing."""
        if self._closed:
            return
        self._closed = True
        await self.writer.drained()
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        self.writer.close()
        self._reads.close()
        self._signs.close()
        self._files.reads.close()
        self._files.nearby.close()
        self._files.signs.close()
        if self._files.lock is not None:
            self._files.lock.release()

    def _check_open(self) -> None:
        if self._closed:
            raise Transient("the store is closed")

    async def _on(self, aside: Aside, work: Callable[[], ResultT]) -> ResultT:
        self._check_open()
        try:
            return await aside.do(work)
        except sqlite3.Error as error:
            _tell(error)

    def _answer(self, answers: Answers) -> None:
        self._nearby.doubt()
        for request, error in answers.given:
            request.answer(error)
        self._listeners.tell(answers.moved)


def _tell(error: sqlite3.Error) -> NoReturn:
    """What is wrong with the file, in our words."""
    if of_the_file(error):
        raise failure(error, "the store did not answer") from error
    raise error


def _few(query: str, values: Mapping[str, Scalar]) -> bool:
    return query in LISTED and len(str(values[LISTED[query]])) <= FEW


def _answer(waiting: asyncio.Future[None], error: BaseException | None) -> None:
    if waiting.done():  # its caller was cancelled
        return
    if error is None:
        waiting.set_result(None)
    else:
        waiting.set_exception(error)


def _opened(folder: Path, enforcing: bool) -> Files:
    """Everything or nothing: what was opened before an error is closed again."""
    with ExitStack() as undo:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = undo.enter_context(FolderLock(folder)) if enforcing else None
            _migrated(folder, enforcing)
            path = folder / migrate.DATABASE
            writes = undo.enter_context(closing(connect(path, synchronous="FULL")))
            reads = undo.enter_context(closing(connect(path, synchronous="FULL", reads_only=True)))
            nearby = undo.enter_context(closing(connect(path, synchronous="FULL", reads_only=True)))
            signs = undo.enter_context(closing(Signs(folder)))
        except sqlite3.Error as error:
            raise failure(error, f"{folder} cannot be opened") from error
        except OSError as error:
            raise Denied(f"{folder} cannot be used: {error.strerror}") from error
        undo.pop_all()
        return Files(path, writes, reads, nearby, signs, lock)


def _migrated(folder: Path, enforcing: bool) -> None:
    if enforcing:
        migrate.up(folder)
    elif migrate.pending(folder):
        # A guest brings the folder up to date only where nobody enforces; otherwise the lock says who does.
        with FolderLock(folder):
            migrate.up(folder)
