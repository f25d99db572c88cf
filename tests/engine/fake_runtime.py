"""Time that stands still, ids that count, chance that is always the same; and a meter that remembers."""

from collections.abc import Awaitable, Sequence
from typing import TypeVar

from setpoint.engine.entity import Ref, Scope
from setpoint.engine.runtime import Sizes

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

    async def give_way(self) -> None:
        """Nobody else is there."""

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
    """What was counted, in order; what everything is now, and what is left, beside it."""

    def __init__(self) -> None:
        self.told: list[tuple[object, ...]] = []
        self.now_standing: dict[str, tuple[str, str, float, float | None]] = {}
        self.budgets: dict[str, float] = {}
        self.looks: dict[Ref, float] = {}

    def diff(self, kind: str, ref: Ref, sizes: Sizes) -> None:
        self.told.append(("diff", kind, sizes["create"], sizes["update"], sizes["delete"]))

    def passed(self, kind: str, outcome: str, seconds: float, scope: Scope) -> None:
        self.told.append(("passed", kind, outcome))

    def observed(self, ref: Ref, at: float) -> None:
        self.looks[ref] = at

    def acted(self, kind: str, verb: str, outcome: str) -> None:
        self.told.append(("acted", kind, str(verb), str(outcome)))

    def held(self, kind: str, guard: str) -> None:
        self.told.append(("held", kind, guard))

    def unusual(self, kind: str) -> None:
        self.told.append(("unusual", kind))

    def hold_ended(self, kind: str, guard: str, *, false: bool) -> None:
        self.told.append(("hold_ended", kind, guard, "false" if false else "right"))

    def converged(self, kind: str, seconds: float) -> None:
        self.told.append(("converged", kind, seconds))

    def put_back(self, kind: str, seconds: float) -> None:
        self.told.append(("put_back", kind, seconds))

    def standing(
        self, kind: str, ref: str, state: str, since: float, drift_since: float | None = None
    ) -> None:
        self.now_standing[ref] = (kind, str(state), since, drift_since)

    def gone(self, kind: str, ref: str) -> None:
        self.now_standing.pop(ref, None)

    def budget(self, name: str, left: float) -> None:
        self.budgets[name] = left

    def provider(self, account: str, verb: str, outcome: str) -> None:
        self.told.append(("provider", account, verb, outcome))
