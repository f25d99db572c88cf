"""Opens its file for writing and works out what to write on the same line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..sound.json_file import JsonFile

FOUND_BY = "crash at every step"
ALSO = ()


class OneLine(JsonFile):
    def save(self, flags: dict[str, Any]) -> None:
        open(self.file, "w").write(json.dumps(flags))  # noqa: PTH123, SIM115 - that is the bug


def make(folder: Path) -> Callable[[], OneLine]:
    file = folder / "flags.json"
    file.write_text("{}")
    return lambda: OneLine(file)
