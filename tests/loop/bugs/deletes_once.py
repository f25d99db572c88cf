"""Fails when what it is to delete is gone."""

from collections.abc import Callable
from pathlib import Path

from ..sound.json_file import JsonFile

FOUND_BY = "delete twice"
ALSO = ()


class DeletesOnce(JsonFile):
    async def delete(self, key: str) -> None:
        flags = await self.observe()
        del flags[key]
        self.save(flags)


def make(folder: Path) -> Callable[[], DeletesOnce]:
    file = folder / "flags.json"
    file.write_text("{}")
    return lambda: DeletesOnce(file)
