"""Looking at a loop as a whole: what it wants and what is there, asked for in full at every pass."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from setpoint.engine.errors import Rejected
from setpoint.engine.plan import ABSENT, Absence
from setpoint.loop.calls import titled
from setpoint.loop.questions import Questions, Sorted
from setpoint.loop.snapshot import Side

AnyValue = Any
Values = Mapping[str, AnyValue]


@dataclass(frozen=True, slots=True)
class Seen:
    """Both sides, and what its author says of the items."""

    wanted: Side
    found: Side
    sorted: Sorted
    there: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Whole:
    """Remembers nothing."""

    ask: Questions

    async def seen(self, acted: frozenset[str], parked: Collection[str]) -> Seen:
        """Complete, or an error."""
        wanted = meant(self.ask, await self.ask.pairs("desired"))
        found = there(await self.ask.pairs("observe"))
        sorted_ = await self.ask.sort(wanted, found)
        ours = {key: value for key, value in found.items() if key not in sorted_.foreign}
        return Seen(self.ask.side("desired", wanted), self.ask.side("observe", ours), sorted_)


def there(found: Values) -> dict[str, AnyValue]:
    """Without what is said to be absent."""
    return {key: value for key, value in found.items() if value is not ABSENT}


def meant(ask: Questions, wanted: dict[str, AnyValue]) -> dict[str, AnyValue]:
    """What is wanted is known: ABSENT and UNKNOWN are Rejected."""
    for key, value in wanted.items():
        if isinstance(value, Absence):
            title = titled(ask.terms.name, "desired")
            raise Rejected(f"{title} has {value.name} at {key!r}; leave out what is not wanted, or raise")
    return wanted
