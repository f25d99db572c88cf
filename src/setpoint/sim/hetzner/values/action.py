"""An action: something the cloud is doing, or has done, to some of its resources."""

from typing import Literal

import msgspec

from setpoint.sim.hetzner.instant import written

ActionStatus = Literal["running", "success", "error"]


class ResourceRef(msgspec.Struct, frozen=True):
    """What an action is about."""

    type: str
    id: int


class ActionError(msgspec.Struct, frozen=True):
    code: str
    message: str


class Action(msgspec.Struct, frozen=True, kw_only=True):
    id: int
    command: str
    started: float
    seconds: float
    resources: tuple[ResourceRef, ...]
    locks: bool = False
    finished: float | None = None
    error: ActionError | None = None

    @property
    def status(self) -> ActionStatus:
        if self.finished is None:
            return "running"
        return "success" if self.error is None else "error"

    def progress(self, now: float) -> int:
        """Per cent done: 100 only when finished, whatever the clock says."""
        if self.finished is not None:
            return 100
        done = (now - self.started) / self.seconds if self.seconds > 0 else 0.0
        return max(0, min(99, int(done * 100)))


def shown(action: Action, now: float) -> dict[str, object]:
    """An action as the API writes it."""
    return {
        "id": action.id,
        "command": action.command,
        "status": action.status,
        "progress": action.progress(now),
        "started": written(action.started),
        "finished": None if action.finished is None else written(action.finished),
        "resources": action.resources,
        "error": action.error,
    }
