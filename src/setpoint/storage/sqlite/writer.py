"""The one writer: a thread that takes changes from a queue and commits them in groups."""

import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Final

from msgspec import Struct

from setpoint.engine.errors import Conflict
from setpoint.storage.sqlite.connection import failure, of_the_file
from setpoint.storage.sqlite.transaction import Prepared, Transaction

GROUP: Final = 256
"""How many changes share one fsync at most."""

_NOTHING: Final = "nothing was written"
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
    """Owns its connection from the first request until `close`."""

    def __init__(self, connection: sqlite3.Connection, deliver: Callable[[Answers], None]) -> None:
        self.connection = connection
        self._deliver = deliver
        self._queue: SimpleQueue[Sequence[Request] | None] = SimpleQueue()
        # A daemon: a process that forgot to close must still be able to end; what it answered is durable.
        self._thread = threading.Thread(target=self._run, name="setpoint-writer", daemon=True)
        self._thread.start()

    def submit(self, requests: Sequence[Request]) -> None:
        """These become durable together, or with more."""
        self._queue.put(requests)

    def close(self) -> None:
        """Finish what was submitted, fold the log into the file, close. Blocks."""
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        while group := self._next_group():
            self._deliver(answered(group, self._written(group)))
        with suppress(sqlite3.Error):  # the log is as durable as the file; the next start folds it in
            self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.connection.close()

    def _next_group(self) -> list[Request]:
        """Waits for requests and takes whatever else has queued up; nothing once closed."""
        group: list[Request] = []
        with suppress(Empty):
            while len(group) < GROUP:
                requests = self._queue.get(block=not group)
                if requests is None:
                    self._queue.put(None)  # for the next call, when this group is written
                    break
                group += requests
        return group

    def _written(self, group: Sequence[Request]) -> list[BaseException | None]:
        """How each change of the group went, once all of them are durable together."""
        try:
            return self._committed(group, self._in_a_row)
        except _Broken:
            # Rare: one takes what another has. Now each gets a savepoint, so that only that one fails.
            return self._committed(group, self._apart)

    def _committed(self, group: Sequence[Request], written: Written) -> list[BaseException | None]:
        committing = False
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            transaction = Transaction(self.connection)
            errors = [written(transaction, request.todo) for request in group]
            transaction.end()
            committing = True
            self.connection.execute("COMMIT")
        except (sqlite3.Error, _Broken) as error:
            with suppress(sqlite3.Error):  # SQLite may have rolled back by itself
                self.connection.execute("ROLLBACK")
            if isinstance(error, _Broken):
                raise
            # After a crash an interrupted COMMIT may turn out whole: its last page can have reached the disk.
            return [failure(error, _NOTHING, landed=committing) for _ in group]
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
        except Exception as found:  # noqa: BLE001 - the thread outlives any change; its caller gets the error
            error = found
        if error is not None:
            self.connection.execute("ROLLBACK TO member")
        self.connection.execute("RELEASE member")
        return error


def answered(group: Sequence[Request], errors: Sequence[BaseException | None]) -> Answers:
    """Who is told what, and what moved."""
    pairs = tuple(zip(group, errors, strict=True))
    moved = (request.todo.moved for request, error in pairs if error is None)
    return Answers(pairs, frozenset().union(*moved))
