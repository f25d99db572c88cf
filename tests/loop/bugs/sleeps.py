"""Waits for the world with time.sleep in `async def`."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..sound.json_file import JsonFile

FOUND_BY = "event loop"
ALSO = ()


class Sleeps(JsonFile):
    async def put(self, key: str, value: Any) -> None:
        await super().put(key, value)
        time.sleep(0.0001)  # noqa: ASYNC251 - the bug


def make(folder: Path) -> Callable[[], Sleeps]:
    file = folder / "flags.json"
    file.write_text("{}")
    return lambda: Sleeps(file)
