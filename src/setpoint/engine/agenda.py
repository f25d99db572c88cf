"""Who is due: timers in slots, four lanes with ageing, tenants by turns, one pass per key.

Keys that are due together move together: a timer that rings costs as much as it has tenants, not keys. And
a key that is put elsewhere is not looked for where it was: it is passed over there when its turn comes.
"""

import heapq
from bisect import insort
from collections.abc import Iterator
from math import inf
from typing import Final
from zlib import crc32

import msgspec
from msgspec import Struct, field

from setpoint.engine.entity import Ref
from setpoint.engine.line import Batch, Line, Queue
from setpoint.engine.rows import Lane

NEVER: Final = inf
SLOT_SECONDS: Final = 0.05
AGE_SECONDS: Final = 2.0  # Waiting this long is worth one lane: nothing starves.
JITTER: Final = 0.1
LANES: Final = tuple(Lane)
URGENCY: Final = {lane: place for place, lane in enumerate(LANES)}


class Due(msgspec.Struct, frozen=True, gc=False):
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


class Agenda(Struct):
    """`wake` says a key is due, `take` gives the next one, `done` ends its pass."""

    _places: dict[Ref, Batch] = field(default_factory=dict)
    """Where each key is that waits, for its turn or for its time. One that has its turn keeps its place until
    it is done, and nearly always has another one then: to change it costs less than to leave and take.
    """
    _beside: dict[Ref, Batch] = field(default_factory=dict)
    """The timers of keys that wait for their turn, or have it, as well."""
    _running: dict[Ref, str] = field(default_factory=dict)
    _again: dict[Ref, int] = field(default_factory=dict)
    _slots: dict[int, list[Batch]] = field(default_factory=dict)
    _heap: list[int] = field(default_factory=list)
    _open: dict[tuple[int, int, str], Batch] = field(default_factory=dict)
    """By slot, urgency and tenant, the timer that one more key may join."""
    _lines: tuple[Line, ...] = field(default_factory=lambda: tuple(map(Line, range(len(LANES)), LANES)))
    _busy: list[Line] = field(default_factory=list)  # Those in which anything waits, the most urgent first.
    _turns: int = 0
    _rings: float = NEVER  # No timer is due before.

    def __len__(self) -> int:
        """How many are waiting for their turn right now."""
        return sum(queue.number for line in self._busy for queue in line.ring)

    def __contains__(self, ref: Ref) -> bool:
        """Whether this key will have a turn without being woken, or has one now."""
        return ref in self._places

    def due_at(self, ref: Ref) -> float | None:
        """When its turn is due: in the past while it waits for it, or has it; None for a key without one."""
        batch = self._places.get(ref)
        if batch is None:
            return None
        return batch.slot * SLOT_SECONDS if batch.slot else batch.since

    def waiting(self) -> Iterator[Ref]:
        """Those who wait for their turn right now, the most urgent lane first."""
        for batch in (batch for line in self._busy for queue in line.ring for batch in queue.batches):
            yield from (ref for ref in batch.keys[batch.taken :] if self._places.get(ref) is batch)

    def at(self, ref: Ref, when: float, lane: Lane = Lane.RESYNC, tenant: str = "") -> None:
        """Due at this time, in this lane; an earlier time wins. Without a tenant, it is whose it was."""
        slot, timers = int(when / SLOT_SECONDS) + 1, self._places
        if ref in self._running:
            tenant, timers = tenant or self._running[ref], self._beside
            known = timers.get(ref)
        elif (known := timers.get(ref)) is not None:
            tenant = tenant or known.tenant
            if not known.slot:
                timers = self._beside
                known = timers.get(ref)
        if known is not None:
            if known.slot <= slot:
                return
            self._strike(known)
        key = (slot, URGENCY[lane], tenant)
        timer = self._open.get(key) or self._timer(*key)
        timer.keys.append(ref)
        timers[ref] = timer

    def wake(self, ref: Ref, lane: Lane, now: float, tenant: str = "") -> None:
        """Due now. During its own pass it runs once more afterwards; a more urgent lane wins."""
        self._wake(ref, URGENCY[lane], tenant, now)

    def take(self, now: float) -> Due | None:
        """The next key to look at; it is running until `done`."""
        if self._rings <= now:
            self._ripen(now)
        busy = self._busy
        if not busy:
            return None
        line = busy[0] if len(busy) == 1 else self._most_urgent(now)
        batch = line.head or line.next(self._places)
        keys, taken, tenant, queue = batch.keys, batch.taken, batch.tenant, line.ring[0]
        ref = keys[taken]
        batch.taken = taken + 1
        queue.number -= 1
        if not queue.number:
            self._close(line, queue)
        elif batch.taken == len(keys) or batch.absent or len(line.ring) > 1:
            line.head = None
        self._running[ref] = line.last = tenant
        self._turns = line.served = self._turns + 1
        return Due(ref, line.lane, tenant)

    def done(self, ref: Ref, now: float, when: float = NEVER, lane: Lane = Lane.RESYNC) -> None:
        """Its pass has ended, and the next is due at this time; what came meanwhile makes it due at once."""
        tenant = self._running.pop(ref, None)
        if tenant is None:
            return
        timer = self._beside.pop(ref, None) if self._beside else None
        if when != NEVER:
            key = (int(when / SLOT_SECONDS) + 1, URGENCY[lane], tenant)
            if timer is None or timer.slot > key[0]:
                if timer is not None:
                    self._strike(timer)
                timer = self._open.get(key) or self._timer(*key)
                timer.keys.append(ref)
        if timer is None:
            del self._places[ref]
        else:
            self._places[ref] = timer
        if self._again and ref in self._again:
            self._wake(ref, self._again.pop(ref), tenant, now)

    def next_at(self) -> float | None:
        """When the next timer is due; None while there is none."""
        while self._heap and self._heap[0] not in self._slots:
            heapq.heappop(self._heap)
        return self._heap[0] * SLOT_SECONDS if self._heap else None

    def _wake(self, ref: Ref, urgency: int, tenant: str, now: float) -> None:
        if ref in self._running:
            self._running[ref] = tenant or self._running[ref]
            self._again[ref] = min(urgency, self._again.get(ref, urgency))
            return
        known = self._places.get(ref)
        if known is not None:
            tenant = tenant or known.tenant
            if known.slot:
                self._beside[ref] = known
            elif known.urgency <= urgency:
                return
            else:
                self._leave(known)
        queue = self._lines[urgency].queues.get(tenant) or self._queue(urgency, tenant)
        batch = queue.batches[-1] if queue.batches else None
        if batch is None or batch.since != now or batch.absent:
            batch = Batch(urgency, tenant, since=now)
            queue.batches.append(batch)
        batch.keys.append(ref)
        self._places[ref] = batch
        queue.number += 1

    def _most_urgent(self, now: float) -> Line:
        """By lane and age. Nothing gets better than interactive, and equals are served by turns: a long
        queue that has grown old pushes nobody aside.
        """

        best, chosen = inf, self._busy[0]
        for line in self._busy:
            head = line.head or line.next(self._places)
            aged = max(0.0, line.urgency - (now - head.since) / AGE_SECONDS)
            if aged < best or (aged == best and line.served < chosen.served):
                best, chosen = aged, line
        return chosen

    def _queue(self, urgency: int, tenant: str) -> Queue:
        """A new one, behind those of the other tenants."""
        line = self._lines[urgency]
        if not line.ring:
            insort(self._busy, line, key=_urgency)
        queue = line.queues[tenant] = Queue(tenant)
        line.ring.append(queue)
        line.head = None
        return queue

    def _leave(self, batch: Batch) -> None:
        """One of its keys goes to a more urgent lane."""
        batch.absent += 1
        line = self._lines[batch.urgency]
        queue, line.head = line.queues[batch.tenant], None
        queue.number -= 1
        if not queue.number:
            self._close(line, queue)

    def _close(self, line: Line, queue: Queue) -> None:
        """Nothing waits there any more."""
        line.head = None
        line.ring.remove(queue)
        del line.queues[queue.tenant]
        if not line.ring:
            self._busy.remove(line)

    def _timer(self, slot: int, urgency: int, tenant: str) -> Batch:
        if slot not in self._slots:
            self._slots[slot] = []
            heapq.heappush(self._heap, slot)
            self._rings = self._heap[0] * SLOT_SECONDS
        timer = self._open[slot, urgency, tenant] = Batch(urgency, tenant, slot)
        self._slots[slot].append(timer)
        return timer

    def _strike(self, timer: Batch) -> None:
        """One of its keys is due earlier. Nobody joins it any more: who came back would be in it twice."""
        timer.absent += 1
        self._open.pop((timer.slot, timer.urgency, timer.tenant), None)
        if timer.absent == len(timer.keys):
            self._slots[timer.slot].remove(timer)
            if not self._slots[timer.slot]:
                del self._slots[timer.slot]

    def _ripen(self, now: float) -> None:
        while self._heap and self._heap[0] * SLOT_SECONDS <= now:
            for timer in self._slots.pop(heapq.heappop(self._heap), ()):
                self._open.pop((timer.slot, timer.urgency, timer.tenant), None)
                self._ring(timer, now)
        self._rings = self._heap[0] * SLOT_SECONDS if self._heap else NEVER

    def _ring(self, timer: Batch, now: float) -> None:
        """Its keys are due: as they are, or one by one where some of them are due or running already."""
        if timer.absent or (self._beside and not self._beside.keys().isdisjoint(timer.keys)):
            for ref in timer.keys:
                for timers in (self._places, self._beside):
                    if timers.get(ref) is timer:
                        del timers[ref]
                        self._wake(ref, timer.urgency, timer.tenant, now)
            return
        timer.slot, timer.since = 0, now
        queue = self._lines[timer.urgency].queues.get(timer.tenant) or self._queue(
            timer.urgency, timer.tenant
        )
        queue.batches.append(timer)
        queue.number += len(timer.keys)


def _urgency(line: Line) -> int:
    return line.urgency
