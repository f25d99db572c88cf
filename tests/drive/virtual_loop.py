"""An event loop whose time is a fake runtime's: where everybody waits, time jumps to whoever waits least."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from engine.fake_runtime import FakeRuntime


class VirtualLoop(asyncio.SelectorEventLoop):
    """Hours pass in milliseconds, and always in the same order."""

    def __init__(self, runtime: FakeRuntime) -> None:
        super().__init__()
        self._runtime = runtime

    def time(self) -> float:
        return self._runtime.time

    def _run_once(self) -> None:
        waiting = [timer.when() for timer in self._scheduled if not timer.cancelled()]  # type: ignore[attr-defined]
        if waiting and not self._ready:  # type: ignore[attr-defined]
            self._runtime.time = max(self._runtime.time, min(waiting))
        super()._run_once()  # type: ignore[misc]


def virtually(runtime: FakeRuntime, story: Coroutine[Any, Any, None]) -> None:
    """Runs the story to its end, in no real time."""
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(runtime)) as runner:
        runner.run(story)
