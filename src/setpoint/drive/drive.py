"""Turns: whoever is due gets one, as many at once as allowed, each key at most once at a time."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

import structlog

from setpoint.engine.agenda import NEVER, Agenda
from setpoint.engine.conclude import back_off
from setpoint.engine.entity import Ref
from setpoint.engine.errors import FAILURES, Conflict
from setpoint.engine.rows import Lane, Wake
from setpoint.engine.runtime import Runtime
from setpoint.engine.store import WAKES_AFTER, Store

REREAD_SECONDS: Final = 2.0
"""Wakes are read again this often: the hints only shorten the wait."""
WAKES_AT_ONCE: Final = 10_000
STOP_SECONDS: Final = 20.0

log = structlog.get_logger("drive")


@dataclass(frozen=True, slots=True)
class Turns:
    """What a drive does: `take` one turn and say when the next is due; `mine` tells whose wakes are ours."""

    take: Callable[[Ref], Awaitable[float | None]]
    mine: Callable[[Ref], bool]
    every: Callable[[Ref], float | None]
    """The usual interval, for turns that ask for nothing else; None means only when woken."""
    at_once: int


@dataclass(slots=True)
class Drive:
    """One agenda with its wakes. `run` until `stop`."""

    store: Store
    runtime: Runtime
    turns: Turns
    agenda: Agenda = field(default_factory=Agenda)
    _hint: asyncio.Event = field(default_factory=asyncio.Event)
    _heard: set[str] = field(default_factory=set)
    _running: dict[asyncio.Task[None], Ref] = field(default_factory=dict)
    _failures: dict[Ref, int] = field(default_factory=dict)
    _stopping: bool = False

    async def run(self) -> None:
        """Turns until stopped; then those under way are waited for."""
        forget = self.store.listen(lambda _: self._hint.set())
        try:
            while not self._stopping:
                self._hint.clear()
                await self._heed()
                self._begin()
                await self._pause()
        finally:
            forget()
            await self._wind_down()

    def stop(self) -> None:
        """No turn begins after this."""
        self._stopping = True
        self._hint.set()

    async def _heed(self) -> None:
        try:
            await self._hear()
        except FAILURES as error:
            # The store is away: what is under way goes on, and wakes are read again when it is back.
            log.warning("wakes cannot be read", why=str(error))

    async def _hear(self) -> None:
        """New wakes become due; ids already heard do not, so a failing turn is not woken by its own wake."""
        rows = await self.store.read(WAKES_AFTER, after="", limit=WAKES_AT_ONCE)
        ours = [wake for wake in rows if self.turns.mine(wake.ref)]
        for wake in ours:
            if wake.id not in self._heard:
                self._wake(wake)
        self._heard = {wake.id for wake in ours}

    def _wake(self, wake: Wake) -> None:
        self.agenda.wake(wake.ref, wake.lane, self.runtime.now())

    def _begin(self) -> None:
        while not self._stopping and len(self._running) < self.turns.at_once:
            ref = self.agenda.take(self.runtime.now())
            if ref is None:
                return
            task = asyncio.create_task(self._turn(ref), name=f"turn {ref}")
            self._running[task] = ref
            task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.pop(task, None)
        self._hint.set()

    async def _turn(self, ref: Ref) -> None:
        try:
            due = await self.turns.take(ref)
            self._failures.pop(ref, None)
        except Conflict as error:
            log.info("turn overtaken", ref=ref, why=str(error))
            due = self._later(ref)
        except Exception:
            log.exception("turn failed", ref=ref)
            due = self._later(ref)
        now = self.runtime.now()
        self.agenda.done(ref, now)
        if due == 0.0:
            self.agenda.wake(ref, Lane.EVENT, now)
            return
        wait = due if due is not None else self.turns.every(ref)
        if wait is not None and wait != NEVER:
            self.agenda.at(ref, now + wait, Lane.RESYNC if due is None else Lane.RETRY)

    def _later(self, ref: Ref) -> float:
        self._failures[ref] = self._failures.get(ref, 0) + 1
        return back_off(self._failures[ref], self.runtime.chance())

    async def _pause(self) -> None:
        """Until a hint, the next timer, or the time to read wakes again."""
        due = self.agenda.next_at()
        wait = REREAD_SECONDS if due is None else min(REREAD_SECONDS, max(0.001, due - self.runtime.now()))
        try:
            async with asyncio.timeout(wait):
                await self._hint.wait()
        except TimeoutError:
            return

    async def _wind_down(self) -> None:
        if self._running:
            await asyncio.wait(self._running, timeout=STOP_SECONDS)
        for task in self._running:
            task.cancel()
