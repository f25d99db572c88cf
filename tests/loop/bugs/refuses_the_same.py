"""Treats writing the same again as a mistake."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..sound.json_file import JsonFile

FOUND_BY = "idempotent"
ALSO = ()


class RefusesTheSame(JsonFile):
    async def put(self, key: str, value: Any) -> None:
        flags = await self.observe()
        if flags.get(key) == value:
            raise RuntimeError(f"{key} is that already")
        self.save({**flags, key: value})


def make(folder: Path) -> Callable[[], RefusesTheSame]:
    file = folder / "flags.json"
    file.write_text("{}")
    return lambda: RefusesTheSame(file)
