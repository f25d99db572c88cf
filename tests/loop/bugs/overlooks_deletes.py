"""Tells what was written since, and not what was deleted."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from setpoint.loop import ABSENT

from ..sound import event_log

FOUND_BY = "changes"
ALSO = ()


class OverlooksDeletes(event_log.EventLog):
    def changes(self) -> dict[str, Any] | None:
        told = super().changes()
        return told and {key: value for key, value in told.items() if value is not ABSENT}


def make(folder: Path) -> Callable[[], OverlooksDeletes]:
    file = event_log.make(folder)().file
    return lambda: OverlooksDeletes(file)
