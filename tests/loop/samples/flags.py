"""The loop of the README: feature flags in a file are exactly the flags declared here."""

import json
from pathlib import Path
from typing import Any

from setpoint.loop import Keyed, serve

FILE = Path("flags.json")
WANTED = {"dark-mode": {"on": True}, "beta": {"on": False}, "eu-only": {"on": True}}


class Flags(Keyed):
    """Feature flags in a file are exactly the flags declared here."""

    every = "30s"

    async def desired(self) -> dict[str, Any]:
        return WANTED

    async def observe(self) -> dict[str, Any]:
        return json.loads(FILE.read_text())  # type: ignore[no-any-return]  # noqa: ASYNC240

    async def put(self, key: str, value: Any) -> None:
        self.save({**await self.observe(), key: value})

    async def delete(self, key: str) -> None:
        self.save({k: v for k, v in (await self.observe()).items() if k != key})

    def save(self, flags: dict[str, Any]) -> None:
        FILE.write_text(json.dumps(flags, indent=1))


if __name__ == "__main__":
    serve(Flags())
