"""Passes over the loops of a file: each until it rests, or all of them until somebody asks for the end."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Protocol

from msgspec import structs

from setpoint.cli.exits import Exit
from setpoint.cli.screen import Screen
from setpoint.engine.errors import FAILURES
from setpoint.engine.rows import Lane, Wake
from setpoint.engine.store import Change, Put
from setpoint.loop.commands.facts import Standing, standing
from setpoint.loop.commands.session import Place
from setpoint.loop.notify import Notifier
from setpoint.loop.station import Station

PASSES_AT_MOST: Final = 500
FOLLOWED: Final = 0.5
"""Seconds: a pass that wants to look again sooner than this is followed, one that waits longer is not."""
PATIENCE: Final = 30.0
"""Seconds of such waiting in all."""
LOOKED_AGAIN: Final = 1.0
"""Seconds between two looks at an act that a process before this one did not end."""
DECIDED: Final = 0.05
"""So much past its last moment an act is surely over."""
TOLD_EVERY: Final = 1.0
"""What other processes commit is read this often; our own at once."""
WATCHED_EVERY: Final = 0.5


@dataclass(slots=True)
class Ending:
    """Whether somebody asked for the end, and with which exit code."""

    code: Exit | None = None
    event: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def asked(self) -> bool:
        return self.code is not None

    def ask(self, code: Exit) -> None:
        self.code = code
        self.event.set()


@contextmanager
def ending(screen: Screen) -> Iterator[Ending]:
    """The first signal asks for the end, the second does not wait for it."""
    end, loop = Ending(), asyncio.get_running_loop()

    def ask(code: Exit) -> None:
        if end.asked:
            # What was begun is on record: the next run looks before it acts on that again.
            os._exit(int(code) or int(Exit.INTERRUPTED))
        end.ask(code)
        screen.say("stopping: the act under way is finished, nothing more is begun")

    signals = {signal.SIGINT: Exit.INTERRUPTED, signal.SIGTERM: Exit.DONE}
    for number, code in signals.items():
        loop.add_signal_handler(number, ask, code)
    try:
        yield end
    finally:
        for number in signals:
            loop.remove_signal_handler(number)


class Teller(Protocol):
    """Who hears of what happens meanwhile, and who else is told."""

    @property
    def notifier(self) -> Notifier | None: ...
    async def tell(self) -> None: ...
    def say(self, what: str, fields: Mapping[str, object]) -> None: ...


def begun_only_while_wanted(station: Station, end: Ending) -> Station:
    """No act begins once somebody asked for the end."""
    journal = structs.replace(station.reconciler.journal, stopping=lambda: end.asked)
    return replace(station, reconciler=structs.replace(station.reconciler, journal=journal))


async def once(place: Place, station: Station, name: str, parts: tuple[Teller, Ending]) -> Standing:
    """One pass, and those that it says should follow at once: until it rests, is held or fails."""
    report, end = parts
    waited, began = 0.0, station.runtime.now()
    for _ in range(PASSES_AT_MOST):
        if end.asked:
            break
        began = station.runtime.now()
        wait = await station.reconcile(name)
        await report.tell()
        found = await standing(place, station, name, began)
        pause = followed_in(found, wait, PATIENCE - waited)
        if pause is None:
            return found
        waited += pause
        await asyncio.sleep(pause)
    return await standing(place, station, name, began)


def followed_in(found: Standing, wait: float | None, left: float) -> float | None:
    """Seconds until the pass that follows this one, of those `left` to wait; None: none does."""
    if wait == 0.0:
        return wait  # One key that failed does not keep the others from being done.
    if found.code is Exit.FAILED:
        return None
    if wait is not None and wait <= min(FOLLOWED, left):
        return wait
    if found.decided_in is None or found.decided_in + DECIDED > left:
        return None
    # What a process before this one left open is looked at until a look decides it.
    return min(LOOKED_AGAIN, found.decided_in + DECIDED)


async def endlessly(station: Station, report: Teller, end: Ending, watched: Path | None) -> None:
    """Every loop on its interval and whenever it is woken, until the end is asked for."""
    drive = station.scheduler(report.say).drive()
    for name, ref in station.refs.items():
        drive.agenda.wake(ref, Lane.INTERACTIVE, station.runtime.now(), name)
    driving = asyncio.create_task(drive.run(), name="drive")
    asked = asyncio.create_task(end.event.wait(), name="end")
    works = [_tell(station, report), *([_watch(station, watched)] if watched else [])]
    works += [report.notifier.run()] if report.notifier else []
    async with _beside(*works):
        try:
            await asyncio.wait({driving, asked}, return_when=asyncio.FIRST_COMPLETED)
            drive.stop()
            await driving
        finally:
            for task in (driving, asked):
                task.cancel()
            await asyncio.gather(driving, asked, return_exceptions=True)


@asynccontextmanager
async def _beside(*works: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Done meanwhile, and no longer."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _tell(station: Station, report: Teller) -> None:
    news = asyncio.Event()
    forget = station.store.listen(lambda _: news.set())
    try:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(TOLD_EVERY):
                    await news.wait()
            news.clear()
            with suppress(*FAILURES):  # What cannot be read now is told the next time.
                await report.tell()
    finally:
        forget()


async def _watch(station: Station, path: Path) -> None:
    """Looks at once when the file is another than it was."""
    seen = _mark(path)
    while True:
        await asyncio.sleep(WATCHED_EVERY)
        now = _mark(path)
        if now != seen:
            wakes = [_woken(station, name) for name in station.refs]
            with suppress(*FAILURES):
                await station.store.commit(Change(writes=tuple(map(Put, wakes))))
                seen = now


def _woken(station: Station, name: str) -> Wake:
    ref = station.ref(name)
    return Wake(
        id=station.runtime.new_id(), ref=ref, reason="the watched file changed", lane=Lane.EVENT, tenant=name
    )


def _mark(path: Path) -> tuple[int, int, int]:
    """What differs when a file was written or replaced; nothing of it where it is not there."""
    try:
        found = path.stat()
    except OSError:
        return 0, 0, 0
    return found.st_mtime_ns, found.st_size, found.st_ino
