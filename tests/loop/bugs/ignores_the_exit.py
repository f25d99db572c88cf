"""Runs a command and does not look at how it ended."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..sound.json_file import JsonFile

FOUND_BY = "unreachable"
ALSO = ("failures harm nobody",)


class IgnoresTheExit(JsonFile):
    def observe(self) -> dict[str, Any]:
        listed = subprocess.run(["/bin/cat", self.file], capture_output=True, text=True)  # noqa: PLW1510, S603 - the bug
        return json.loads(listed.stdout or "{}")

    def put(self, key: str, value: Any) -> None:
        self.save({**self.observe(), key: value})

    def delete(self, key: str) -> None:
        self.save({name: held for name, held in self.observe().items() if name != key})


def make(folder: Path) -> Callable[[], IgnoresTheExit]:
    file = folder / "flags.json"
    file.write_text("{}")
    return lambda: IgnoresTheExit(file)
