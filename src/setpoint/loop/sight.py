"""Looking at a loop as a whole: what it wants and what is there, asked for in full at every pass."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from setpoint.engine.errors import Rejected
from setpoint.engine.plan import ABSENT, Absence
from setpoint.loop.calls import titled
from setpoint.loop.questions import Questions, Sorted
from setpoint.loop.snapshot import Side

AnyValue = Any
Values = Mapping[str, AnyValue]

WATCHING_SECONDS: Final = 55.0
"""For desired() and observe() together: less than the engine waits, so that the error names the method."""
LEAST_SECONDS: Final = 1.0  # What observe() gets of it, however long desired() took.


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
    now: Callable[[], float]

    async def seen(self, acted: frozenset[str], parked: Collection[str]) -> Seen:
        """Complete, or an error."""
        left = patience(self.now)
        wanted = meant(self.ask, await self.ask.pairs("desired", left()))
        found = there(await self.ask.pairs("observe", left()))
        sorted_ = await self.ask.sort(wanted, found, left())
        ours = {key: value for key, value in found.items() if key not in sorted_.foreign}
        return Seen(self.ask.side("desired", wanted), self.ask.side("observe", ours), sorted_)


def patience(now: Callable[[], float]) -> Callable[[], float]:
    """How many seconds are left of those that one look may take."""
    began = now()
    return lambda: max(LEAST_SECONDS, WATCHING_SECONDS - (now() - began))


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
