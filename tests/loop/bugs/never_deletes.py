"""Deletes under a name that it spells in its own way."""

from collections.abc import Callable
from pathlib import Path

from ..sound import sqlite_table

FOUND_BY = "delete"
ALSO = ()


class NeverDeletes(sqlite_table.SqliteTable):
    def delete(self, key: str) -> None:
        super().delete(key.upper())


def make(folder: Path) -> Callable[[], NeverDeletes]:
    file = sqlite_table.make(folder)().file
    return lambda: NeverDeletes(file)
