"""Time that stands still, ids that count, chance that is always the same; and a meter that remembers."""

from collections.abc import Awaitable, Sequence
from typing import Literal, TypeVar

ResultT = TypeVar("ResultT")
START = 1_000_000.0


class FakeRuntime:
    """Moves only when a test moves it."""

    def __init__(self) -> None:
        self.time = START
        self.luck = 0.5
        self.ids = 0

    def now(self) -> float:
        return self.time

    def chance(self) -> float:
        return self.luck

    def new_id(self) -> str:
        self.ids += 1
        return f"id{self.ids:05d}"

    async def within(self, seconds: float, work: Awaitable[ResultT]) -> ResultT:
        assert seconds > 0
        return await work

    async def each(self, works: Sequence[Awaitable[ResultT]]) -> list[ResultT | BaseException]:
        """One after the other: what runs side by side may run in any order, this one included."""
        ended: list[ResultT | BaseException] = []
        for work in works:
            try:
                ended.append(await work)
            except Exception as error:  # noqa: BLE001 - errors are answers here
                ended.append(error)
        return ended

    def pass_by(self, seconds: float) -> None:
        self.time += seconds


class FakeMeter:
    """What was counted, in order."""

    def __init__(self) -> None:
        self.told: list[tuple[object, ...]] = []

    def diff(self, kind: str, sizes: dict[Literal["create", "update", "delete"], int]) -> None:
        self.told.append(("diff", kind, sizes["create"], sizes["update"], sizes["delete"]))

    def passed(self, kind: str, outcome: str, seconds: float) -> None:
        self.told.append(("passed", kind, outcome))

    def acted(self, kind: str, verb: str, outcome: str) -> None:
        self.told.append(("acted", kind, str(verb), str(outcome)))

    def held(self, kind: str, guard: str) -> None:
        self.told.append(("held", kind, guard))
