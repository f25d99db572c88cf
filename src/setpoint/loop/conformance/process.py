"""One simulated process: a fresh instance of a loop, its methods called the way the library calls them."""

import asyncio
import inspect
import threading
from collections.abc import AsyncIterable, Callable, Coroutine
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Final

from setpoint import system
from setpoint.engine.errors import Transient
from setpoint.loop.calls import is_async, titled
from setpoint.loop.conformance.sources import Watch
from setpoint.loop.conformance.words import short
from setpoint.loop.keyed import Keyed, defines
from setpoint.loop.pairs import pairs

AnyAnswer = Any
Make = Callable[[], Keyed]
Around = AbstractContextManager[object]
Owns = Callable[[Keyed, str, AnyAnswer], bool]

PAUSE_SECONDS: Final = 0.05
READS: Final = ("desired", "observe", "changes")


@dataclass(frozen=True, slots=True)
class Said:
    """What a call came to: an answer, an error, or nothing in time."""

    answer: AnyAnswer = None
    error: BaseException | None = None
    hangs: bool = False

    @property
    def well(self) -> bool:
        return self.error is None and not self.hangs


class Process:
    """What it remembers is gone with it; what it did to the world stays."""

    def __init__(self, make: Make, seconds: float, owns: Owns) -> None:
        self.loop = make()
        self._seconds, self._owns = seconds, owns
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        self._hangs = False
        self.beside: Callable[[], Coroutine[Any, Any, None]] | None = None
        """What else the event loop has to do while it runs an `async def`."""

    def has(self, method: str) -> bool:
        return defines(self.loop, method)

    def is_async(self, method: str) -> bool:
        return is_async(getattr(self.loop, method))

    @staticmethod
    def title(method: str, *args: object) -> str:
        """`put('beta', {'on': True})`."""
        return f"{method}({', '.join(short(each) for each in args)})"

    def call(self, method: str, *args: object, around: Around | None = None) -> Said:
        """What a call comes to. Transient says that trying again helps: the engine does that, and so do we,
        unless something that goes wrong is `around` it.
        """
        ends, pause = system.monotonic() + self._seconds, PAUSE_SECONDS
        said = self._called(method, args, around)
        while isinstance(said.error, Transient) and _is_quiet(around) and system.monotonic() + pause < ends:
            threading.Event().wait(pause)
            pause *= 2
            said = self._called(method, args, around)
        return said

    def _called(self, method: str, args: tuple[object, ...], around: Around | None) -> Said:
        """In a thread of its own, an `async def` on this process's event loop; waited for only so long."""
        ended: list[Said] = []
        work = self._work(method, args)
        thread = threading.Thread(
            target=lambda: ended.append(_said(work, around or nullcontext())), name="assert_loop", daemon=True
        )
        thread.start()
        thread.join(self._seconds)
        self._hangs = not ended
        return ended[0] if ended else Said(hangs=True)

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, *_: object) -> None:
        if not self._hangs:
            self._runner.close()

    def _run(self, work: Coroutine[Any, Any, AnyAnswer]) -> AnyAnswer:
        # What a dead process leaves unfinished is nobody's error.
        self._runner.get_loop().set_exception_handler(lambda *_: None)
        return self._runner.run(work)

    def _work(self, method: str, args: tuple[object, ...]) -> Callable[[], AnyAnswer]:
        written = getattr(self.loop, method)

        def work() -> AnyAnswer:
            if is_async(written):
                answer = self._run(_asked(written, args, self.beside))
            else:
                answer = written(*args)
                if inspect.isawaitable(answer) or isinstance(answer, AsyncIterable):
                    answer = self._run(_awaited(answer))
            whole = method in READS and not (method == "changes" and answer is None)
            found = pairs(titled(self.loop.name(), method), answer) if whole else answer
            if method == "observe":
                # What is not ours may change as it likes, and is never put back.
                found = {key: value for key, value in found.items() if self._owns(self.loop, key, value)}
            return found

        return work


def _is_quiet(around: Around | None) -> bool:
    return around is None or (isinstance(around, Watch) and around.is_quiet)


def _said(work: Callable[[], AnyAnswer], around: Around) -> Said:
    try:
        with around:
            return Said(work())
    except BaseException as error:  # noqa: BLE001 - whatever their code raises is what we want to know
        return Said(error=error)


async def _asked(
    method: Callable[..., AnyAnswer],
    args: tuple[object, ...],
    beside: Callable[[], Coroutine[Any, Any, None]] | None,
) -> AnyAnswer:
    other = asyncio.create_task(beside()) if beside else None
    await asyncio.sleep(0)
    try:
        return await _awaited(method(*args))
    finally:
        if other:
            other.cancel()


async def _awaited(answer: AnyAnswer) -> AnyAnswer:
    if inspect.isawaitable(answer):
        answer = await answer
    if isinstance(answer, AsyncIterable):
        answer = [each async for each in answer]
    return answer
