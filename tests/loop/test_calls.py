"""What others wrote is called with a deadline: it blocks neither loop nor exit, and every end has a name."""

import asyncio
import re
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from setpoint.loop import Conflict, Denied, Missing, Rejected, Transient
from setpoint.loop.calls import HANGING_AT_MOST, Ask, Caller, is_async, titled
from setpoint.loop.hands import IDLE_AT_MOST

FIVE = [Transient("later"), Rejected("no"), Missing("gone"), Conflict("first"), Denied("never")]


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """What hangs waits here; opened at the end, so that no thread outlives its test."""
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def caller() -> Iterator[Caller]:
    made = Caller(time.time)
    yield made
    made.close()


def ask(method: Callable[..., Any], *args: Any, seconds: float = 5.0, acts: bool = True) -> Ask:
    return Ask(titled("Flags", "put", "beta"), method, args, seconds, acts=acts)


def plain(value: Any) -> Any:
    if isinstance(value, BaseException):
        raise value
    return value


async def asynchronous(value: Any) -> Any:
    await asyncio.sleep(0)
    return plain(value)


def wrapped(value: Any) -> Any:
    """A plain def that returns what must be awaited, as a decorator leaves it."""
    return asynchronous(value)


WAYS = pytest.mark.parametrize("method", [plain, asynchronous, wrapped])


@WAYS
async def test_async_or_plain_the_answer_is_the_answer(caller: Caller, method: Any) -> None:
    assert await caller.call("here", ask(method, 7)) == 7


@WAYS
@pytest.mark.parametrize("error", FIVE, ids=lambda error: type(error).__name__)
async def test_the_five_errors_pass_as_they_are(caller: Caller, method: Any, error: Exception) -> None:
    with pytest.raises(type(error)) as caught:
        await caller.call("here", ask(method, error))
    assert caught.value is error


@WAYS
@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("bad"), "Flags.put('beta') raised ValueError: bad"),
        (KeyError("x"), "Flags.put('beta') raised KeyError: 'x'"),
        (RuntimeError(), "Flags.put('beta') raised RuntimeError"),
        (TimeoutError("slow"), "Flags.put('beta') raised TimeoutError: slow"),
        (SystemExit(3), "Flags.put('beta') raised SystemExit: 3"),
        (asyncio.CancelledError(), "Flags.put('beta') was cancelled from inside"),
    ],
    ids=lambda each: type(each).__name__,
)
async def test_any_other_error_names_the_method_and_may_have_landed(
    caller: Caller, method: Any, error: BaseException, said: str
) -> None:
    with pytest.raises(Transient) as caught:
        await caller.call("here", ask(method, error))
    place = "" if isinstance(error, asyncio.CancelledError) else r" \(test_calls.py:\d+ in plain\)"
    assert re.fullmatch(re.escape(said) + place, str(caught.value))
    assert caught.value.landed
    with pytest.raises(Transient) as caught:
        await caller.call("here", ask(method, type(error)(*error.args), acts=False))
    assert not caught.value.landed


async def test_a_plain_call_runs_beside_the_event_loop(caller: Caller, gate: threading.Event) -> None:
    def waits() -> str:
        gate.wait(5)
        return threading.current_thread().name

    waiting = asyncio.create_task(caller.call("here", ask(waits)))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    gate.set()
    assert await waiting == "setpoint-hand"


async def hangs_for_ever() -> None:
    await asyncio.Event().wait()


async def ignores_being_cancelled() -> None:
    while True:
        try:
            await asyncio.sleep(0.2)
        except asyncio.CancelledError:
            continue
        return


@pytest.mark.parametrize("method", [hangs_for_ever, ignores_being_cancelled])
async def test_past_its_deadline_a_coroutine_may_have_landed(caller: Caller, method: Any) -> None:
    with pytest.raises(Transient, match=r"Flags.put\('beta'\) gave no answer within 0.05 s") as caught:
        await caller.call("here", ask(method, seconds=0.05))
    assert caught.value.landed
    while caller.hangs("here"):  # noqa: ASYNC110 - until it has really ended
        await asyncio.sleep(0.01)


