"""Passes as turns: every entity with a loop on its interval, and whenever something wakes it."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Final

import msgspec
from msgspec import Struct, field

from setpoint.drive.drive import Drive, Roll, Told, Turns
from setpoint.drive.observations import LookTimes
from setpoint.drive.ownership import Ownership
from setpoint.drive.pulse import Pulse
from setpoint.engine.agenda import NEVER, Agenda, phase
from setpoint.engine.company import account_of
from setpoint.engine.entity import Declared, Ref, kind_of
from setpoint.engine.kind import Kinds
from setpoint.engine.reconcile import Reconciler
from setpoint.engine.runtime import Runtime
from setpoint.engine.store import DECLARED_ALL, DECLARED_OF, Store
from setpoint.scheduler import failover, housekeeping
from setpoint.scheduler.answering import Answering
from setpoint.scheduler.beating import Beating
from setpoint.scheduler.rehearsal import Rehearsal

PAGE: Final = 1000
FIRST_LOOK_SECONDS: Final = 30.0
OF_OUR_OWN: Final = {housekeeping.TURN: housekeeping.EVERY_SECONDS, failover.TURN: failover.EVERY_SECONDS}
"""Turns that are not about anything declared, and how often they come."""


class Scheduler(Struct, frozen=True):
    """Passes over what this replica owns."""

    store: Store
    kinds: Kinds
    runtime: Runtime
    reconciler: Reconciler
    rehearsal: Rehearsal
    intervals: dict[str, float]
    told: Told
    at_once: int
    ownership: Ownership
    pulse: Pulse = field(default_factory=Pulse)
    looks: LookTimes = field(default_factory=LookTimes)
    forget: Callable[[Ref], None] = lambda _: None
    """Told of each ref that is not ours any more, or not there."""
    look: Callable[[], Coroutine[None, None, None]] | None = None
    """At every account, while the store is away."""

    def drive(self) -> Drive:
        settling = failover.Failover(self.store, self.kinds, self.runtime)
        turns = Turns(
            take=partial(self._turn, settling),
            mine=self._mine,
            owned=self._owned,
            load=self._load,
            every=self._every,
            roll=self._called,
            told=self.told,
            at_once=self.at_once,
            look=self.look,
        )
        return Drive(self.store, self.runtime, turns, self.ownership)

    async def beat(self, drive: Drive) -> None:
        """Tells how its loops fare and when each domain is observed, to whoever asks, until cancelled."""
        store, now, agenda = self.store, self.runtime.now, drive.agenda
        looks = partial(self.looks.read, agenda)
        await asyncio.gather(
            Beating(store, now, self.pulse, agenda, self.ownership).run(),
            Answering(store, now, looks, self.ownership).run(),
        )

    async def _load(self, agenda: Agenda) -> None:
        """Everything of ours gets its place on the agenda, spread so that a start is no storm."""
        after, now = "", self.runtime.now()
        self.looks.begin(now)
        while True:
            roll = await self._roll(after)
            for ref, tenant in roll.present:
                every = min(self.intervals[kind_of(ref)], FIRST_LOOK_SECONDS)
                agenda.at(ref, now + phase(ref) * every, tenant=tenant)
            if not roll.after:
                break
            after = roll.after
        for turn, every in OF_OUR_OWN.items():
            agenda.at(turn, now + phase(turn) * every)

    async def _called(self, after: str) -> Roll:
        """Turns of our own too: each was let go if it came while our lease could not be renewed."""
        roll = await self._roll(after)
        own = () if after else tuple((turn, "") for turn in OF_OUR_OWN if self.ownership.holds(turn))
        return Roll((*own, *roll.present), roll.after)

    async def _roll(self, after: str) -> Roll:
        rows = await self.store.read(DECLARED_ALL, after=after, limit=PAGE)
        present = tuple((row.ref, row.tenant) for row in rows if self._every(row.ref) and self._holds(row))
        return Roll(present, rows[-1].ref if len(rows) == PAGE else "")

    async def _turn(self, settling: failover.Failover, ref: Ref) -> float | None:
        if kind_of(ref) in ("plan", "housekeeping") and not self.ownership.holds(ref):
            return NEVER
        if kind_of(ref) == "plan":
            await self.rehearsal.answer(ref)
            return None
        if ref == housekeeping.TURN:
            return await housekeeping.Housekeeping(self.store, self.runtime).tidy()
        if ref == failover.TURN:
            return await settling.settle()
        wait = await self.reconciler.reconcile(ref)
        if wait == NEVER:
            self.forget(ref)
        return wait

    async def _owned(self, refs: Sequence[Ref]) -> frozenset[Ref]:
        rows = await self.store.read(DECLARED_OF, refs=msgspec.json.encode(refs).decode())
        homes = {row.ref: account_of(self.kinds, row) for row in rows}
        return frozenset(ref for ref in refs if self.ownership.holds(homes.get(ref, ref)))

    def _holds(self, row: Declared) -> bool:
        return self.ownership.holds(account_of(self.kinds, row))

    def _mine(self, ref: Ref) -> bool:
        return kind_of(ref) == "plan" or self._every(ref) is not None

    def _every(self, ref: Ref) -> float | None:
        return OF_OUR_OWN.get(ref) or self.intervals.get(kind_of(ref))
