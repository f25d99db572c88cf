"""Something fresh behind a backlog of looks that are due: from its wake to its handling."""

import asyncio
import time
from typing import Final

from bench.queue.drain import NOW, refs
from bench.trial import Counts, Trial
from setpoint.engine.agenda import Agenda
from setpoint.engine.entity import Ref
from setpoint.engine.rows import Lane

FRESH: Final = 200  # Changes by people in a run, one after the other.
BETWEEN: Final = 6  # Times round the event loop from one to the next; the worker is at the backlog.
OLD: Final = 3600.0  # Seconds for which the backlog has been waiting: it has aged as far as anything can.
RESYNC: Final = Lane.RESYNC
INTERACTIVE: Final = Lane.INTERACTIVE


def behind(backlog: int) -> Trial:
    """Of another tenant than the backlog's; 1 stands for none."""
    waiting = Agenda()
    old = refs(backlog) if backlog > 1 else []
    for ref in old:
        waiting.wake(ref, RESYNC, NOW - OLD, "big")
    changes = [Ref(f"dns_zone/fresh-{number}") for number in range(FRESH)]

    office = Office(waiting)

    def counts(turns: list[int]) -> Counts:
        late = sum(each > 2 for each in turns)  # noqa: PLR2004 - at most one that is as urgent goes before it
        return {"handled": len(turns), "late": late, "lost": len(old) - len(waiting)}

    return Trial(lambda: asyncio.run(office.handled(changes)), counts, parts=FRESH, cpu=lambda: office.spent)


def right() -> Counts:
    return {"handled": FRESH, "late": 0, "lost": 0}


class Office:
    """One worker, who goes once round the event loop for each turn and is never done with the backlog."""

    def __init__(self, waiting: Agenda) -> None:
        self.waiting = waiting
        self.spent = 0.0
        self.turns = 0
        self.expected = Ref("")

    async def handled(self, changes: list[Ref]) -> list[int]:
        """How many turns there were from each wake to its own, that one included."""
        self.hint, self.seen = asyncio.Event(), asyncio.Event()
        worker = asyncio.create_task(self._work())
        found = []
        for ref in changes:
            for _ in range(BETWEEN):
                await asyncio.sleep(0)
            began = time.process_time()
            self.turns, self.expected = 0, ref
            self.waiting.wake(ref, INTERACTIVE, NOW, "small")
            self.hint.set()
            await self.seen.wait()
            self.spent += time.process_time() - began
            self.seen.clear()
            found.append(self.turns)
        worker.cancel()
        await asyncio.gather(worker, return_exceptions=True)
        return found

    async def _work(self) -> None:
        while True:
            due = self.waiting.take(NOW)
            if due is None:
                self.hint.clear()
                await self.hint.wait()
                continue
            self.turns += 1
            try:
                await asyncio.sleep(0)
            finally:
                self.waiting.done(due.ref, NOW)
                if due.lane is RESYNC:
                    self.waiting.wake(due.ref, RESYNC, NOW - OLD, due.tenant)
            if due.ref == self.expected:
                self.seen.set()
