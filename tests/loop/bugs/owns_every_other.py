"""Claims as its own what it has met before, in this process."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..sound.json_file import JsonFile

FOUND_BY = "sorting"
ALSO = ()


class OwnsEveryOther(JsonFile):
    def __init__(self, file: Path) -> None:
        super().__init__(file)
        self.met: set[str] = set()

    def mine(self, key: str, value: Any) -> bool:
        known = key in self.met
        self.met.add(key)
        return known


def make(folder: Path) -> Callable[[], OwnsEveryOther]:
    file = folder / "flags.json"
    file.write_text("{}")
    return lambda: OwnsEveryOther(file)
