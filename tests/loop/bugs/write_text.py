"""Writes its file in place: the loop of the first ten minutes, as it is printed there."""

import json
from collections.abc import Callable
from pathlib import Path

from setpoint.loop import Keyed

FOUND_BY = "crash at every step"
ALSO = ()
WANTED = {"dark-mode": {"on": True}, "beta": {"on": False}, "eu-only": {"on": True}}


class Flags(Keyed):
    """Feature flags in a file are exactly the flags declared here."""

    every = "30s"
    file = Path("flags.json")

    async def desired(self):
        return WANTED

    async def observe(self):
        return json.loads(self.file.read_text())

    async def put(self, key, value):
        self.save({**await self.observe(), key: value})

    async def delete(self, key):
        self.save({k: v for k, v in (await self.observe()).items() if k != key})

    def save(self, flags):
        self.file.write_text(json.dumps(flags, indent=1))


def make(folder: Path) -> Callable[[], Keyed]:
    class Scratch(Flags):
        file = folder / "flags.json"

    Scratch.file.write_text('{"old": {"on": true}}')
    return Scratch
