"""Calling what somebody else wrote: async or plain, with a deadline. A bad end is one of the five errors."""

import asyncio
import inspect
import sysconfig
import traceback
from collections.abc import AsyncIterable, Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any, Final

from setpoint.engine.errors import FAILURES, Transient
from setpoint.loop.hands import Hands

AnyAnswer = Any
AnyMethod = Callable[..., Any]

Told = Callable[["Ended | None"], None]
Begin = Callable[[Told], "asyncio.Future[Any]"]
"""Begins a call, which tells how it ended; what it returns is done when the call is."""

HANGING_AT_MOST: Final = 32
"""So many calls of one loop may hang at once; then nothing more is begun."""
trace: ContextVar[Callable[[str, BaseException], None]] = ContextVar("trace", default=lambda *_: None)
"""Told of every error that a call ends with: whoever debugs a loop wants all of it."""
_OTHERS: Final = (
    "<",
    f"{PurePath(__file__).parents[1]}/",
    *(f"{sysconfig.get_path(place)}/" for place in ("stdlib", "platstdlib", "purelib", "platlib")),
)
"""Where code lies that is not a loop's author's: ours, the standard library, what is installed."""
CURE: Final = "restart the process to end it"
"""Python cannot end a thread: only the end of the process does."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One call: which method, with what, for how long."""

    title: str
    method: AnyMethod
    args: tuple[Any, ...]
    seconds: float
    acts: bool = False  # Then nobody knows whether a call that went wrong has landed.
    key: str = ""  # The item it is about, if it is about one.
    finish: Callable[[AnyAnswer], AnyAnswer] = lambda answer: answer
    """What to make of the answer, done where it was given: a generator runs its author's code."""


@dataclass(frozen=True, slots=True)
class Ended:
    """What a call came to."""

    answer: AnyAnswer = None
    error: BaseException | None = None


@dataclass(frozen=True, slots=True)
class Hanging:
    """A call that has not ended although its time is up, and when it began."""

    title: str
    since: float
    key: str = ""
    """The item it is about; empty where it is about all of them."""

    def __str__(self) -> str:
        # A point in time, not a length: a sentence that changes by itself would be written at every pass.
        began = datetime.fromtimestamp(self.since, UTC)
        return f"{self.title} has been running since {began:%Y-%m-%d %H:%M:%S} UTC; {CURE}"


def titled(loop: str, method: str, *args: object) -> str:
    """`Flags.put('beta')`. Values are left out: they may hold secrets."""
    return f"{loop}.{method}({', '.join(repr(each) for each in args)})"


