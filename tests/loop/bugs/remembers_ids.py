"""Remembers in itself which row is whose, so only the process that made a row can delete it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..sound import sqlite_table

FOUND_BY = "fresh instance"
ALSO = ()


class RemembersIds(sqlite_table.SqliteTable):
    def __init__(self, file: Path) -> None:
        super().__init__(file)
        self.rows: dict[str, int] = {}

    def put(self, key: str, value: Any) -> None:
        super().put(key, value)
        with self.connected() as connection:
            self.rows[key] = connection.execute("select rowid from shelf where name = ?", (key,)).fetchone()[
                0
            ]

    def delete(self, key: str) -> None:
        with self.connected() as connection:
            connection.execute("delete from shelf where rowid = ?", (self.rows[key],))


def make(folder: Path) -> Callable[[], RemembersIds]:
    file = sqlite_table.make(folder)().file
    return lambda: RemembersIds(file)
