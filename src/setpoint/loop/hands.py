"""Threads for what blocks. They are daemons: one that hangs holds up neither the event loop nor the exit."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, Final

AnyAnswer = Any
Work = Callable[[], AnyAnswer]
"""Must not raise: whoever has something to say returns it."""

IDLE_AT_MOST: Final = 4


class Hands:
    """As many threads as calls are under way, and a few that wait for the next one."""

    def __init__(self) -> None:
        self._idle: list[SimpleQueue[Job | None]] = []
        self._closed = False

    def do(self, work: Work, told: Callable[[AnyAnswer], None]) -> "asyncio.Future[None]":
        """Begun on a thread that does nothing else meanwhile; done when the work is, and its answer told."""
        job = Job(work, told, asyncio.get_running_loop())
        inbox = self._idle.pop() if self._idle else self._hired()
        job.over.add_done_callback(lambda _: self._rested(inbox))
        inbox.put(job)
        return job.over

    def close(self) -> None:
        """Whoever is idle may go; whoever is not goes when it is done."""
        self._closed = True
        while self._idle:
            self._idle.pop().put(None)

    def _hired(self) -> "SimpleQueue[Job | None]":
        inbox: SimpleQueue[Job | None] = SimpleQueue()
        # Not a pool of concurrent.futures: Python waits for its threads at exit, however long they hang.
        threading.Thread(target=_run, args=(inbox,), name="setpoint-hand", daemon=True).start()
        return inbox

    def _rested(self, inbox: "SimpleQueue[Job | None]") -> None:
        if self._closed or len(self._idle) >= IDLE_AT_MOST:
            inbox.put(None)
        else:
            self._idle.append(inbox)


class Job:
    """One piece of work, and who awaits its answer on which event loop."""

    def __init__(
        self, work: Work, told: Callable[[AnyAnswer], None], loop: asyncio.AbstractEventLoop
    ) -> None:
        self.work, self.told, self.loop = work, told, loop
        self.over: asyncio.Future[None] = loop.create_future()

    def run(self) -> None:
        answer = self.work()
        with suppress(RuntimeError):  # The event loop is closed: nobody waits any more.
            self.loop.call_soon_threadsafe(self._tell, answer)

    def _tell(self, answer: AnyAnswer) -> None:
        self.over.set_result(None)
        self.told(answer)


def _run(inbox: "SimpleQueue[Job | None]") -> None:
    while (job := inbox.get()) is not None:
        job.run()
