"""Checks of whole passes with every guard on: the same events again, and a clock that jumps."""

import asyncio
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from setpoint.engine.entity import State, Status
from setpoint.engine.plan import DESTRUCTIVE, Absence
from setpoint.engine.rows import Act, ActState
from setpoint.loop.conformance.bench import Bench, Untested, seen
from setpoint.loop.conformance.sources import is_worker
from setpoint.loop.conformance.swap import swapped
from setpoint.loop.conformance.words import listed
from setpoint.loop.conformance.world import differences
from setpoint.loop.keyed import Keyed
from setpoint.loop.trial import trial

AnyValue = Any

TIMES: Final = 10
RETRIED: Final = 60.0
"""What was refused is tried again by then."""
DAY: Final = 86400.0
JUMPS: Final = (DAY, -2 * DAY, 3600.0, -3600.0, 365 * DAY, -365 * DAY)
"""Forth and back, each from where the last one led to."""


def same_again(bench: Bench) -> Iterator[str]:
    """Ten equal passes: one create."""
    tried, status = asyncio.run(_passed(_wanting_one_more(bench), [0.0] * TIMES))
    acts = [act for act in tried if act.state is not ActState.FAILED]  # What was refused is tried again.
    title = f"{TIMES} passes with one key more, {bench.cast.key!r},"
    if [(act.verb.value, act.item) for act in acts] != [("create", bench.cast.key)]:
        said = listed(f"{act.verb.value} {act.item!r}" for act in acts) or "nothing"
        yield f"{title} led to {len(acts)} acts: {said}"
    elif status.state is not State.READY and not bench.settles_in:  # No time goes by here to settle in.
        yield f"{title} made it once, and then: {status.state}, {status.reason}"


def clock_jump(bench: Bench) -> Iterator[str]:
    """Nothing is lost because it is suddenly tomorrow, or yesterday."""
    before = bench.world()
    for jump in (DAY, -DAY):
        now = seen(bench.ask("observe", around=_clock(jump)), "observe")
        after = bench.world()
        # What is still so with the clock set right changed by itself: that is not the clock's doing.
        if changes := [each for each in differences(before, now) if each in differences(after, now)]:
            day = "ahead" if jump > 0 else "back"
            yield f"with the clock a day {day}, observe() answers otherwise: {listed(changes)}"
            return
        before = after
    acts, _ = asyncio.run(_passed(_wanting_one_more(bench), JUMPS))
    if lost := [f"{act.verb.value} {act.item!r}" for act in acts if act.verb in DESTRUCTIVE]:
        yield f"with the clock jumping between passes: {listed(lost)}"


async def _passed(loop: Keyed, jumps: Sequence[float]) -> tuple[tuple[Act, ...], Status]:
    """A pass after each jump of the clock; what they did, and how it stands."""
    asyncio.get_running_loop().set_exception_handler(lambda *_: None)
    async with trial(loop) as passes:
        for jump in jumps:
            passes.runtime.time += jump
            await passes.run_once()
            if passes.acts and passes.acts[-1].state is ActState.FAILED:
                passes.runtime.time += RETRIED
        return passes.acts, passes.status()


def _wanting_one_more(bench: Bench) -> Keyed:
    """A loop that wants what is there, so that there is nothing to take away, and one key more."""
    process = bench.process()
    there = {key: value for key, value in bench.stage.values.items() if not isinstance(value, Absence)}
    if process.has("mine"):
        there = {key: value for key, value in there.items() if process.call("mine", key, value).answer}
    wanted = {**there, bench.cast.key: bench.cast.values[0]}
    try:
        process.loop.desired = lambda: wanted  # type: ignore[method-assign]
    except AttributeError as error:
        raise Untested(f"desired cannot be exchanged: {error}", "duplicate events") from error
    return process.loop


@contextmanager
def _clock(ahead: float) -> Iterator[None]:
    """`time.time()` of this thread and its executor's threads, so many seconds ahead."""
    here = threading.get_ident()

    real = vars(time)["time"]

    def shifted() -> float:
        ours = threading.get_ident() == here or is_worker(sys._getframe())
        seconds: float = real()
        return seconds + ahead if ours else seconds

    with swapped(time, "time", shifted):
        yield
