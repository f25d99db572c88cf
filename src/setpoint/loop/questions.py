"""What the engine asks of a loop's author, method by method; answers come checked, or as one clear error."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from setpoint.engine.errors import FAILURES, Rejected
from setpoint.engine.plan import Absence
from setpoint.loop.calls import Ask, Caller, failure, titled
from setpoint.loop.keyed import SORTING, Keyed, Terms, defines
from setpoint.loop.pairs import pairs, shown
from setpoint.loop.planning import cycle_in
from setpoint.loop.snapshot import Side
from setpoint.loop.values import spelled

AnyValue = Any
Values = Mapping[str, AnyValue]


@dataclass(frozen=True, slots=True)
class Sorted:
    """What its author says about each item."""

    foreign: frozenset[str] = frozenset()
    groups: Mapping[str, str] = field(default_factory=dict)
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Questions:
    """Every call of a loop's methods goes through here."""

    loop: Keyed
    terms: Terms
    caller: Caller

    def has(self, method: str) -> bool:
        return defines(self.loop, method)

    @property
    def relates(self) -> bool:
        """Whether items belong together: then one change concerns the others."""
        return self.has("group") or self.has("needs")

    def busy(self, key: str) -> bool:
        """Whether an act on this item hangs: it may still land."""
        return self.caller.hangs(_acting(key))

    async def pairs(self, method: str) -> dict[str, AnyValue]:
        """All that desired() or observe() has to say."""
        title = self._title(method)
        ask = self._whole(method, lambda answer: pairs(title, answer))
        found: dict[str, AnyValue] = await self.caller.call(method, ask)
        return found

    async def unless_same(self, method: str, known: Values) -> dict[str, AnyValue] | None:
        """The same; None where it is all that is known already."""
        title = self._title(method)

        def finish(answer: AnyValue) -> dict[str, AnyValue] | None:
            return None if _same(answer, known) else pairs(title, answer)

        found: dict[str, AnyValue] | None = await self.caller.call(method, self._whole(method, finish))
        return found

    async def changes(self) -> dict[str, AnyValue] | None:
        """What changed since the last time; None where its author cannot tell."""
        title = self._title("changes")

        def finish(answer: AnyValue) -> dict[str, AnyValue] | None:
            return None if answer is None else pairs(title, answer)

        found: dict[str, AnyValue] | None = await self.caller.call("changes", self._whole("changes", finish))
        return found

    async def act(self, method: str, key: str, *value: AnyValue) -> None:
        """One change of the world."""
        title, written = self._title(method, key), getattr(self.loop, method)
        ask = Ask(title, written, (key, *value), self.terms.deadline, acts=True, key=key)
        await self.caller.call(_acting(key), ask)

    async def look(self, key: str, *, none: bool = False) -> AnyValue | Absence:
        """One item, directly. `none`: whether None may be its value; else it is taken for a slip."""
        title = self._title("look", key)
        ask = Ask(title, getattr(self.loop, "look"), (key,), self.terms.deadline, key=key)  # noqa: B009
        seen = await self.caller.call(f"look {key}", ask)
        if seen is None and not none:
            raise Rejected(
                f"{title} returned None; return ABSENT if it is not there, UNKNOWN if nobody knows"
            )
        return seen

    def late(self, key: str) -> bool:
        """Whether a look at this item has run out of time: what it would have said is not known."""
        return self.caller.hangs(f"look {key}")

    async def sort(self, wanted: Values, found: Values) -> Sorted:
        """mine, group and needs of every item, as far as they are written: many short questions, one call."""
        if not any(self.has(method) for method in SORTING):
            return Sorted()
        ask = Ask(f"sorting {self.terms.name}", self._sorted, (wanted, found), self.terms.observe_deadline)
        answer: Sorted = await self.caller.call("sort", ask)
        return answer

    async def foreign(self, found: Values) -> frozenset[str]:
        """Which of these are not ours."""
        if not self.has("mine"):
            return frozenset()
        ask = Ask(f"sorting {self.terms.name}", self._foreign, (found,), self.terms.observe_deadline)
        answer: frozenset[str] = await self.caller.call("sort", ask)
        return answer

    def side(self, method: str, values: Values) -> Side:
        """Values with their spelling; Rejected names the one that has none."""
        known = {k: v for k, v in values.items() if not isinstance(v, Absence)}
        try:
            return Side(values, {k: spelled(v) for k, v in known.items()})
        except ValueError:
            return Side(values, {k: self.spelt(method, k, v) for k, v in known.items()})

    def spelt(self, method: str, key: str, value: AnyValue) -> bytes:
        try:
            return spelled(value)
        except ValueError as error:
            sort = type(value).__qualname__
            raise Rejected(f"{self._title(method)} has a value of type {sort} at {key!r}: {error}") from error

    def _whole(self, method: str, finish: Callable[[AnyValue], AnyValue]) -> Ask:
        """A call about all items."""
        seconds = self.terms.observe_deadline
        return Ask(self._title(method), getattr(self.loop, method), (), seconds, finish=finish)

    def _sorted(self, wanted: Values, found: Values) -> Sorted:
        groups = {k: self._about("group", k, v, default="") for k, v in wanted.items()}
        everything = {k: v for k, v in {**found, **wanted}.items() if not isinstance(v, Absence)}
        needs = {k: self._needs(k, v, everything) for k, v in everything.items()} if self.has("needs") else {}
        if cycle := cycle_in(needs):
            raise Rejected(f"{self.terms.name}.needs goes in a circle: {' needs '.join(cycle)}")
        return Sorted(
            self._foreign(found),
            {key: str(group) for key, group in groups.items() if group},
            {key: keys for key, keys in needs.items() if keys},
        )

    def _foreign(self, found: Values) -> frozenset[str]:
        return frozenset(k for k, v in found.items() if not self._about("mine", k, v, default=True))

    def _needs(self, key: str, value: AnyValue, known: Values) -> tuple[str, ...]:
        answer = self._about("needs", key, value, default=())
        if isinstance(answer, str) or not hasattr(answer, "__iter__"):
            raise Rejected(f"{self._title('needs', key)} returned {shown(answer)}; expected are keys")
        needs = tuple(answer)
        for need in needs:
            if need not in known:
                raise Rejected(
                    f"{self._title('needs', key)} names {need!r}, which is neither wanted nor there"
                )
        return needs

    def _about(self, method: str, key: str, value: AnyValue, default: AnyValue) -> AnyValue:
        if not self.has(method) or isinstance(value, Absence):
            return default
        try:
            return getattr(self.loop, method)(key, value)
        except FAILURES:
            raise
        except Exception as error:
            raise failure(self._title(method, key), error) from error

    def _title(self, method: str, *args: object) -> str:
        return titled(self.terms.name, method, *args)


def _same(answer: AnyValue, known: Values) -> bool:
    """Whether a mapping says what is known already: value by value the very object, or one equal to it."""
    try:
        return isinstance(answer, Mapping) and bool(answer == known)
    except Exception:  # noqa: BLE001 - somebody's values that cannot be compared are not known to be the same
        return False


def _acting(key: str) -> str:
    return f"act {key}"
