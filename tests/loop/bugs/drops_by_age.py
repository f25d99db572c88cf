"""Shows only what was seen in the last hour, by this machine's clock."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..sound.json_file import JsonFile

FOUND_BY = "clock jump"
ALSO = ()


class DropsByAge(JsonFile):
    async def observe(self) -> dict[str, Any]:
        flags = json.loads(self.file.read_text())
        return {key: held["flag"] for key, held in flags.items() if held["seen"] > time.time() - 3600}

    def save(self, flags: dict[str, Any]) -> None:
        super().save({key: {"flag": flag, "seen": time.time()} for key, flag in flags.items()})


def make(folder: Path) -> Callable[[], DropsByAge]:
    file = folder / "flags.json"
    file.write_text("{}")
    return lambda: DropsByAge(file)
