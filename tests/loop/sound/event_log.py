"""Switches as lines of a log that is only ever added to; it can tell what came since it was last read."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from setpoint.loop import ABSENT, Keyed

WANTED = {"hall": {"on": True}, "kitchen": {"on": False}}


class EventLog(Keyed):
    def __init__(self, file: Path) -> None:
        self.file = file
        self.read: int | None = None

    def desired(self) -> dict[str, Any]:
        return WANTED

    def observe(self) -> dict[str, Any]:
        last = dict(self.lines(0))
        return {key: value for key, value in last.items() if value is not None}

    def changes(self) -> dict[str, Any] | None:
        since, self.read = self.read, self.file.stat().st_size
        if since is None:
            return None
        return {key: ABSENT if value is None else value for key, value in self.lines(since)}

    def put(self, key: str, value: Any) -> None:
        self.add(key, value)

    def delete(self, key: str) -> None:
        self.add(key, None)

    def add(self, key: str, value: Any) -> None:
        line = json.dumps([key, value]) + "\n"
        with self.file.open("a") as log:
            log.write(line)

    def lines(self, since: int) -> Iterator[tuple[str, Any]]:
        with self.file.open() as log:
            log.seek(since)
            yield from (tuple(json.loads(line)) for line in log)


def make(folder: Path) -> Callable[[], EventLog]:
    file = folder / "switches.log"
    file.touch()
    return lambda: EventLog(file)
