"""The acts of one pass: so many side by side as the kind allows, until one may not begin or ends badly."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping

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
    """One pass's way through its allowed actions, each of them through the journal."""

    journal: Journal
    runtime: Runtime
    loop: Loop
    mandate: Mandate
    _waiting: deque[Action] = field(default_factory=deque)
    _acts: list[Act] = field(default_factory=list)

    async def through(self, stages: Iterable[tuple[Action, ...]], at_once: int) -> Enacted:
        """Stage after stage: what comes after an act, deletes above all, waits until it has ended well."""
        for stage in stages:
            self._waiting.extend(stage)
            ended = await self.runtime.each([self._abreast() for _ in range(min(at_once, len(stage)))])
            refusal = next((error for error in ended if error is not None), None)
            if refusal is not None and not isinstance(refusal, Denied | Conflict):
                raise refusal
            if refusal is not None:
                stopped = str(refusal) if isinstance(refusal, Denied) else ""
                return Enacted(tuple(self._acts), stopped, isinstance(refusal, Conflict))
            if any(act.state is not ActState.DONE for act in self._acts):
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
            if act.state is not ActState.DONE:
                self._waiting.clear()


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
