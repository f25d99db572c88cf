"""Sweeps out what is not wanted whenever it is asked what is wanted."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..sound.json_file import WANTED, JsonFile

FOUND_BY = "read only"
ALSO = ()


class CleansUpFirst(JsonFile):
    async def desired(self) -> dict[str, Any]:
        self.save({key: flag for key, flag in (await self.observe()).items() if key in WANTED})
        return WANTED


def make(folder: Path) -> Callable[[], CleansUpFirst]:
    file = folder / "flags.json"
    file.write_text('{"old": {"on": true}}')
    return lambda: CleansUpFirst(file)
