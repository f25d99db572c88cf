"""Brings back from the attic less than was put there."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ..sound import folder as notes

FOUND_BY = "park"
ALSO = ()


class ForgetsThePin(notes.Folder):
    def desired(self) -> dict[str, notes.Note]:
        return {key: replace(note, pinned=True) for key, note in notes.WANTED.items()}

    def unpark(self, key: str, value: notes.Note) -> None:
        super().unpark(key, value)
        self.save(key, notes.Note(value.name, value.text))


def make(folder: Path) -> Callable[[], ForgetsThePin]:
    notes.make(folder)
    return lambda: ForgetsThePin(folder)
