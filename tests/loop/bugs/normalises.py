"""The store keeps authors in small letters, and observe gives them as they are stored."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..sound import sqlite_table

FOUND_BY = "round trip"
ALSO = ()


class Normalises(sqlite_table.SqliteTable):
    def put(self, key: str, value: Any) -> None:
        super().put(key, {**value, "author": value["author"].lower()})


def make(folder: Path) -> Callable[[], Normalises]:
    file = sqlite_table.make(folder)().file
    return lambda: Normalises(file)
