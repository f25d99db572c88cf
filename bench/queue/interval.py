"""Jobs on an interval, each fired once in every stretch of it: our agenda, and a bare wheel as the floor."""

import asyncio
import heapq
from typing import Final

from bench.queue.drain import refs, spread_out
from bench.trial import Counts, Trial
from setpoint.engine.agenda import SLOT_SECONDS, Agenda
from setpoint.engine.entity import Ref
from setpoint.engine.rows import Lane

EVERY: Final = 60.0
RESYNC: Final = Lane.RESYNC


def agenda(size: int) -> Trial:
    """Taken, done, and due again an interval later."""
    waiting, fired = Agenda(), 0
    for ref, at in spread_out(refs(size), EVERY):
        waiting.at(ref, at, RESYNC, "acme")

    def run() -> int:
        nonlocal fired
        take, done = waiting.take, waiting.done
        before = fired
        while fired < before + size:
            now = waiting.next_at() or 0.0
            while (due := take(now)) is not None:
                done(due.ref, now, now + EVERY)
                fired += 1
        return fired - before

    def counts(found: int) -> Counts:
        # A slot is fired whole: a round may end with some of what the next one begins with.
        again = sum(ref in waiting for ref in refs(size))
        return {"fired": min(found, size), "left over": len(waiting), "due again": again}

    return Trial(run, counts, size)


def handled(size: int) -> Trial:
    """The same with a coroutine to be run for each, in an event loop."""
    waiting = Agenda()
    for ref, at in spread_out(refs(size), EVERY):
        waiting.at(ref, at, RESYNC, "acme")

    async def whole() -> int:
        seen: list[Ref] = []

        async def handle(ref: Ref) -> None:
            seen.append(ref)

        take, done = waiting.take, waiting.done
        while len(seen) < size:
            now = waiting.next_at() or 0.0
            while (due := take(now)) is not None:
                await handle(due.ref)
                done(due.ref, now, now + EVERY)
        return len(seen)

    def counts(found: int) -> Counts:
        again = sum(ref in waiting for ref in refs(size))
        return {"fired": min(found, size), "left over": len(waiting), "due again": again}

    return Trial(lambda: asyncio.run(whole()), counts, size)


def wheel(size: int) -> Trial:
    """The floor: slots, no lanes, no tenants, nobody who is woken, and no key twice."""
    slots: dict[int, list[Ref]] = {}
    heap: list[int] = []
    timed: dict[Ref, int] = {}

    def at(ref: Ref, when: float) -> None:
        slot = int(when / SLOT_SECONDS) + 1
        if slot not in slots:
            slots[slot] = []
            heapq.heappush(heap, slot)
        slots[slot].append(ref)
        timed[ref] = slot

    for ref, when in spread_out(refs(size), EVERY):
        at(ref, when)

    def run() -> int:
        fired = 0
        while fired < size:
            slot = heapq.heappop(heap)
            for ref in slots.pop(slot):
                if timed.pop(ref) == slot:
                    fired += 1
                    at(ref, slot * SLOT_SECONDS + EVERY)
        return fired

    return Trial(
        run, lambda found: {"fired": min(found, size), "left over": 0, "due again": len(timed)}, size
    )


def right(size: int) -> Counts:
    return {"fired": size, "left over": 0, "due again": size}
