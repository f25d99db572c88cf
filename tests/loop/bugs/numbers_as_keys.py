"""Its keys are numbers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..sound.json_file import JsonFile

FOUND_BY = "answers"
ALSO = ()


class NumbersAsKeys(JsonFile):
    async def desired(self) -> dict[Any, Any]:
        return {22: {"open": True}, 443: {"open": True}}


def make(folder: Path) -> Callable[[], NumbersAsKeys]:
    file = folder / "flags.json"
    file.write_text("{}")
    return lambda: NumbersAsKeys(file)
