"""All that a judgement may depend on, gathered before it: a case can be recorded and judged again."""

from collections.abc import Iterable
from typing import Final, Literal

import msgspec

from setpoint.engine.entity import AnyJson
from setpoint.engine.ledger import Former, Ledger
from setpoint.engine.limits import Limits
from setpoint.engine.plan import ABSENT, UNKNOWN, Absence, Action, Plan
from setpoint.engine.rows import Act, Mode

SHOWN: Final = 3  # How many items a sentence names before it counts the rest.

Doubt = tuple[str, Iterable[str]]  # The sentence, and the items it is about.


class Measure(msgspec.Struct, frozen=True):
    """The numbers that a guard judges by: so many `of` something used, so many allowed.

    `least`: that many are needed, not allowed.
    """

    used: int
    allowed: int
    of: str
    least: bool = False

    @property
    def exceeded(self) -> bool:
        return self.used < self.allowed if self.least else self.used > self.allowed


class Lever(msgspec.Struct, frozen=True):
    """One switch or account mode that applies here, with who set it."""

    mode: Mode
    source: str
    release: str = ""  # The command that lets go of it.


class Room(msgspec.Struct, frozen=True):
    """What is left of one fleet budget this hour."""

    name: str
    limit: int
    left: int
    of: str = ""  # The name of the limit.

    def under(self, limits: Limits) -> "Room":
        """The same budget with another limit."""
        limit: int = getattr(limits, self.of) if self.of else self.limit
        return Room(self.name, limit, self.left + limit - self.limit, self.of)


class Look(msgspec.Struct, frozen=True):
    """What a direct look said about one item."""

    item: str
    found: Literal["there", "absent", "unknown"]
    value: AnyJson = None

    @classmethod
    def of(cls, item: str, seen: AnyJson | Absence) -> "Look":
        if isinstance(seen, Absence):
            return cls(item, "absent" if seen is ABSENT else "unknown")
        return cls(item, "there", seen)

    @property
    def seen(self) -> AnyJson | Absence:
        if self.found == "there":
            return self.value
        return ABSENT if self.found == "absent" else UNKNOWN


class Tried(msgspec.Struct, frozen=True):
    """One key of an account and how its last act ended."""

    key: str
    at: float
    failed: bool
    said: str = ""


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One plan with its numbers."""

    plan: Plan
    ledger: Ledger
    limits: Limits
    now: float
    levers: tuple[Lever, ...] = ()
    recent: tuple[Act, ...] = ()
    """This domain's acts as far back as any guard looks, open ones included however old."""
    deleting: bool = False  # A person asked for the whole domain to go.
    settles_in: float = 0.0
    interval: float = 60.0  # Seconds between two looks, usually.
    footing: str = ""  # What we stand on: the adapter's code, the limits, the switches.
    rooms: tuple[Room, ...] = ()
    protected: frozenset[str] = frozenset()  # Items that a person protected by name.
    released: dict[str, float] = {}  # Items that a person let go again, and when.
    others: tuple[Tried, ...] = ()  # Keys of the same account's other domains that were tried lately.
    can_be_lost: bool = False  # Whether its things can end by themselves, as a server can.
    elsewhere: float = 0.0  # When the same account last did well on something else.
    recovered: float = 0.0  # When the account last came back from an outage.
    looks: tuple[Look, ...] = ()
    left: frozenset[str] = frozenset()  # Items that a person left out when approving the others.
    former: tuple[Former, ...] = ()  # Limits that were in force within the last day.
    unmarked: bool = False  # Whether its things carry no mark: what it made is known from its memory alone.
    newer: frozenset[str] = frozenset()  # Items whose mark names an act that our journal does not hold.

    def under(self, limits: Limits) -> "Case":
        """The same case under these limits alone."""
        rooms = tuple(room.under(limits) for room in self.rooms)
        return msgspec.structs.replace(self, limits=limits, former=(), rooms=rooms)

    def after(self, acts: Iterable[Act]) -> "Case":
        """The same case once these acts have ended."""
        return msgspec.structs.replace(self, recent=(*self.recent, *acts))

    @property
    def in_force(self) -> tuple[Limits, ...]:
        """All limits that count for deletes: those of now, and those of the last day."""
        return (self.limits, *(each.limits for each in self.former))

    @property
    def deletes(self) -> tuple[Action, ...]:
        """Destructive actions nobody asked for by name."""
        if self.deleting:
            return ()
        return tuple(a for a in self.plan.actions if a.destructive and not a.explicit)


def strictest(levers: Iterable[Lever]) -> Lever:
    """The lever that decides."""
    order = tuple(Mode)
    return max(levers, key=lambda lever: order.index(lever.mode), default=Lever(Mode.RUN, "nobody"))


def named(items: Iterable[str]) -> str:
    """The first few of them by name, and how many more there are."""
    known = sorted(items)
    shown = ", ".join(known[:SHOWN])
    return shown if len(known) <= SHOWN else f"{shown} and {len(known) - SHOWN} more"
