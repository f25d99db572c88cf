"""All that the engine may await or measure. Production, tests and the simulation each hand in their own."""

from collections.abc import Awaitable, Sequence
from typing import Literal, Protocol, TypeVar

ResultT = TypeVar("ResultT")


class Runtime(Protocol):
    """Time and chance."""

    def now(self) -> float: ...

    def chance(self) -> float:
        """A number in [0, 1), for jitter."""
        ...

    def new_id(self) -> str: ...

    async def within(self, seconds: float, work: Awaitable[ResultT]) -> ResultT:
        """The result, or Transient (landed) when the time is up."""
        ...

    async def each(self, works: Sequence[Awaitable[ResultT]]) -> Sequence[ResultT | BaseException]:
        """Side by side; what each came to, in the same order, errors included."""
        ...


class Meter(Protocol):
    """What is counted. Diff sizes are told before anything acts on them."""

    def diff(self, kind: str, sizes: dict[Literal["create", "update", "delete"], int]) -> None: ...

    def passed(self, kind: str, outcome: str, seconds: float) -> None: ...

    def acted(self, kind: str, verb: str, outcome: str) -> None: ...

    def held(self, kind: str, guard: str) -> None: ...
