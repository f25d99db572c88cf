"""Who is due: timers in slots, four lanes with ageing, one pass per key."""

import heapq
from dataclasses import dataclass, field
from math import inf
from typing import Final

from setpoint.engine.entity import Ref
from setpoint.engine.rows import Lane

NEVER: Final = inf
SLOT_SECONDS: Final = 0.05
AGE_SECONDS: Final = 2.0  # Waiting this long is worth one lane: nothing starves.


@dataclass(slots=True)
class Agenda:
    """`wake` says a key is due, `take` gives the next one, `done` ends its pass."""

    _slots: dict[int, dict[Ref, Lane]] = field(default_factory=dict)
    _heap: list[int] = field(default_factory=list)
    _timed: dict[Ref, int] = field(default_factory=dict)
    _lanes: dict[Lane, dict[Ref, float]] = field(default_factory=lambda: {lane: {} for lane in Lane})
    _queued: dict[Ref, Lane] = field(default_factory=dict)
    _running: set[Ref] = field(default_factory=set)
    _again: dict[Ref, Lane] = field(default_factory=dict)

    def __len__(self) -> int:
        """How many are waiting for their turn right now."""
        return len(self._queued)

    def at(self, ref: Ref, when: float, lane: Lane = Lane.RESYNC) -> None:
        """Due at this time, in this lane; an earlier time wins."""
        slot = int(when / SLOT_SECONDS) + 1
        known = self._timed.get(ref)
        if known is not None:
            if known <= slot:
                return
            del self._slots[known][ref]
        self._timed[ref] = slot
        if slot not in self._slots:
            self._slots[slot] = {}
            heapq.heappush(self._heap, slot)
        self._slots[slot][ref] = lane

    def wake(self, ref: Ref, lane: Lane, now: float) -> None:
        """Due now. During its own pass it runs once more afterwards; a more urgent lane wins."""
        if ref in self._running:
            self._again[ref] = min(lane, self._again.get(ref, lane), key=_urgency)
            return
        known = self._queued.get(ref)
        if known is not None and _urgency(known) <= _urgency(lane):
            return
        if known is not None:
            del self._lanes[known][ref]
        self._queued[ref] = lane
        self._lanes[lane][ref] = now

    def take(self, now: float) -> Ref | None:
        """The next key to look at; it is running until `done`."""
        self._ripen(now)
        lanes = [lane for lane in Lane if self._lanes[lane]]
        if not lanes:
            return None
        lane = min(lanes, key=lambda each: _urgency(each) - (now - self._oldest(each)[1]) / AGE_SECONDS)
        ref = self._oldest(lane)[0]
        del self._lanes[lane][ref], self._queued[ref]
        self._running.add(ref)
        return ref

    def done(self, ref: Ref, now: float) -> None:
        """Its pass has ended; what came meanwhile makes it due again."""
        self._running.discard(ref)
        lane = self._again.pop(ref, None)
        if lane is not None:
            self.wake(ref, lane, now)

    def next_at(self) -> float | None:
        """When the next timer is due; None while there is none."""
        while self._heap and not self._slots[self._heap[0]]:
            del self._slots[heapq.heappop(self._heap)]
        return self._heap[0] * SLOT_SECONDS if self._heap else None

    def _oldest(self, lane: Lane) -> tuple[Ref, float]:
        return next(iter(self._lanes[lane].items()))

    def _ripen(self, now: float) -> None:
        while self._heap and self._heap[0] * SLOT_SECONDS <= now:
            for ref, lane in sorted(self._slots.pop(heapq.heappop(self._heap)).items()):
                del self._timed[ref]
                self.wake(ref, lane, now)


def _urgency(lane: Lane) -> int:
    return tuple(Lane).index(lane)
