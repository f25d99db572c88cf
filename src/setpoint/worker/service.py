"""Tasks on a drive of their own."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from setpoint.drive.drive import Drive, Turns
from setpoint.engine.entity import Ref, kind_of
from setpoint.engine.runtime import Runtime
from setpoint.engine.store import TASKS_OPEN, Store


@dataclass(frozen=True, slots=True)
class Worker:
    """Whatever runner is chosen, its turns come from here."""

    store: Store
    runtime: Runtime
    turn: Callable[[Ref], Awaitable[float | None]]
    at_once: int

    def drive(self) -> Drive:
        turns = Turns(
            take=self.turn,
            mine=lambda ref: kind_of(ref) == "task",
            every=lambda _: None,
            at_once=self.at_once,
        )
        return Drive(self.store, self.runtime, turns)

    async def load(self, drive: Drive) -> None:
        """Tasks that were open when we stopped go on where they were."""
        for task in await self.store.read(TASKS_OPEN):
            drive.agenda.at(Ref(f"task/{task.id}"), max(self.runtime.now(), task.due_at))
