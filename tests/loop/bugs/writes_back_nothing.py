"""Observes well, but begins anew when it cannot read before it writes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..sound.json_file import JsonFile

FOUND_BY = "failures harm nobody"
ALSO = ()


class WritesBackNothing(JsonFile):
    async def put(self, key: str, value: Any) -> None:
        try:
            flags = json.loads(self.file.read_text())
        except OSError:
            flags = {}
        self.save({**flags, key: value})


def make(folder: Path) -> Callable[[], WritesBackNothing]:
    file = folder / "flags.json"
    file.write_text("{}")
    return lambda: WritesBackNothing(file)
