"""Pages as they lie in the file, kept until somebody commits: lists are read more often than changed."""

import sqlite3
from typing import Final

from setpoint.engine.store import Scalar, Stored
from setpoint.storage.sqlite.transaction import pairs

KEPT: Final = 50

Page = tuple[Stored, ...]


class Pages:
    """Used on one thread. SQLite itself says whether any process has committed since."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._version = -1
        self._known: dict[tuple[tuple[str, Scalar], ...], Page] = {}

    def of(self, query: str, values: dict[str, Scalar]) -> Page:
        """What is there now. What was committed while it is read is either in it or moves the version."""
        [version] = self._connection.execute("PRAGMA data_version").fetchone()
        if version != self._version or len(self._known) >= KEPT:
            self._known.clear()
            self._version = version
        asked = (("", query), *values.items())
        if asked not in self._known:
            self._known[asked] = tuple(pairs(self._connection, query, values))
        return self._known[asked]