async def test_past_its_deadline_a_plain_call_hangs_until_it_ends(
    caller: Caller, gate: threading.Event
) -> None:
    with pytest.raises(Transient, match=r"gave no answer within 0.05 s") as caught:
        await caller.call("here", ask(gate.wait, 5, seconds=0.05))
    assert caught.value.landed
    assert caller.hangs("here")
    gate.set()
    while caller.hangs("here"):  # noqa: ASYNC110
        await asyncio.sleep(0.001)
    assert await caller.call("here", ask(plain, 1)) == 1


async def test_while_it_hangs_nothing_is_begun_in_its_place(caller: Caller, gate: threading.Event) -> None:
    begun = []
    with pytest.raises(Transient):
        await caller.call("here", ask(gate.wait, 5, seconds=0.01))
    for _ in range(50):
        with pytest.raises(
            Transient, match=r"^Flags.put\('beta'\) has been running since \d{4}-.* UTC; restart the process"
        ) as caught:
            await caller.call("here", ask(begun.append, 1))
        assert caught.value.landed  # The call before it may still land.
    assert begun == []
    assert await caller.call("elsewhere", ask(plain, 1)) == 1


async def test_threads_do_not_pile_up_however_many_places_hang(caller: Caller, gate: threading.Event) -> None:
    before = threading.active_count()
    for place in range(HANGING_AT_MOST + 20):
        with pytest.raises(Transient):
            await caller.call(str(place), ask(gate.wait, 5, seconds=0.001))
    assert threading.active_count() <= before + HANGING_AT_MOST
    with pytest.raises(
        Transient, match=f"is not begun: {HANGING_AT_MOST} calls have not come back"
    ) as caught:
        await caller.call("another", ask(plain, 1))
    assert not caught.value.landed


async def test_calls_in_a_row_share_one_thread(caller: Caller) -> None:
    used = [await caller.call("here", ask(threading.current_thread)) for _ in range(100)]
    assert len(set(used)) == 1


async def test_when_many_calls_end_at_once_few_threads_wait_for_more(
    caller: Caller, gate: threading.Event
) -> None:
    before = threading.active_count()
    calls = [caller.call(str(place), ask(gate.wait, 5)) for place in range(20)]
    waiting = asyncio.gather(*calls)
    await asyncio.sleep(0.01)
    gate.set()
    await waiting
    async with asyncio.timeout(60):
        while threading.active_count() > before + IDLE_AT_MOST:  # noqa: ASYNC110 - ending takes a moment
            await asyncio.sleep(0.001)


async def test_whoever_is_cancelled_leaves_the_call_known_as_hanging(
    caller: Caller, gate: threading.Event
) -> None:
    waiting = asyncio.create_task(caller.call("here", ask(gate.wait, 5)))
    await asyncio.sleep(0.01)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert caller.hangs("here")


def test_a_call_that_hangs_for_ever_does_not_hold_up_the_exit() -> None:
    program = textwrap.dedent("""
        import asyncio, threading, time
        from setpoint.loop.calls import Ask, Caller

        async def main():
            try:
                await Caller(time.time).call("x", Ask("x", threading.Event().wait, (), 0.05))
            except Exception as error:
                print(error)

        asyncio.run(main())
    """)
    command = [sys.executable, "-c", program]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)  # noqa: S603
    assert (ended.returncode, ended.stdout.strip(), ended.stderr) == (0, "x gave no answer within 0.05 s", "")


async def test_what_is_made_of_the_answer_is_made_where_it_was_given(caller: Caller) -> None:
    def generates() -> Iterator[str]:
        yield threading.current_thread().name

    made = Ask("x", generates, (), 5.0, finish=list)
    assert await caller.call("here", made) == ["setpoint-hand"]


async def generates_later() -> AsyncIterator[int]:
    yield 1
    await asyncio.sleep(0)
    yield 2


def generates_plainly() -> AsyncIterator[int]:
    return generates_later()


@pytest.mark.parametrize("method", [generates_later, generates_plainly])
async def test_an_async_generator_is_gathered(caller: Caller, method: Any) -> None:
    assert await caller.call("here", ask(method)) == [1, 2]


def test_objects_that_are_called_are_told_apart_too() -> None:
    class Calls:
        def __call__(self) -> None: ...

    assert (is_async(Calls()), is_async(asynchronous), is_async(generates_later)) == (False, True, True)
