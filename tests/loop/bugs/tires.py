"""Answers with nothing once its quota of requests is used up."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..sound.json_file import JsonFile

FOUND_BY = "duplicate events"
ALSO = ()
QUOTA = 5


class Tires(JsonFile):
    def __init__(self, file: Path) -> None:
        super().__init__(file)
        self.asked = 0

    async def observe(self) -> dict[str, Any]:
        self.asked += 1
        return await super().observe() if self.asked <= QUOTA else {}


def make(folder: Path) -> Callable[[], Tires]:
    file = folder / "flags.json"
    file.write_text("{}")
    return lambda: Tires(file)
