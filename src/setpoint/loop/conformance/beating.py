"""Check of `async def` methods: while one waits, the event loop's heart goes on beating."""

import asyncio
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Final

from setpoint import system
from setpoint.loop.conformance.bench import Bench, Skipped
from setpoint.loop.conformance.deed import deeds
from setpoint.loop.conformance.process import Process
from setpoint.loop.conformance.swap import swapped

BEAT_SECONDS: Final = 0.01
HELD_SECONDS: Final = 1.0
"""Without a beat, for whatever reason: far more than a busy machine takes from what only computes."""


class Heart:
    """A task on the event loop that wants a turn every now and then."""

    def __init__(self) -> None:
        self.beats = 0
        self.stopped_by = ""
        self._beaten_at = 0.0

    async def beat(self) -> None:
        self._beaten_at = system.monotonic()
        while True:
            self.notice()
            self.beats += 1
            self._beaten_at = system.monotonic()
            await asyncio.sleep(BEAT_SECONDS)

    def notice(self) -> None:
        """It stood still for too long, and nobody knows why."""
        if not self.stopped_by and self.beats and system.monotonic() - self._beaten_at > HELD_SECONDS:
            self.stopped_by = f"something, for more than {HELD_SECONDS:g} s"

    def waits(self, what: str, wait: Callable[[], Any]) -> Any:
        """A wait that lets no beat through: however short it is here, elsewhere it may be long."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return wait()  # A thread of its own: the heart does not mind.
        before = self.beats
        answer = wait()
        if self.beats == before:
            self.stopped_by = self.stopped_by or what
        return answer


@contextmanager
def listening(heart: Heart) -> Iterator[None]:
    """Tells the heart of everything that this thread waits for."""
    here = threading.get_ident()

    def told(wait: Callable[..., Any], what: str, blocks: Callable[[Any], bool]) -> Callable[..., Any]:
        def waiting(*args: Any, **more: Any) -> Any:
            if threading.get_ident() != here or not blocks(args[0] if args else None):
                return wait(*args, **more)
            return heart.waits(what, lambda: wait(*args, **more))

        return waiting

    with ExitStack() as stack:
        for owner, name, what, blocks in _WAITS:
            stack.enter_context(swapped(owner, name, told(getattr(owner, name), what, blocks)))
        yield
    heart.notice()


def event_loop(bench: Bench) -> Iterator[str]:
    key = next(iter(bench.stage.spelt), bench.cast.key)
    reads: dict[str, tuple[object, ...]] = {"desired": (), "observe": (), "look": (key,)}
    with bench.process() as process:
        asked = {m: args for m, args in reads.items() if process.has(m) and process.is_async(m)}
        acting = [deed for deed in deeds(bench) if process.is_async(deed.method)]
    if not asked and not acting:
        raise Skipped("no method is async")
    for method, args in asked.items():
        yield from _stopped(bench, method, *args)
    for deed in acting:
        bench.restore()
        deed.set_up(bench, bench.stage)
        yield from _stopped(bench, deed.method, *deed.args)


def _stopped(bench: Bench, method: str, *args: object) -> Iterator[str]:
    heart = Heart()
    with bench.process() as process:
        process.beside = heart.beat
        process.call(method, *args, around=listening(heart))
    if heart.stopped_by:
        title = Process.title(method, *args)
        yield f"async def {title} waits for {heart.stopped_by}; the event loop's heart stands still meanwhile"


def _always(_: Any) -> bool:
    return True


def _blocking(connection: Any) -> bool:
    return isinstance(connection, socket.socket) and connection.gettimeout() != 0.0


_WAITS: Final[tuple[tuple[Any, str, str, Callable[[Any], bool]], ...]] = (
    (time, "sleep", "time.sleep", _always),
    (socket.socket, "connect", "a connection", _blocking),
    (subprocess.Popen, "wait", "a command", _always),
    (subprocess.Popen, "communicate", "a command", _always),
)
