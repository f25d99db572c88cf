"""The one writer: changes are written on the event loop's thread, and made durable in groups on one aside.

A few rows are written sooner than handed to another thread, which would fight for the interpreter at every
one of them. What takes long is the disk: that is waited for aside.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

from msgspec import Struct

from setpoint.engine.errors import Conflict
from setpoint.storage.sqlite.aside import Aside
from setpoint.storage.sqlite.connection import BUSY_SECONDS, failure, of_the_file
from setpoint.storage.sqlite.transaction import Prepared, Transaction

GROUP: Final = 256
"""How many changes share one fsync at most."""
FEW: Final = 128
"""Rows that are written before anybody notices that the event loop waits: a millisecond or two."""

_NOTHING: Final = "nothing was written"
Errors = list[BaseException | None]
"""How each change of a group went."""
Written = Callable[[Transaction, Prepared], BaseException | None]
"""Writes one change inside the transaction of all; how it went."""


class Request(Struct, frozen=True):
    """A change, and whom to tell how it went: None, or the error."""

    todo: Prepared
    answer: Callable[[BaseException | None], None]


class Answers(Struct, frozen=True):
    """How a whole group went; handed over only when it is durable or known to have failed."""

    given: tuple[tuple[Request, BaseException | None], ...]
    moved: frozenset[str]


class _Broken(Exception):
    """A change that could not be written whole, and others are in the same transaction."""


class Writer:
    """Owns its connection until `close`; used on the event loop it was made on."""

    def __init__(self, connection: sqlite3.Connection, deliver: Callable[[Answers], None]) -> None:
        self.connection, self.patience = connection, BUSY_SECONDS
        """Seconds in which a lock of another process is waited for."""
        self._deliver = deliver
        self._waiting: list[Request] = []
        self._draining: asyncio.Task[None] | None = None
        self._aside = Aside("setpoint-writer")
        self._wait_for_locks(0.0)

    def submit(self, request: Request) -> None:
        """It becomes durable together with whatever else is committed in this turn of the loop."""
        self._waiting.append(request)
        if self._draining is None:
            self._draining = asyncio.create_task(self._drain(), name="setpoint-writer")

    async def drained(self) -> None:
        """Everything that was submitted is answered."""
        if self._draining is not None:
            await asyncio.wait((self._draining,))

    def close(self) -> None:
        """Fold the log into the file, close. Blocks; nothing may be under way."""
        self._aside.close()
        with suppress(sqlite3.Error):  # the log is as durable as the file; the next start folds it in
            self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.connection.close()

    async def _drain(self) -> None:
        """One group after the other; what is submitted while one becomes durable is the next."""
        while self._waiting:
            group, self._waiting = self._waiting[:GROUP], self._waiting[GROUP:]
            errors = self._begun(group) if sum(each.todo.rows for each in group) <= FEW else None
            ended = partial(self._whole, group) if errors is None else partial(self._ended, errors)
            self._deliver(answered(group, await self._aside.do(ended)))
        self._draining = None

    def _begun(self, group: Sequence[Request]) -> Errors | None:
        """All but the commit, here; None where something is in the way: aside it is waited for, or told."""
        try:
            return self._written(group)
        except sqlite3.Error:
            return None

    def _whole(self, group: Sequence[Request]) -> Errors:
        self._wait_for_locks(self.patience)
        try:
            errors = self._written(group)
        except sqlite3.Error as error:
            return [failure(error, _NOTHING) for _ in group]
        finally:
            self._wait_for_locks(0.0)
        return self._ended(errors)

    def _ended(self, errors: Errors) -> Errors:
        """Durable, or none of it is there."""
        try:
            self.connection.execute("COMMIT")
        except sqlite3.Error as error:
            self._take_back()
            # After a crash an interrupted COMMIT may turn out whole: its last page can have reached the disk.
            return [failure(error, _NOTHING, landed=True) for _ in errors]
        return errors

    def _written(self, group: Sequence[Request]) -> Errors:
        """How each change of the group went, in a transaction that is still open."""
        try:
            return self._in_one(group, self._in_a_row)
        except _Broken:
            # Rare: one takes what another has. Now each gets a savepoint, so that only that one fails.
            return self._in_one(group, self._apart)

    def _in_one(self, group: Sequence[Request], written: Written) -> Errors:
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            transaction = Transaction(self.connection)
            errors = [written(transaction, request.todo) for request in group]
            transaction.end()
        except (sqlite3.Error, _Broken):
            self._take_back()
            raise
        return errors

    def _in_a_row(self, transaction: Transaction, todo: Prepared) -> BaseException | None:
        """One change without a savepoint: whatever breaks while it is written breaks all of them."""
        try:
            if reason := transaction.unmet(todo):
                return Conflict(reason)
            transaction.write(todo)
        except Exception as error:
            raise _Broken from error
        return None

    def _apart(self, transaction: Transaction, todo: Prepared) -> BaseException | None:
        """One change under its savepoint: how it went is its own matter."""
        self.connection.execute("SAVEPOINT member")
        error: Exception | None = None
        try:
            transaction.apply(todo)
        except sqlite3.Error as broken:
            if not self.connection.in_transaction:
                raise  # SQLite gave up the whole transaction, and with it every change before this one
            error = failure(broken, _NOTHING) if of_the_file(broken) else broken
        except Exception as found:  # noqa: BLE001 - the writer outlives any change; its caller gets the error
            error = found
        if error is not None:
            self.connection.execute("ROLLBACK TO member")
        self.connection.execute("RELEASE member")
        return error

    def _take_back(self) -> None:
        with suppress(sqlite3.Error):  # SQLite may have rolled back by itself
            self.connection.execute("ROLLBACK")

    def _wait_for_locks(self, seconds: float) -> None:
        self.connection.execute(f"PRAGMA busy_timeout = {seconds * 1000:.0f}")


def answered(group: Sequence[Request], errors: Sequence[BaseException | None]) -> Answers:
    """Who is told what, and what moved."""
    pairs = tuple(zip(group, errors, strict=True))
    moved = (request.todo.moved for request, error in pairs if error is None)
    return Answers(pairs, frozenset().union(*moved))
