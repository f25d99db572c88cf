"""No waiting between attempts: a loop that tries again is asked how it ends, not how patient it is."""

import asyncio
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from setpoint.loop.conformance.process import Around
from setpoint.loop.conformance.sources import is_worker
from setpoint.loop.conformance.swap import swapped


@contextmanager
def hasty(around: Around) -> Iterator[None]:
    """Inside, `time.sleep` and `asyncio.sleep` of this thread and its executor's threads take no time."""
    here = threading.get_ident()

    def ours() -> bool:
        return threading.get_ident() == here or is_worker(sys._getframe())

    with (
        swapped(time, "sleep", _shortened(vars(time)["sleep"], ours)),
        swapped(asyncio, "sleep", _shortened(asyncio.sleep, ours)),
        around,
    ):
        yield


def _shortened(sleep: Callable[..., Any], ours: Callable[[], bool]) -> Callable[..., Any]:
    def asleep(seconds: float, *rest: Any, **more: Any) -> Any:
        return sleep(0 if ours() else seconds, *rest, **more)

    return asleep
