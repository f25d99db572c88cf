"""A cache on the function that reads: one answer for the life of the program."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from ..sound.json_file import JsonFile

FOUND_BY = "outside change"
ALSO = ()


def make(folder: Path) -> Callable[[], JsonFile]:
    file = folder / "flags.json"
    file.write_text("{}")

    @cache
    def read() -> dict[str, Any]:
        return json.loads(file.read_text())

    class CachesForAll(JsonFile):
        def observe(self) -> dict[str, Any]:
            return read()

        def put(self, key: str, value: Any) -> None:
            self.save({**json.loads(file.read_text()), key: value})

    return lambda: CachesForAll(file)
