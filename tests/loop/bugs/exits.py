"""Ends the program when something goes wrong, as the script did that it was made from."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..sound import sqlite_table

FOUND_BY = "exceptions"
ALSO = ()


class Exits(sqlite_table.SqliteTable):
    def observe(self) -> dict[str, Any]:
        try:
            return super().observe()
        except Exception as error:  # noqa: BLE001 - the bug
            sys.exit(f"cannot read: {error}")


def make(folder: Path) -> Callable[[], Exits]:
    file = sqlite_table.make(folder)().file
    return lambda: Exits(file)
