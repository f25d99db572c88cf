"""How loops fare in this process: when each last passed, how long passes take, and how many wait."""

from collections import Counter
from collections.abc import Iterable, Mapping
from math import log
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from setpoint.engine.entity import Ref, Scope

PULSE: Final = "pulse"
"""Signs of life whose refs begin so are of schedulers."""
LOOKED: Final = Ref("looked/loops")
"""A sign of whoever looks at loops: without one, nobody is told how they fare, and nothing is written."""
LOOKED_SECONDS: Final = 30.0
MOST_PLACES: Final = 500
MOST_KEPT: Final = 2_000
"""So many passes of one loop at one place say how long they take; then older ones count half."""
FINEST: Final = 0.001
STEP: Final = 1.25
"""Each bucket of durations ends so much later than the one before: a quantile is right within an eighth."""
LAST_BUCKET: Final = 60

Key = tuple[str, Scope]
Spread = Mapping[int, int]
"""By bucket: how many took so long."""


class Beat(Struct, frozen=True, kw_only=True):
    """One kind at one place."""

    kind: str
    scope: Scope
    at: float = 0.0  # When its last pass ended.
    failed_at: float = 0.0  # When one last failed to look or to decide.
    spread: dict[int, int] = field(default_factory=dict)
    due: int = 0
    queue: tuple[Ref, ...] = ()  # The first of those that are due.


class Pulse:
    """Counts passes in memory. Places that had none for longest are forgotten where there are too many."""

    def __init__(self) -> None:
        self._beats: dict[Key, Beat] = {}

    def passed(self, key: Key, seconds: float, now: float, *, failed: bool) -> None:
        """One more pass of this kind at this place."""
        kind, scope = key
        before = self._beats.pop(key, None) or Beat(kind=kind, scope=scope)
        spread = counted(before.spread, seconds)
        self._beats[key] = replace(
            before, at=now, failed_at=now if failed else before.failed_at, spread=spread
        )
        if len(self._beats) > MOST_PLACES:
            self._beats.pop(next(iter(self._beats)))

    def beats(self) -> tuple[Beat, ...]:
        return tuple(self._beats.values())


def counted(spread: Spread, seconds: float) -> dict[int, int]:
    """With one more that took so long."""
    found = dict(spread)
    if sum(found.values()) >= MOST_KEPT:
        found = {bucket: half for bucket, count in found.items() if (half := count // 2)}
    bucket = bucket_of(seconds)
    found[bucket] = found.get(bucket, 0) + 1
    return found


def bucket_of(seconds: float) -> int:
    return min(LAST_BUCKET, max(0, round(log(max(seconds, FINEST) / FINEST) / log(STEP))))


def quantile(spread: Spread, share: float) -> float | None:
    """How many seconds at most this share took, about; None where nothing was counted."""
    wanted, seen = share * sum(spread.values()), 0
    for bucket, count in sorted(spread.items()):
        seen += count
        if seen >= wanted:
            return FINEST * STEP**bucket
    return None


def merged(beats: Iterable[Beat]) -> dict[Key, Beat]:
    """What several processes tell of the same places, as one."""
    found: dict[Key, Beat] = {}
    for beat in beats:
        key = beat.kind, beat.scope
        other = found.get(key)
        found[key] = _both(other, beat) if other else beat
    return found


def _both(one: Beat, other: Beat) -> Beat:
    return replace(
        one,
        at=max(one.at, other.at),
        failed_at=max(one.failed_at, other.failed_at),
        spread=dict(Counter(one.spread) + Counter(other.spread)),
        due=one.due + other.due,
        queue=(*one.queue, *other.queue),
    )
