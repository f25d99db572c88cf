"""All that the engine may await or measure. Production, tests and the simulation each hand in their own."""

from collections.abc import AsyncIterator, Awaitable, Iterable, Sequence
from typing import Final, Literal, Protocol, TypeVar

from setpoint.engine.entity import Ref, Scope

ResultT = TypeVar("ResultT")
Item = TypeVar("Item")
AT_ONCE: Final = 50
"""Rows that are computed before others get a turn."""
Sizes = dict[Literal["create", "update", "delete"], int]


class Runtime(Protocol):
    """Time and chance."""

    def now(self) -> float: ...

    def chance(self) -> float:
        """A number in [0, 1), for jitter."""
        ...

    def new_id(self) -> str: ...

    async def give_way(self) -> None:
        """Everybody else gets a turn: called within long work that waits for nothing."""
        ...

    async def within(self, seconds: float, work: Awaitable[ResultT]) -> ResultT:
        """The result, or Transient (landed) when the time is up."""
        ...

    async def each(self, works: Sequence[Awaitable[ResultT]]) -> Sequence[ResultT | BaseException]:
        """Side by side; what each came to, in the same order, errors included."""
        ...


async def by_turns(items: Iterable[Item], runtime: Runtime) -> AsyncIterator[Item]:
    """Each of them; others get a turn every so often."""
    for number, item in enumerate(items, 1):
        yield item
        if number % AT_ONCE == 0:
            await runtime.give_way()


class Meter(Protocol):
    """What is counted, for `metrics.py`. Diff sizes are told before anything acts on them."""

    def diff(self, kind: str, ref: Ref, sizes: Sizes) -> None:
        """By how much this domain differs from its intent, before anything acts on it."""
        ...

    def unusual(self, kind: str) -> None:
        """A plan far larger than usual was found."""
        ...

    def passed(self, kind: str, outcome: str, seconds: float, scope: Scope) -> None: ...

    def observed(self, ref: Ref, at: float) -> None:
        """A look at this domain ended well: every part of it was seen, or named as unseen."""
        ...

    def acted(self, kind: str, verb: str, outcome: str) -> None: ...

    def held(self, kind: str, guard: str) -> None: ...

    def hold_ended(self, kind: str, guard: str, *, false: bool) -> None:
        """A hold that waited for a person is over; false: exactly what was held was wanted after all."""
        ...

    def converged(self, kind: str, seconds: float) -> None:
        """From a change of intent to READY at that generation."""
        ...

    def put_back(self, kind: str, seconds: float) -> None:
        """From seeing drift to READY again."""
        ...

    def standing(
        self, kind: str, ref: str, state: str, since: float, drift_since: float | None = None
    ) -> None:
        """What this entity is now, and since when it differs from its intent, if it does."""
        ...

    def gone(self, kind: str, ref: str) -> None: ...

    def budget(self, name: str, left: float) -> None:
        """How much of a budget is left: 1 all of it, 0 none."""
        ...

    def provider(self, account: str, verb: str, outcome: str) -> None: ...
