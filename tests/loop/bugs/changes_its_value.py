"""Takes the value apart that it is given."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..sound import sqlite_table

FOUND_BY = "keeps values"
ALSO = ()


class ChangesItsValue(sqlite_table.SqliteTable):
    def put(self, key: str, value: Any) -> None:
        author, pages = value.pop("author"), value.pop("pages")
        super().put(key, {"author": author, "pages": pages})


def make(folder: Path) -> Callable[[], ChangesItsValue]:
    file = sqlite_table.make(folder)().file
    return lambda: ChangesItsValue(file)
