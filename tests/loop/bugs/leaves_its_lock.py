"""Locks by a file, which a dead process leaves behind."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..sound.json_file import JsonFile

FOUND_BY = "again after a crash"
ALSO = ()


class LeavesItsLock(JsonFile):
    def save(self, flags: dict[str, Any]) -> None:
        lock = self.file.with_suffix(".lock")
        lock.touch(exist_ok=False)
        super().save(flags)
        lock.unlink()


def make(folder: Path) -> Callable[[], LeavesItsLock]:
    file = folder / "flags.json"
    file.write_text("{}")
    return lambda: LeavesItsLock(file)
