"""Tasks on a drive of their own."""

from collections.abc import Awaitable, Callable, Sequence

from msgspec import Struct

from setpoint.drive.drive import Drive, Roll, Told, Turns
from setpoint.drive.ownership import Ownership
from setpoint.engine.agenda import Agenda
from setpoint.engine.entity import Ref, kind_of
from setpoint.engine.rows import Task
from setpoint.engine.runtime import Runtime
from setpoint.engine.store import TASKS_OPEN, Store


class Worker(Struct, frozen=True):
    """Whatever runner is chosen, its turns come from here."""

    store: Store
    runtime: Runtime
    turn: Callable[[Ref], Awaitable[float | None]]
    told: Told
    at_once: int
    ownership: Ownership

    def drive(self) -> Drive:
        turns = Turns(
            take=self.turn,
            mine=lambda ref: kind_of(ref) == "task",
            owned=self._owned,
            load=self._load,
            every=lambda _: None,
            roll=self._roll,
            told=self.told,
            at_once=self.at_once,
        )
        return Drive(self.store, self.runtime, turns, self.ownership)

    async def _load(self, agenda: Agenda) -> None:
        """Tasks that were open when somebody stopped go on where they were."""
        for task in await self._open():
            due = max(self.runtime.now(), task.due_at)
            agenda.at(Ref(f"task/{task.id}"), due, tenant=task.organization)

    async def _owned(self, refs: Sequence[Ref]) -> frozenset[Ref]:
        return frozenset(Ref(f"task/{task.id}") for task in await self._open()).intersection(refs)

    async def _open(self) -> list[Task]:
        """The open tasks whose targets are ours."""
        return [task for task in await self.store.read(TASKS_OPEN) if self.ownership.holds(task.target)]

    async def _roll(self, after: str) -> Roll:
        return Roll(tuple((Ref(f"task/{task.id}"), task.organization) for task in await self._open()), "")
