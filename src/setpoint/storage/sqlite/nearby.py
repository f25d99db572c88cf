"""Reads on the thread of the event loop, remembered until somebody commits: most is read more than once."""

import sqlite3
from collections.abc import Callable, Hashable
from typing import Any, Final, TypeVar

from setpoint.engine.store import AnyRow, Query, Scalar, Stored
from setpoint.storage.sqlite.transaction import held, pairs, rows

KEPT: Final = 5_000
"""Rows, about 5 MB as they are usually large."""

RowT = TypeVar("RowT")
AnyFound = Any
Soon = Callable[[Callable[[], None]], object]
"""Calls something in the next turn."""


class Nearby:
    """Used on one thread. SQLite itself says, once in every turn of the loop, whether anybody has committed.

    Nobody learns of a commit in the turn in which it is made: what is read in one turn is of one moment.
    """

    def __init__(self, connection: sqlite3.Connection, soon: Soon) -> None:
        self._connection, self._soon = connection, soon
        self._is_fresh = False
        self._version = -1
        self._known: dict[Hashable, AnyFound] = {}
        self._rows = 0

    def get(self, row: type[AnyRow], key: str) -> AnyRow | None:
        """The row with this key."""
        known = self._fresh()
        if (row, key) not in known:
            known[row, key] = held(self._connection, row, key)
            self._rows += 1
        found: AnyRow | None = known[row, key]
        return found

    def read(self, query: Query[RowT], values: dict[str, Scalar]) -> list[RowT]:
        """The answer to a named query."""
        known, asked = self._fresh(), (query.name, *values.items())
        if asked not in known:
            known[asked] = rows(self._connection, query, values)
            self._rows += 1 + len(known[asked])
        return list(known[asked])

    def bodies(self, query: str, values: dict[str, Scalar]) -> tuple[Stored, ...]:
        """Declarations and statuses as they lie there; the same tuple while they are the same."""
        known, asked = self._fresh(), (pairs, query, *values.items())
        if asked not in known:
            known[asked] = tuple(pairs(self._connection, query, values))
            self._rows += 1 + len(known[asked])
        found: tuple[Stored, ...] = known[asked]
        return found

    def doubt(self) -> None:
        """Somebody may have committed."""
        self._is_fresh = False

    def _fresh(self) -> dict[Hashable, AnyFound]:
        """What is still so. What is committed while we read is in what we read, or moves the version."""
        if self._is_fresh:
            return self._known
        self._is_fresh = True
        self._soon(self.doubt)
        [version] = self._connection.execute("PRAGMA data_version").fetchone()
        if version != self._version or self._rows >= KEPT:
            self._known.clear()
            self._version, self._rows = version, 0
        return self._known
