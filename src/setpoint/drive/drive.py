"""Turns: whoever is due gets one, as many at once as allowed, each key at most once at a time."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from setpoint.capabilities.urgency import BEHALF, URGENT
from setpoint.drive.ear import REREAD_SECONDS, Ear
from setpoint.drive.ownership import Ownership
from setpoint.engine.agenda import NEVER, Agenda, Due, resync_in
from setpoint.engine.conclude import back_off
from setpoint.engine.entity import Ref
from setpoint.engine.errors import FAILURES, Conflict, Transient
from setpoint.engine.rows import Lane
from setpoint.engine.runtime import Runtime
from setpoint.engine.store import Store
from setpoint.storage.quarantine import Unreadable

STOP_SECONDS: Final = 20.0
LOOK_SECONDS: Final = 10.0
"""How long the store is away before we look on without it, and how often we then look."""
LOOKING: Final = Ref("drive/looking")

Told = Callable[[str, Mapping[str, object]], None]
"""What happened, with its fields; `error` is an exception that nobody expected."""


@dataclass(frozen=True, slots=True)
class Roll:
    """A page of those who should be on the agenda, with their tenants, and after whom the next begins."""

    present: Sequence[tuple[Ref, str]]
    after: str
    """Empty at the end: the next roll call begins anew."""


@dataclass(frozen=True, slots=True)
class Turns:
    """What a drive does: `take` one turn and say when the next is due; `mine` tells which sorts are ours."""

    take: Callable[[Ref], Awaitable[float | None]]
    mine: Callable[[Ref], bool]
    owned: Callable[[Sequence[Ref]], Awaitable[frozenset[Ref]]]
    """Those of ours that are this replica's to do."""
    load: Callable[[Agenda], Awaitable[None]]
    """Puts everything that is this replica's to do on the agenda."""
    every: Callable[[Ref], float | None]
    """The usual interval, for turns that ask for nothing else; None means only when woken."""
    roll: Callable[[str], Awaitable[Roll]]
    told: Told
    at_once: int
    look: Callable[[], Coroutine[None, None, None]] | None = None
    """See what there is, while nothing can be decided because the store is away."""


