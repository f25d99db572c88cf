"""Says that it created what was there already, and did not."""

from collections.abc import Callable
from pathlib import Path

from ..sound import folder as notes

FOUND_BY = "create and update"
ALSO = ()


class CreatesAnyhow(notes.Folder):
    def create(self, key: str, value: notes.Note) -> None:
        if not self.file(key).exists():
            self.save(key, value)


def make(folder: Path) -> Callable[[], CreatesAnyhow]:
    notes.make(folder)
    return lambda: CreatesAnyhow(folder)
