"""Replaces every row by deleting all of them first, each statement committed by itself."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from ..sound import sqlite_table

FOUND_BY = "crash at every step"
ALSO = ()


class DeleteThenInsert(sqlite_table.SqliteTable):
    def put(self, key: str, value: Any) -> None:
        rows = {**self.observe(), key: value}
        with closing(sqlite3.connect(self.file, isolation_level=None)) as connection:
            connection.execute("pragma synchronous = off")
            connection.execute("delete from shelf")
            for name, row in rows.items():
                connection.execute("insert into shelf values (?, ?, ?)", (name, row["author"], row["pages"]))


def make(folder: Path) -> Callable[[], DeleteThenInsert]:
    file = sqlite_table.make(folder)().file
    return lambda: DeleteThenInsert(file)
