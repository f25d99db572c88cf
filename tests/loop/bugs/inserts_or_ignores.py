"""Inserts where there is nothing, and leaves what is there."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..sound import sqlite_table

FOUND_BY = "update"
ALSO = ()


class InsertsOrIgnores(sqlite_table.SqliteTable):
    def put(self, key: str, value: Any) -> None:
        with self.connected() as connection:
            connection.execute(
                "insert or ignore into shelf values (?, ?, ?)", (key, value["author"], value["pages"])
            )


def make(folder: Path) -> Callable[[], InsertsOrIgnores]:
    file = sqlite_table.make(folder)().file
    return lambda: InsertsOrIgnores(file)