class Caller:
    """Calls of one loop. A call that hangs stays known until it ends, and is not begun a second time."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._hands = Hands()
        self._hanging: dict[str, Hanging] = {}

    @property
    def hanging(self) -> tuple[Hanging, ...]:
        """Every call that has not ended although its time is up, the oldest first."""
        return tuple(self._hanging.values())

    def hangs(self, place: str) -> bool:
        """Whether a call at this place has not ended although its time is up."""
        return place in self._hanging

    async def call(self, place: str, ask: Ask) -> AnyAnswer:
        """The answer, or one of the five errors, naming the method. One call at a time in each place."""
        self._check_free(place, ask)
        if is_async(ask.method):
            ended = await self._within(place, ask, lambda told: _task(ask, _called(ask), told))
        else:
            ended = await self._within(
                place, ask, lambda told: self._hands.do(lambda: _worked_out(ask), told)
            )
            if _is_awaited(ended.answer):
                ended = await self._within(place, ask, lambda told: _task(ask, ended, told))
        if ended.error is not None:
            trace.get()(ask.title, ended.error)
            raise failure(ask.title, ended.error, landed=ask.acts) from ended.error
        return ended.answer

    def close(self) -> None:
        """Idle threads end; one that hangs ends with the process."""
        self._hands.close()

    async def _within(self, place: str, ask: Ask, begin: Begin) -> Ended:
        """What it came to. Not `wait_for`, which waits for ever for whoever ignores being cancelled."""
        loop = asyncio.get_running_loop()
        either: asyncio.Future[Ended | None] = loop.create_future()

        def told(ended: Ended | None) -> None:
            if not either.done():
                either.set_result(ended)

        began = self._now()
        work = begin(told)
        timer = loop.call_later(ask.seconds, told, None)
        try:
            ended = await either
        finally:
            timer.cancel()
            if not work.done():
                self._hanging[place] = Hanging(ask.title, began, ask.key)
                work.add_done_callback(lambda _: self._hanging.pop(place, None))
                if isinstance(work, asyncio.Task):
                    work.cancel()
        if ended is None:
            raise Transient(f"{ask.title} gave no answer within {ask.seconds:g} s", landed=ask.acts)
        return ended

    def _check_free(self, place: str, ask: Ask) -> None:
        earlier = self._hanging.get(place)
        if earlier is not None:
            raise Transient(str(earlier), landed=ask.acts)
        if len(self._hanging) >= HANGING_AT_MOST:
            many = f"{len(self._hanging)} calls have not come back; restart the process to end them"
            raise Transient(f"{ask.title} is not begun: {many}")


def is_async(method: AnyMethod) -> bool:
    """Whether calling it only begins it, and the rest is awaited."""
    code = getattr(method, "__code__", None)
    if code is None:
        return inspect.iscoroutinefunction(method) or inspect.isasyncgenfunction(method)
    return bool(code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR))


def failure(title: str, error: BaseException, *, landed: bool = False) -> Exception:
    """One of the five: theirs as it is, anything else as a call that may be tried again."""
    if isinstance(error, FAILURES):
        return error
    if isinstance(error, asyncio.CancelledError):
        return Transient(f"{title} was cancelled from inside", landed=landed)
    said = f"{title} raised {type(error).__name__}" + (f": {error}" if str(error) else "")
    return Transient(f"{said}{_place(error)}", landed=landed)


def _place(error: BaseException) -> str:
    """` (flags.py:31 in observe)`: the last line of its author's own on the way to an error."""
    frames = [(frame.f_code, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    own = [(code, line) for code, line in frames if not code.co_filename.startswith(_OTHERS)]
    if not own:
        return ""
    code, line = own[-1]
    return f" ({PurePath(code.co_filename).name}:{line} in {code.co_name})"


def _is_awaited(answer: object) -> bool:
    return isinstance(answer, Awaitable | AsyncIterable)


def _task(ask: Ask, called: Ended, told: Told) -> "asyncio.Task[None]":
    return asyncio.get_running_loop().create_task(_awaited(ask, called, told))


def _called(ask: Ask) -> Ended:
    try:
        return Ended(ask.method(*ask.args))
    except BaseException as error:  # noqa: BLE001 - whatever their code raises is an answer to us
        return Ended(error=error)


def _worked_out(ask: Ask) -> Ended:
    """On a thread: the call and, unless the answer is to be awaited, what to make of it."""
    ended = _called(ask)
    if ended.error is not None or _is_awaited(ended.answer):
        return ended
    return _finished(ask, ended.answer)


def _finished(ask: Ask, answer: AnyAnswer) -> Ended:
    try:
        return Ended(ask.finish(answer))
    except BaseException as error:  # noqa: BLE001 - a generator of theirs may raise anything
        return Ended(error=error)


async def _awaited(ask: Ask, called: Ended, told: Told) -> None:
    """The rest of a call that was only begun."""
    try:
        answer = called.answer
        if isinstance(answer, Awaitable):
            answer = await answer
        if isinstance(answer, AsyncIterable):
            answer = [each async for each in answer]
    except asyncio.CancelledError as error:
        told(Ended(error=error))
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever their code raises is an answer to us
        told(Ended(error=error))
    else:
        told(_finished(ask, answer) if called.error is None else called)
