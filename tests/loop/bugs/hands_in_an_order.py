"""Writes an order that somebody else carries out, some time."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..sound.json_file import JsonFile

FOUND_BY = "create"
ALSO = ()


class HandsInAnOrder(JsonFile):
    async def put(self, key: str, value: Any) -> None:
        (self.file.parent / f"{key}.order").write_text(json.dumps(value))


def make(folder: Path) -> Callable[[], HandsInAnOrder]:
    file = folder / "flags.json"
    file.write_text('{"old": {"on": true}, "older": {"on": true}, "oldest": {"on": true}}')
    return lambda: HandsInAnOrder(file)
