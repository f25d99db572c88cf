"""Notes as files of a folder: create and update apart, values as dataclasses, parked aside, some not ours."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from setpoint.loop import ABSENT, Conflict, Keyed, Missing


@dataclass(frozen=True)
class Note:
    name: str
    text: str
    pinned: bool = False


WANTED = {
    name: Note(name, text) for name, text in {"todo": "milk", "idea": "loops", "todo-home": "roof"}.items()
}


class Folder(Keyed):
    def __init__(self, folder: Path) -> None:
        self.folder, self.attic = folder / "notes", folder / "attic"

    def desired(self) -> dict[str, Note]:
        return WANTED

    def observe(self) -> Any:
        for file in sorted(self.folder.iterdir()):
            if file.suffix == ".json":
                yield file.stem, Note(**json.loads(file.read_text()))

    def look(self, key: str) -> Any:
        try:
            return Note(**json.loads(self.file(key).read_text()))
        except FileNotFoundError:
            return ABSENT

    def create(self, key: str, value: Note) -> None:
        if self.file(key).exists():
            raise Conflict(key)
        self.save(key, value)

    def update(self, key: str, value: Note) -> None:
        if not self.file(key).exists():
            raise Missing(key)
        self.save(key, value)

    def delete(self, key: str) -> None:
        self.file(key).unlink(missing_ok=True)
        (self.attic / f"{key}.json").unlink(missing_ok=True)

    def park(self, key: str, value: Note) -> None:
        self.file(key).replace(self.attic / f"{key}.json")

    def unpark(self, key: str, value: Note) -> None:
        try:
            (self.attic / f"{key}.json").replace(self.file(key))
        except FileNotFoundError:
            raise Missing(key) from None

    def mine(self, key: str, value: Note) -> bool:
        return value.text != "foreign"

    def group(self, key: str, value: Note) -> str:
        return key.partition("-")[0]

    def save(self, key: str, value: Note) -> None:
        draft = self.folder / f"{key}.draft"
        draft.write_text(json.dumps(asdict(value)))
        draft.replace(self.file(key))

    def file(self, key: str) -> Path:
        return self.folder / f"{key}.json"


def make(folder: Path) -> Callable[[], Folder]:
    for name in ("notes", "attic"):
        (folder / name).mkdir()
    (folder / "notes" / "theirs.json").write_text(json.dumps(asdict(Note("theirs", "foreign"))))
    return lambda: Folder(folder)
