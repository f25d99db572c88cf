"""Has a method under a name that nobody calls, and a limit that is none."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..sound.json_file import JsonFile

FOUND_BY = "well formed"
ALSO = ()


class Misspelt(JsonFile):
    deletes_share = 5
    park = None

    async def look(self) -> Any:
        return await self.observe()


def make(folder: Path) -> Callable[[], Misspelt]:
    file = folder / "flags.json"
    file.write_text("{}")
    return lambda: Misspelt(file)
