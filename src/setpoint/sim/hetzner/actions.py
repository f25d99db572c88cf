"""The actions of the cloud: begun by a request, finished when their time has passed."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from itertools import count

import msgspec

from setpoint.sim.hetzner.refusal import locked, not_found
from setpoint.sim.hetzner.values.action import Action, ActionError, ResourceRef

Then = Callable[[], Awaitable[None]]
FAILED = ActionError("action_failed", "the action failed, as a fault told it to")


class Work(msgspec.Struct, frozen=True):
    """What an action is to do: `then` happens when its time has passed, `otherwise` if it fails."""

    command: str
    resources: tuple[ResourceRef, ...]
    then: Then | None = None
    otherwise: Then | None = None
    locks: bool = False


class Actions:
    """Begins actions and lets time finish them; remembers all of them."""

    def __init__(self, now: Callable[[], float], seconds: float) -> None:
        self._now = now
        self._seconds = seconds
        self._ids = count(1)
        self._actions: dict[int, Action] = {}
        self._of: dict[ResourceRef, list[int]] = {}
        self._running_on: dict[ResourceRef, dict[int, Action]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def __iter__(self) -> Iterator[Action]:
        return iter(tuple(self._actions.values()))

    def get(self, action_id: int) -> Action:
        found = self._actions.get(action_id)
        if found is None:
            raise not_found(f"action with ID '{action_id}'")
        return found

    def of(self, ref: ResourceRef) -> tuple[Action, ...]:
        """All actions on one resource, oldest first."""
        return tuple(self._actions[one] for one in self._of.get(ref, ()))

    def busy(self, ref: ResourceRef) -> bool:
        """Whether any action is running on a resource."""
        return bool(self._running_on.get(ref))

    def locks(self, ref: ResourceRef) -> bool:
        """Whether a running action forbids others on a resource."""
        return any(action.locks for action in self._running_on.get(ref, {}).values())

    def require_unlocked(self, ref: ResourceRef) -> None:
        if self.locks(ref):
            raise locked(f"{ref.type} {ref.id}")

    def begin(self, work: Work, *, fails: bool = False) -> Action:
        """Starts an action; it ends when its time has passed."""
        action = Action(
            id=next(self._ids),
            command=work.command,
            started=self._now(),
            seconds=self._seconds,
            resources=work.resources,
            locks=work.locks,
        )
        self._actions[action.id] = action
        for ref in work.resources:
            self._of.setdefault(ref, []).append(action.id)
            self._running_on.setdefault(ref, {})[action.id] = action
        task = asyncio.create_task(
            self._run(action, work.otherwise if fails else work.then, FAILED if fails else None)
        )
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return action

    async def close(self) -> None:
        """Stops everything that is under way; nothing finishes after this."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self, action: Action, last: Then | None, error: ActionError | None) -> None:
        await asyncio.sleep(action.seconds)
        if last is not None:
            await last()
        self._actions[action.id] = msgspec.structs.replace(action, finished=self._now(), error=error)
        for ref in action.resources:
            del self._running_on[ref][action.id]
