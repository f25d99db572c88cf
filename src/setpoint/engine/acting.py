"""The acts of one wave, so many side by side as the kind allows.

A key that fails costs the others nothing: they go on. What depends on it waits, and so does everything
destructive while something could not be built. The account's own trouble ends the wave.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct, field

from setpoint.engine.errors import Conflict, Denied
from setpoint.engine.journal import Journal, Mandate
from setpoint.engine.loop import Loop
from setpoint.engine.plan import Action
from setpoint.engine.rows import Act, ActState
from setpoint.engine.runtime import Runtime


class Enacted(Struct, frozen=True):
    """What was done, and why it ended early if it did."""

    acts: tuple[Act, ...] = ()
    stopped: str = ""
    overtaken: bool = False


class Acting(Struct):
    """One wave on its way through the journal."""

    journal: Journal
    runtime: Runtime
    loop: Loop
    mandate: Mandate
    needs: Mapping[str, tuple[str, ...]]
    in_trouble: Callable[[tuple[Act, ...]], bool]
    """Whether the account is in trouble after these acts."""
    _waiting: deque[Action] = field(default_factory=deque)
    _acts: list[Act] = field(default_factory=list)
    _left: list[Action] = field(default_factory=list)  # What could not follow.

    async def enact(self, actions: tuple[Action, ...], at_once: int) -> Enacted:
        """Stage after stage: what comes after an act, deletes above all, waits until that has ended well."""
        for stage in stages(actions, self.needs):
            for action in stage:
                (self._waiting if self._may_follow(action) else self._left).append(action)
            workers = [self._abreast() for _ in range(min(at_once, len(self._waiting)))]
            ended = await self.runtime.each(workers)
            refusal = next((error for error in ended if error is not None), None)
            if refusal is not None and not isinstance(refusal, Denied | Conflict):
                raise refusal
            if refusal is not None:
                stopped = str(refusal) if isinstance(refusal, Denied) else ""
                return Enacted(tuple(self._acts), stopped, isinstance(refusal, Conflict))
            if self._is_over():
                break
        return Enacted(tuple(self._acts))

    async def _abreast(self) -> None:
        """One act after the other, beside others that do the same: nobody waits for the slowest one."""
        while self._waiting:
            try:
                act = await self.journal.enact(self.mandate, self.loop, self._waiting.popleft())
            except BaseException:
                self._waiting.clear()  # Nobody begins anything more.
                raise
            self._acts.append(act)
            self.mandate = self.mandate.after(act)
            if act.state is not ActState.DONE and self._is_over():
                self._waiting.clear()

    def _may_follow(self, action: Action) -> bool:
        """Whether everything that this one comes after has ended well."""
        undone: list[Act | Action] = [*self._left, *(a for a in self._acts if a.state is not ActState.DONE)]
        if action.destructive:
            # What could not be built may be what takes its place; what could not go may need it.
            needed = (need for each in undone for need in self.needs.get(each.item, ()))
            return all(each.destructive for each in undone) and action.item not in needed
        return not any(each.item in self.needs.get(action.item, ()) for each in undone)

    def _is_over(self) -> bool:
        """Whether nothing more is begun."""
        acts = tuple(self._acts)
        return any(act.deferred for act in acts) or self.in_trouble(acts)


def stages(actions: tuple[Action, ...], needs: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[Action, ...]]:
    """What is built may go side by side unless one needs the other; what is destroyed goes one by one."""
    stage: list[Action] = []
    together: set[str] = set()
    for action in (a for a in actions if not a.destructive):
        if not together.isdisjoint(needs.get(action.item, ())):
            yield tuple(stage)
            stage, together = [], set()
        stage.append(action)
        together.add(action.item)
    if stage:
        yield tuple(stage)
    yield from ((a,) for a in actions if a.destructive)
