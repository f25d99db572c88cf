"""Who is due: timers in slots, four lanes with ageing, tenants by turns, one pass per key."""

import heapq
from collections import OrderedDict
from dataclasses import dataclass, field
from math import inf
from typing import Final
from zlib import crc32

import msgspec

from setpoint.engine.entity import Ref
from setpoint.engine.rows import Lane

NEVER: Final = inf
SLOT_SECONDS: Final = 0.05
AGE_SECONDS: Final = 2.0  # Waiting this long is worth one lane: nothing starves.
JITTER: Final = 0.1
LANES: Final = tuple(Lane)
URGENCY: Final = {lane: place for place, lane in enumerate(LANES)}

Place = tuple[int, str]
"""How urgent, the less the more, and whose."""


class Due(msgspec.Struct, frozen=True):
    """A key whose turn it is, from which lane, and for whom."""

    ref: Ref
    lane: Lane
    tenant: str


def phase(ref: Ref) -> float:
    """The key's own place in any stretch of time, from 0 to 1."""
    return crc32(ref.encode()) / 2**32


def resync_in(ref: Ref, every: float, now: float, chance: float) -> float:
    """Seconds to the next look: up to 10 % before the key's own place in time, never later than `every`.

    Whatever wakes many at once, their next looks are spread out again. Where its place is too near, the point
    half way to the next one does as well: nobody is looked at again right away.
    """
    period = every / (1.0 + JITTER)
    early = JITTER * period
    away = (phase(ref) * period - now) % period
    if away <= early:  # It was just looked at, a little early.
        away += period
    elif away < period / 2 - early:
        away += period / 2
    return away - chance * early


@dataclass(slots=True)
class Line:
    """What waits in one lane: a ring of tenants, each with its keys in the order they came."""

    ring: OrderedDict[str, OrderedDict[Ref, float]] = field(default_factory=OrderedDict)
    served: int = 0  # At which turn of the agenda this line was last served.
    last: str | None = None

    def add(self, ref: Ref, tenant: str, now: float) -> None:
        if tenant not in self.ring:
            self.ring[tenant] = OrderedDict()
        self.ring[tenant][ref] = now

    def remove(self, ref: Ref, tenant: str) -> None:
        del self.ring[tenant][ref]
        if not self.ring[tenant]:
            del self.ring[tenant]

    def next(self) -> tuple[Ref, str, float]:
        """The oldest key of the tenant whose turn it is; nobody has two turns while another waits."""
        tenant = next(iter(self.ring))
        if tenant == self.last and len(self.ring) > 1:
            self.ring.move_to_end(tenant)
            tenant = next(iter(self.ring))
        ref, since = next(iter(self.ring[tenant].items()))
        return ref, tenant, since


@dataclass(slots=True)
class Agenda:
    """`wake` says a key is due, `take` gives the next one, `done` ends its pass."""

    _slots: dict[int, dict[Ref, Place]] = field(default_factory=dict)
    _heap: list[int] = field(default_factory=list)
    _timed: dict[Ref, int] = field(default_factory=dict)
    _lines: tuple[Line, ...] = field(default_factory=lambda: tuple(Line() for _ in LANES))
    _queued: dict[Ref, Place] = field(default_factory=dict)
    _running: dict[Ref, str] = field(default_factory=dict)
    _again: dict[Ref, int] = field(default_factory=dict)
    _places: dict[Place, Place] = field(default_factory=dict)
    """One of each, shared: a million timers hold a few of them."""
    _turns: int = 0

    def __len__(self) -> int:
        """How many are waiting for their turn right now."""
        return len(self._queued)

    def __contains__(self, ref: Ref) -> bool:
        """Whether this key will have a turn without being woken, or has one now."""
        return ref in self._timed or ref in self._queued or ref in self._running

    def at(self, ref: Ref, when: float, lane: Lane = Lane.RESYNC, tenant: str = "") -> None:
        """Due at this time, in this lane; an earlier time wins. Without a tenant, it is whose it was."""
        slot = int(when / SLOT_SECONDS) + 1
        tenant = tenant or self._tenant(ref)
        known = self._timed.get(ref)
        if known is not None:
            if known <= slot:
                return
            del self._slots[known][ref]
        self._timed[ref] = slot
        if slot not in self._slots:
            self._slots[slot] = {}
            heapq.heappush(self._heap, slot)
        place = (URGENCY[lane], tenant)
        self._slots[slot][ref] = self._places.setdefault(place, place)

    def wake(self, ref: Ref, lane: Lane, now: float, tenant: str = "") -> None:
        """Due now. During its own pass it runs once more afterwards; a more urgent lane wins."""
        self._wake(ref, (URGENCY[lane], tenant), now)

    def take(self, now: float) -> Due | None:
        """The next key to look at; it is running until `done`."""
        self._ripen(now)
        waiting = [urgency for urgency, line in enumerate(self._lines) if line.ring]
        if not waiting:
            return None
        urgency = waiting[0] if len(waiting) == 1 else self._most_urgent(waiting, now)
        line = self._lines[urgency]
        ref, tenant, _ = line.next()
        line.remove(ref, tenant)
        self._turns += 1
        line.last, line.served = tenant, self._turns
        del self._queued[ref]
        self._running[ref] = tenant
        return Due(ref, LANES[urgency], tenant)

    def done(self, ref: Ref, now: float) -> None:
        """Its pass has ended; what came meanwhile makes it due again."""
        tenant = self._running.pop(ref, "")
        urgency = self._again.pop(ref, None)
        if urgency is not None:
            self._wake(ref, (urgency, tenant), now)

    def next_at(self) -> float | None:
        """When the next timer is due; None while there is none."""
        while self._heap and not self._slots[self._heap[0]]:
            del self._slots[heapq.heappop(self._heap)]
        return self._heap[0] * SLOT_SECONDS if self._heap else None

    def _wake(self, ref: Ref, place: Place, now: float) -> None:
        urgency, tenant = place[0], place[1] or self._tenant(ref)
        if ref in self._running:
            self._running[ref] = tenant
            self._again[ref] = min(urgency, self._again.get(ref, urgency))
            return
        known = self._queued.get(ref)
        if known is not None:
            if known[0] <= urgency:
                return
            self._lines[known[0]].remove(ref, known[1])
        self._queued[ref] = (urgency, tenant)
        self._lines[urgency].add(ref, tenant, now)

    def _most_urgent(self, waiting: list[int], now: float) -> int:
        """By lane and age. Nothing gets better than interactive, and equals are served by turns: a long
        queue that has grown old pushes nobody aside.
        """

        def aged(urgency: int) -> tuple[float, int]:
            line = self._lines[urgency]
            return max(0.0, urgency - (now - line.next()[2]) / AGE_SECONDS), line.served

        return min(waiting, key=aged)

    def _tenant(self, ref: Ref) -> str:
        """Whose it was when it was last heard of."""
        if ref in self._queued:
            return self._queued[ref][1]
        if ref in self._running:
            return self._running[ref]
        return self._slots[self._timed[ref]][ref][1] if ref in self._timed else ""

    def _ripen(self, now: float) -> None:
        while self._heap and self._heap[0] * SLOT_SECONDS <= now:
            for ref, place in self._slots.pop(heapq.heappop(self._heap)).items():
                del self._timed[ref]
                self._wake(ref, place, now)
