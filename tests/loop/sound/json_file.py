"""Feature flags in a JSON file, written whole beside it and renamed over it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from setpoint.loop import Keyed

WANTED = {"dark-mode": {"on": True}, "beta": {"on": False}, "eu-only": {"on": True}}


class JsonFile(Keyed):
    def __init__(self, file: Path) -> None:
        self.file = file

    async def desired(self) -> dict[str, Any]:
        return WANTED

    async def observe(self) -> dict[str, Any]:
        return json.loads(self.file.read_text())

    async def put(self, key: str, value: Any) -> None:
        self.save({**await self.observe(), key: value})

    async def delete(self, key: str) -> None:
        self.save({name: held for name, held in (await self.observe()).items() if name != key})

    def save(self, flags: dict[str, Any]) -> None:
        draft = self.file.with_suffix(".new")
        draft.write_text(json.dumps(flags, indent=1))
        draft.replace(self.file)


def make(folder: Path) -> Callable[[], JsonFile]:
    file = folder / "flags.json"
    file.write_text('{"old": {"on": true}}')
    return lambda: JsonFile(file)
