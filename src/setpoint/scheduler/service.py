"""Passes as turns: every entity with a loop on its interval, and whenever something wakes it."""

from dataclasses import dataclass

from setpoint.drive.drive import Drive, Turns
from setpoint.engine.entity import Ref, hash_of, kind_of
from setpoint.engine.kind import Kinds
from setpoint.engine.reconcile import Reconciler
from setpoint.engine.runtime import Runtime
from setpoint.engine.store import DECLARED_ALL, Store
from setpoint.scheduler.rehearsal import Rehearsal

LOADED_AT_ONCE = 1000
FIRST_LOOK_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Scheduler:
    """Owns every entity in embedded mode."""

    store: Store
    kinds: Kinds
    runtime: Runtime
    reconciler: Reconciler
    rehearsal: Rehearsal
    intervals: dict[str, float]
    at_once: int

    def drive(self) -> Drive:
        turns = Turns(take=self._turn, mine=self._mine, every=self._every, at_once=self.at_once)
        return Drive(self.store, self.runtime, turns)

    async def load(self, drive: Drive) -> None:
        """Everything declared gets its place on the agenda, spread so that a start is no storm."""
        after = ""
        while rows := await self.store.read(DECLARED_ALL, after=after, limit=LOADED_AT_ONCE):
            for row in rows:
                if (every := self._every(row.ref)) is not None:
                    phase = int(hash_of(row.ref)[:6], 16) / 0xFFFFFF
                    drive.agenda.at(row.ref, self.runtime.now() + phase * min(every, FIRST_LOOK_SECONDS))
            after = rows[-1].ref

    async def _turn(self, ref: Ref) -> float | None:
        if kind_of(ref) == "plan":
            await self.rehearsal.answer(ref)
            return None
        return await self.reconciler.reconcile(ref)

    def _mine(self, ref: Ref) -> bool:
        return kind_of(ref) == "plan" or self._every(ref) is not None

    def _every(self, ref: Ref) -> float | None:
        return self.intervals.get(kind_of(ref))