@dataclass(slots=True)
class Drive:
    """One agenda with its wakes. `run` until `stop`."""

    store: Store
    runtime: Runtime
    turns: Turns
    ownership: Ownership
    agenda: Agenda = field(default_factory=Agenda)
    _ear: Ear = field(init=False)
    _hint: asyncio.Event = field(default_factory=asyncio.Event)
    _running: dict[asyncio.Task[None], Ref] = field(default_factory=dict)
    _failures: dict[Ref, int] = field(default_factory=dict)
    _called: str = ""
    _call_at: float = 0.0
    _heed_at: float = 0.0  # A store that is away is asked now and then, not all the time.
    _look_at: float = NEVER
    _stopping: bool = False

    def __post_init__(self) -> None:
        self._ear = Ear(self.store, self.turns.mine)

    async def run(self) -> None:
        """Turns until stopped; then those under way are waited for. Whoever cancels it does not wait."""
        forget = self.store.listen(self._hear)
        patience = 0.0
        try:
            while not self._stopping:
                self._hint.clear()
                await self._heed()
                self._begin()
                await self._pause()
            patience = STOP_SECONDS
        finally:
            forget()
            await self._wind_down(patience)

    def stop(self) -> None:
        """No turn begins after this."""
        self._stopping = True
        self._hint.set()

    def _hear(self, moved: frozenset[str]) -> None:
        if self._ear.prick(moved):
            self._hint.set()

    async def _heed(self) -> None:
        if self.runtime.now() < self._heed_at:
            return
        try:
            if await self.ownership.keep():
                await self.turns.load(self.agenda)
                self._ear.forget()
            wakes = await self._ear.hear(self.runtime.now())
            owned = await self.turns.owned([wake.ref for wake in wakes]) if wakes else ()
            for wake in wakes:
                if wake.ref in owned:
                    self.agenda.wake(wake.ref, wake.lane, self.runtime.now(), wake.tenant)
            if self.runtime.now() >= self._call_at:
                await self._call_roll()
        except FAILURES as error:
            # The store is away: what is under way goes on, and wakes are read again when it is back.
            self.turns.told("wakes cannot be read", {"why": str(error)})
            self._heed_at = self.runtime.now() + back_off(1, self.runtime.chance())
            self._look_on()

    def _look_on(self) -> None:
        now, due = self.runtime.now(), self.runtime.now() >= self._look_at
        if due and self.turns.look is not None and LOOKING not in self._running.values():
            self._start(self.turns.look(), LOOKING)
        if due or self._look_at == NEVER:
            self._look_at = now + LOOK_SECONDS

    async def _call_roll(self) -> None:
        """Whoever should be on the agenda and is not gets a turn: a wake that got lost is only a delay."""
        roll = await self.turns.roll(self._called)
        for ref, tenant in roll.present:
            if ref not in self.agenda:
                self.agenda.wake(ref, Lane.RESYNC, self.runtime.now(), tenant)
        self._called = roll.after
        self._call_at = self.runtime.now() + REREAD_SECONDS
        self._look_at = NEVER  # The store has answered.

    def _begin(self) -> None:
        while not self._stopping and len(self._running) < self.turns.at_once:
            due = self.agenda.take(self.runtime.now())
            if due is None:
                return
            self._start(self._turn(due), due.ref)

    def _start(self, work: Coroutine[None, None, None], ref: Ref) -> None:
        task = asyncio.create_task(work, name=f"turn {ref}")
        self._running[task] = ref
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.pop(task, None)
        self._hint.set()

    async def _turn(self, due: Due) -> None:
        # A task has a context of its own: this ends with the turn.
        URGENT.set(due.lane is Lane.INTERACTIVE)
        BEHALF.set(due.tenant)
        ref = due.ref
        try:
            wait = await self.turns.take(ref)
            self._failures.pop(ref, None)
        except Conflict as error:
            self.turns.told("turn overtaken", {"ref": ref, "why": str(error)})
            wait = self._later(ref)
        except Transient as error:
            if isinstance(error, Unreadable) and error.table == "shard":
                self.ownership.doubt()
            self.turns.told("turn put off", {"ref": ref, "why": str(error)})
            wait = self._later(ref)
        except Exception as error:  # noqa: BLE001 - one turn that breaks must not end the others
            self.turns.told("turn failed", {"ref": ref, "error": error})
            wait = self._later(ref)
        self._done(due, wait)

    def _done(self, due: Due, wait: float | None) -> None:
        """The next turn is due at once, when it was asked for, at the usual interval, or only when woken."""
        now, every = self.runtime.now(), self.turns.every(due.ref)
        if wait == 0.0:
            self.agenda.wake(due.ref, Lane.EVENT, now, due.tenant)
            self.agenda.done(due.ref, now)
        elif wait is not None:
            self.agenda.done(due.ref, now, now + wait, Lane.RETRY)
        else:
            look = NEVER if every is None else resync_in(due.ref, every, now, self.runtime.chance())
            self.agenda.done(due.ref, now, now + look)

    def _later(self, ref: Ref) -> float:
        self._failures[ref] = self._failures.get(ref, 0) + 1
        return back_off(self._failures[ref], self.runtime.chance())

    async def _pause(self) -> None:
        """Until a hint, the next timer, or the time to read wakes or to renew again."""
        due = self.agenda.next_at()
        soon = min(REREAD_SECONDS, max(self.ownership.renews_in, self._heed_at - self.runtime.now()))
        wait = max(0.001, soon if due is None else min(soon, due - self.runtime.now()))
        try:
            async with asyncio.timeout(wait):
                await self._hint.wait()
        except TimeoutError:
            return

    async def _wind_down(self, patience: float) -> None:
        if self._running:
            await asyncio.wait(self._running, timeout=patience)
        left = tuple(self._running)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)  # Nothing outlives the drive.
        with suppress(*FAILURES):  # The store is away: the lease runs out by itself.
            await self.ownership.give_back()
