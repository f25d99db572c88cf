"""A drive that is running, with work that says what it is told to say."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from engine.fake_runtime import FakeRuntime
from setpoint.capabilities.urgency import URGENT
from setpoint.drive.drive import Drive, Roll, Turns
from setpoint.drive.ownership import Ownership
from setpoint.engine.agenda import Agenda
from setpoint.engine.entity import Ref
from setpoint.engine.rows import Lane, Wake
from setpoint.engine.store import Change, Put
from setpoint.storage.memory import MemoryStore
from waiting import until

A, B, C = Ref("zone/a"), Ref("zone/b"), Ref("zone/c")


class Work:
    """Turns that say what they are told to say, and can be held in the middle."""

    def __init__(self) -> None:
        self.taken: list[Ref] = []
        self.urgent: list[Ref] = []
        self.at_once, self.most_at_once, self.under_way = 4, 0, 0
        self.answers: dict[Ref, list[float | Exception | None]] = {}
        self.looks = 0
        self.gate = asyncio.Event()
        self.gate.set()

    async def look(self) -> None:
        self.looks += 1
        await self.gate.wait()

    async def take(self, ref: Ref) -> float | None:
        self.taken.append(ref)
        self.urgent += [ref] if URGENT.get() else []
        self.under_way += 1
        self.most_at_once = max(self.most_at_once, self.under_way)
        try:
            await self.gate.wait()
        finally:
            self.under_way -= 1
        waiting = self.answers.get(ref, [])
        answer = waiting.pop(0) if waiting else None
        if isinstance(answer, Exception):
            raise answer
        return answer

    def every(self, ref: Ref) -> float | None:
        return 60.0 if ref != C else None


class Yard:
    """A drive that is running, its store, its clock and its work."""

    def __init__(self, store: MemoryStore | None = None, at_once: int = 4) -> None:
        self.store, self.runtime, self.work = store or MemoryStore(), FakeRuntime(), Work()
        turns = Turns(
            take=self.work.take,
            mine=lambda ref: ref.startswith("zone/"),
            owned=self.owned,
            load=self.load,
            every=self.work.every,
            roll=self.roll,
            told=lambda event, fields: self.told.append((event, dict(fields))),
            at_once=at_once,
            look=self.work.look,
        )
        ownership = Ownership(self.store, "scheduler", "yard", self.runtime.now, alone=True)
        self.drive = Drive(self.store, self.runtime, turns, ownership)
        self.told: list[tuple[str, dict[str, object]]] = []
        self.should_come: list[Ref] = []
        """Who is on the roll, two to a page."""

    async def owned(self, refs: Sequence[Ref]) -> frozenset[Ref]:
        return frozenset(refs)

    async def load(self, agenda: Agenda) -> None:
        """Nothing: who should come is told by the roll."""

    async def roll(self, after: str) -> Roll:
        page = [ref for ref in self.should_come if ref > after][:2]
        return Roll([(ref, "acme") for ref in page], page[-1] if len(page) == 2 else "")

    async def wake(self, *refs: Ref, lane: Lane = Lane.EVENT, tenant: str = "") -> None:
        wakes = [
            Wake(id=self.runtime.new_id(), ref=ref, reason="woken", lane=lane, tenant=tenant) for ref in refs
        ]
        await self.store.commit(Change(writes=tuple(map(Put, wakes))))

    async def until(self, true: Callable[[], bool]) -> None:
        await until(true, lambda: f"taken were {self.work.taken}")

    async def rest(self) -> None:
        for _ in range(20):
            await asyncio.sleep(0)

    async def later(self, seconds: float) -> None:
        """Time passes, and something is committed that makes the drive look up."""
        self.runtime.pass_by(seconds)
        await self.store.commit(Change(writes=(Put(Wake(id="x", ref=Ref("task/x"), reason="not ours")),)))
        await self.rest()


@asynccontextmanager
async def driven(yard: Yard) -> AsyncIterator[Yard]:
    running = asyncio.create_task(yard.drive.run())
    try:
        yield yard
    finally:
        yard.work.gate.set()
        yard.drive.stop()
        await running
