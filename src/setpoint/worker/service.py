"""Tasks on a drive of their own."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from setpoint.drive.drive import Drive, Roll, Told, Turns
from setpoint.engine.entity import Ref, kind_of
from setpoint.engine.runtime import Runtime
from setpoint.engine.store import TASKS_OPEN, Store


@dataclass(frozen=True, slots=True)
class Worker:
    """Whatever runner is chosen, its turns come from here."""

    store: Store
    runtime: Runtime
    turn: Callable[[Ref], Awaitable[float | None]]
    told: Told
    at_once: int

    def drive(self) -> Drive:
        turns = Turns(
            take=self.turn,
            mine=lambda ref: kind_of(ref) == "task",
            every=lambda _: None,
            roll=self._roll,
            told=self.told,
            at_once=self.at_once,
        )
        return Drive(self.store, self.runtime, turns)

    async def load(self, drive: Drive) -> None:
        """Tasks that were open when we stopped go on where they were."""
        for task in await self.store.read(TASKS_OPEN):
            due = max(self.runtime.now(), task.due_at)
            drive.agenda.at(Ref(f"task/{task.id}"), due, tenant=task.organization)

    async def _roll(self, after: str) -> Roll:
        tasks = await self.store.read(TASKS_OPEN)
        return Roll(tuple((Ref(f"task/{task.id}"), task.organization) for task in tasks), "")
