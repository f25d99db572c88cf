"""Takes a file that cannot be read for an empty one."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..sound.json_file import JsonFile

FOUND_BY = "unreachable"
ALSO = ("failures harm nobody",)  # put writes back what observe gives


class SwallowsErrors(JsonFile):
    async def observe(self) -> dict[str, Any]:
        try:
            return json.loads(self.file.read_text())
        except Exception:  # noqa: BLE001 - the bug
            return {}


def make(folder: Path) -> Callable[[], SwallowsErrors]:
    file = folder / "flags.json"
    return lambda: SwallowsErrors(file)
