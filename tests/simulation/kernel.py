"""A seeded event loop with virtual time, and processes in it that can be killed and frozen.

Time jumps to whoever waits least. Which process runs next is chance; inside one process the order is that of
asyncio. A killed process is never scheduled again: no `finally`, no cancellation, as with a power cut.
"""

import asyncio
import contextvars
import gc
import hashlib
import heapq
import sys
import warnings
from collections import Counter, deque
from collections.abc import Callable, Coroutine
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, NoReturn

EPOCH: Final = 1_700_000_000.0
"""What the clocks of this world show at its beginning."""
STEPS_AT_MOST = 1_500_000  # A whole day of an operator takes some 500,000, a world with replicas 7,000.

AnyCoroutine = Coroutine[Any, Any, Any]


class Violation(AssertionError):
    """Something happened that must never happen."""


@dataclass(eq=False)
class Process:
    """What dies or freezes together."""

    name: str
    alive: bool = True
    paused_until: float = 0.0
    backlog: deque[asyncio.Handle] = field(default_factory=deque)


PROCESS: contextvars.ContextVar[Process | None] = contextvars.ContextVar("process", default=None)


class SimLoop(asyncio.BaseEventLoop):
    """One world's loop; everything that is chance in it comes from one seed."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.seed = seed
        self.chance = Random(seed)  # noqa: S311 - a world must be the same every time
        self.counted: Counter[str] = Counter()
        self.trace: list[str] | None = None
        self.violation: Violation | None = None
        self.steps = 0
        self._now = 0.0
        self._timers: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._timed = 0
        self._digest = hashlib.sha256()
        self._tasks: set[asyncio.Task[Any]] = set()  # Tasks of the dead included: nothing of them may run.
        self._dead: list[asyncio.Handle] = []

    def time(self) -> float:
        return self._now

    def now(self) -> float:
        """What a right clock shows."""
        return EPOCH + self._now

    def fate(self, of: str) -> float:
        """What is decided before a world begins: it moves nothing of what is chance in it."""
        return Random(f"{of} {self.seed}").random()  # noqa: S311 - as above

    @property
    def digest(self) -> str:
        return self._digest.hexdigest()[:16]

    def spawn(self, process: Process | None, work: AnyCoroutine, name: str = "") -> asyncio.Task[Any]:
        """A task of this process; without one, a task of the world that nothing stops."""
        context = contextvars.copy_context()
        context.run(PROCESS.set, process)
        return self.create_task(work, name=name or None, context=context)

    def soon(self, process: Process | None, seconds: float, call: Callable[[], object]) -> None:
        """Like `call_later`, on behalf of a process."""
        context = contextvars.copy_context()
        context.run(PROCESS.set, process)
        self.call_later(seconds, call, context=context)

    def pause(self, process: Process, seconds: float) -> None:
        """Stops the process where it next waits; its timers go off late, all at once."""
        until = self._now + seconds
        if until > process.paused_until:
            process.paused_until = until
            self.soon(None, seconds, lambda: self._resume(process))

    async def here(self, process: Process) -> None:
        """Goes on only while the process may: the dead stay here, the frozen as long as they are."""
        if self.is_closed():
            raise RuntimeError("the world is over")
        if not process.alive:
            await self.create_future()
        while process.paused_until > self._now:  # noqa: ASYNC110 - nobody but time ends this
            await asyncio.sleep(0)

    def note(self, *words: object) -> None:
        """One line of what happened: the same seed writes the same lines."""
        line = f"{self._now:.3f} {' '.join(map(str, words))}"
        self._digest.update(line.encode())
        if self.trace is not None:
            self.trace.append(line)

    def violated(self, invariant: str, message: str) -> None:
        """The first one ends the run."""
        if self.violation is None:
            self.note("VIOLATION", invariant, message)
            self.violation = Violation(f"{invariant} at {self._now:.1f} s: {message}")
            self.stop()

    def call_at(self, when: float, callback: Any, *args: Any, context: Any = None) -> asyncio.TimerHandle:
        """Timers of the same moment go off in the order in which they were set."""
        timer = asyncio.TimerHandle(when, callback, args, self, context)
        self._timed += 1
        heapq.heappush(self._timers, (when, self._timed, timer))
        return timer

    def create_task(self, coro: Any, *, name: str | None = None, context: Any = None) -> asyncio.Task[Any]:
        task = super().create_task(coro, name=name or "task", context=context)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> NoReturn:
        raise self._escape("a thread")

    def create_connection(self, *args: Any, **kwargs: Any) -> NoReturn:  # type: ignore[override]
        raise self._escape("a socket")

    def getaddrinfo(self, *args: Any, **kwargs: Any) -> NoReturn:  # type: ignore[override]
        raise self._escape("a name server")

    def subprocess_exec(self, *args: Any, **kwargs: Any) -> NoReturn:  # type: ignore[override]
        raise self._escape("a process")

    def forget(self) -> None:
        """Lets go of everything that still waits, the dead above all; what they say at that is unheard."""
        with _unheard():
            self.close()
            self.violation = None  # It knows where it happened, and so everything that was there.
            for waiting in (self._ready, self._timers, self._dead, self._tasks):  # type: ignore[attr-defined]
                waiting.clear()
            gc.collect()

    def _escape(self, what: str) -> RuntimeError:
        error = RuntimeError(f"something asked for {what}: it left the simulation")
        self.violated("determinism", str(error))
        return error

    def _process_events(self, event_list: Any) -> None:
        """There is no selector."""

    def _write_to_self(self) -> None:
        """There is nobody to wake up."""

    def _run_once(self) -> None:
        handle = self._chosen()
        if handle is None or handle.cancelled():
            return
        process = _process_of(handle)
        if process is not None and not process.alive:
            self._dead.append(handle)
        elif process is not None and process.paused_until > self._now:
            process.backlog.append(handle)
        else:
            handle._run()

    def _chosen(self) -> asyncio.Handle | None:
        """The first that is ready of a process that chance picks; none while time has to pass first."""
        ready: deque[asyncio.Handle] = self._ready  # type: ignore[attr-defined]
        timers = self._timers
        while timers and (timers[0][0] <= self._now or timers[0][2].cancelled()):
            timer = heapq.heappop(timers)[2]
            if not timer.cancelled():
                ready.append(timer)
        if not ready:
            if not timers:
                raise Violation(f"nobody waits for anything any more at {self._now:.1f} s")
            self._now = timers[0][0]
            return None
        self.steps += 1
        if self.steps > STEPS_AT_MOST:
            raise Violation(f"no end after {self.steps} steps, at {self._now:.1f} s")
        if len(ready) == 1:
            return ready.popleft()
        process = _process_of(ready[self.chance.randrange(len(ready))])
        place = next(at for at, handle in enumerate(ready) if _process_of(handle) is process)
        handle = ready[place]
        del ready[place]
        return handle

    def _resume(self, process: Process) -> None:
        if process.paused_until <= self._now:
            self._ready.extend(process.backlog)  # type: ignore[attr-defined]
            process.backlog.clear()


def _process_of(handle: asyncio.Handle) -> Process | None:
    context: contextvars.Context = handle._context  # type: ignore[attr-defined]
    return context.get(PROCESS)


def played(loop: SimLoop, story: AnyCoroutine) -> None:
    """Runs the story to its end or to the first violation, which it raises."""
    gc.disable()
    loop.set_exception_handler(lambda _, about: loop.is_closed() or loop.note("unheard", about["message"]))
    try:
        main = loop.spawn(None, story, "story")
        main.add_done_callback(lambda _: loop.stop())
        loop.run_forever()
        if loop.violation is not None:
            raise loop.violation
        main.result()
    finally:
        gc.enable()


@contextmanager
def _unheard() -> Any:
    """Coroutines that never end say so when they are let go."""
    hook = sys.unraisablehook
    sys.unraisablehook = lambda _: None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        finally:
            sys.unraisablehook = hook
