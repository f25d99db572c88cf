"""Named points, of acts and of requests, at which a test ends the process as a power cut would."""

import os
import signal
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from setpoint.engine.errors import Rejected

POINTS: Final = (
    "begin.before_commit",
    "begin.after_commit",
    "call.before",
    "call.after",
    "finish.before_commit",
    "finish.after_commit",
    "settle.mid",
    "outcome.before_commit",
    "outcome.after_commit",
)


OF_REQUESTS: Final = ("effect.before_commit", "effect.after_commit")
"""Those of a request that came with a key."""


class FailPoint(Struct):
    """Counts how often its point is reached, and kills this very process at the wanted time."""

    name: str
    times: int

    def __call__(self, reached: str) -> None:
        if reached != self.name:
            return
        self.times -= 1
        if self.times == 0:
            os.kill(os.getpid(), signal.SIGKILL)


def fail_point(asked: str) -> Callable[[str], None]:
    """`call.after` or `call.after:3`; nothing at all where nothing is asked."""
    if not asked:
        return lambda _: None
    name, _, times = asked.partition(":")
    if name not in (*POINTS, *OF_REQUESTS) or not (times or "1").isdigit():
        known = ", ".join((*POINTS, *OF_REQUESTS))
        raise Rejected(f"there is no point {asked!r}; there are {known}, each with :N for the N-th time")
    return FailPoint(name, int(times or "1"))
