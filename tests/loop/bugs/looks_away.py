"""Takes every error of a look for absence."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from setpoint.loop import ABSENT

from ..sound.json_file import JsonFile

FOUND_BY = "unreachable"
ALSO = ()


class LooksAway(JsonFile):
    async def look(self, key: str) -> Any:
        try:
            return (await self.observe())[key]
        except Exception:  # noqa: BLE001 - the bug
            return ABSENT


def make(folder: Path) -> Callable[[], LooksAway]:
    file = folder / "flags.json"
    file.write_text("{}")
    return lambda: LooksAway(file)
