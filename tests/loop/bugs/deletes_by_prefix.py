"""Deletes by LIKE: whatever begins with the key goes too."""

from collections.abc import Callable
from pathlib import Path

from ..sound import sqlite_table

FOUND_BY = "only its key"
ALSO = ()


class DeletesByPrefix(sqlite_table.SqliteTable):
    def delete(self, key: str) -> None:
        with self.connected() as connection:
            connection.execute("delete from shelf where name like ? || '%'", (key,))


def make(folder: Path) -> Callable[[], DeletesByPrefix]:
    file = sqlite_table.make(folder)().file
    return lambda: DeletesByPrefix(file)
