"""What the guards remember across passes and restarts: per domain, per item, and for whole fleets."""

import re
from typing import Final

import msgspec

from setpoint.engine.entity import AnyJson, Ref
from setpoint.engine.limits import Limits

REMEMBERED_SIZES: Final = 20
_NUMBERS: Final = re.compile(r"[0-9]+")


class Failing(msgspec.Struct, frozen=True, kw_only=True):
    """An item that fails again and again in the same way."""

    said: str  # As it was said last.
    intent: str  # Hash of what was to be made of it: another intent is another chance.
    count: int  # Of failures alike.
    tries: int = 1  # Of failures, alike or not.
    since: float
    at: float
    alone: bool = False  # Whether something else did well between two of these failures.


class Contest(msgspec.Struct, frozen=True, kw_only=True):
    """Another writer undoes this: we leave it alone until the intent changes or a person lets it go."""

    wishes: dict[str, str]  # Field -> hash of what we want of it.
    since: float


class Former(msgspec.Struct, frozen=True, kw_only=True):
    """Limits that were in force until then: where they are the stricter ones they count for a day longer."""

    limits: Limits
    until: float


class Ledger(msgspec.Struct, frozen=True, kw_only=True):
    """One domain's memory; written only when it changes, in the commit of the outcome."""

    ref: Ref
    accepted: int = 0  # How many were declared when a plan was last let through.
    before: tuple[tuple[float, int], ...] = ()
    """(until when, how many): larger sizes that were accepted earlier."""
    groups: dict[str, int] = {}  # How large each declared group was then.
    wave: int = 0  # How many updates the last good wave had.
    created: int = 0  # How many things that had never been there it made.
    rolling: tuple[str, ...] = ()
    """Items of the wave under way: the next one starts when none of them differs and all are healthy."""
    known: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()  # Of the last plans that were not empty, oldest first.
    planned: int = 0  # Size of the plan of the last pass: a plan that only shrinks is the same plan.
    unusual: int = 0  # Size of a plan far larger than usual whose destructive part still waits.
    differs_since: float = 0.0  # Since when what is differs from what is declared; 0: it does not.
    footing: str = ""  # What the adapter's code, the limits and the switches were at the last look.
    looks: int = 0  # Complete looks on this footing, as far as probation counts them.
    looked_at: float = 0.0  # The last look that was counted or written down.
    gap: float = 0.0  # The longest usual time between looks: a loop run by cron is not silent.
    since: float = 0.0  # How far back this memory goes; 0: further than any guard asks.
    limits: Limits | None = None  # What was in force at the last look; None: that was not remembered yet.
    former: tuple[Former, ...] = ()  # What was in force before, as far as it still counts.
    recorded: str = ""  # What the last recorded pass decided: the same again is not recorded again.
    failing: dict[str, Failing] = {}
    contested: dict[str, Contest] = {}


class Protection(msgspec.Struct, frozen=True, kw_only=True):
    """One item that no path deletes until a person takes this away again."""

    key: str
    domain: Ref
    item: str
    by: str
    reason: str
    since: float


class Released(msgspec.Struct, frozen=True, kw_only=True):
    """A person let this item go again: what was contested or failed before then no longer counts."""

    key: str
    domain: Ref
    item: str
    by: str
    reason: str
    at: float


class Parked(msgspec.Struct, frozen=True, kw_only=True):
    """One item on its way out that can still come back."""

    key: str
    domain: Ref
    item: str
    until: float
    value: AnyJson = None


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a fleet budget, taken whole by one plan."""

    domain: Ref
    count: int
    at: float


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """Deletes of the last hour across many domains: `installation`, `tenant:acme`, `account:<ref>`."""

    key: str
    version: int = 0
    taken: tuple[Taken, ...] = ()


def item_key(domain: Ref, item: str) -> str:
    """Names one item of one domain everywhere."""
    return f"{domain}|{item}"


def alike(said: str) -> str:
    """A message without its numbers: two failures that differ only in those are the same failure."""
    return _NUMBERS.sub("#", said)
