"""Wakes only shorten the wait: without any, all converges within an interval; ten of each change nothing."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from random import Random
from typing import Any

import pytest
from msgspec import structs
from msgspec.structs import replace

from engine.library import LibraryLoop
from engine.plant import Plant
from setpoint.engine.entity import Ref, State
from setpoint.engine.rows import Wake
from setpoint.engine.store import Change, Put
from setpoint.scheduler.rehearsal import Rehearsal
from setpoint.scheduler.service import Scheduler
from setpoint.storage.listeners import Heard
from setpoint.storage.memory import MemoryStore

from .virtual_loop import virtually

EVERY = 60.0
A_MOMENT = 2.5
"""For passes that follow at once, and for being found at a roll call."""


class DeafStore(MemoryStore):
    """Every wake is lost, and nobody is told of any commit."""

    async def commit(self, change: Change) -> None:
        await super().commit(replace(change, writes=tuple(w for w in change.writes if not a_wake(w))))

    def listen(self, heard: Heard) -> Callable[[], None]:
        return lambda: None


class EchoStore(MemoryStore):
    """Every wake comes ten times: five times at once, and five times later, when it was long heard."""

    async def commit(self, change: Change) -> None:
        wakes = [write.row for write in change.writes if isinstance(write, Put) and a_wake(write)]
        at_once = tuple(Put(copied(wake, number)) for wake in wakes for number in range(1, 5))
        await super().commit(replace(change, writes=(*change.writes, *at_once)))
        for wake in wakes:
            for number in range(5, 10):
                asyncio.get_running_loop().call_later(1.7 * number, self._echo, copied(wake, number))

    def listen(self, heard: Heard) -> Callable[[], None]:
        stops = [super(EchoStore, self).listen(heard) for _ in range(10)]

        def stop() -> None:
            for each in stops:
                each()

        return stop

    def _echo(self, wake: Wake) -> None:
        self.shelves[Wake].put(wake.id, wake)


def a_wake(write: object) -> bool:
    return isinstance(write, Put) and isinstance(write.row, Wake)


def copied(wake: Wake, number: int) -> Wake:
    return structs.replace(wake, id=f"{wake.id}.{number}")


class Yard:
    """The real scheduler, drive and engine on a store of choice, over two domains."""

    def __init__(self, store: MemoryStore) -> None:
        self.plant = Plant(store)
        self.shelf, self.stack = self.plant.loop, LibraryLoop()
        loops = {**dict.fromkeys(self.plant.kinds, self.shelf), "stack": self.stack}
        reconciler = replace(self.plant.reconciler, loops=loops)
        rehearsal = Rehearsal(store, self.plant.kinds, self.plant.runtime, reconciler, lambda intent: loops)
        self.scheduler = Scheduler(
            store=store,
            kinds=self.plant.kinds,
            runtime=self.plant.runtime,
            reconciler=reconciler,
            rehearsal=rehearsal,
            intervals={"shelf": EVERY, "stack": EVERY},
            told=lambda event, fields: None,
            at_once=4,
            ownership=self.plant.ownership,
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        await self.plant.start()
        drive = self.scheduler.drive()
        running = asyncio.create_task(drive.run())
        try:
            yield
        finally:
            drive.stop()
            await running

    async def declare(self, kind: str, **books: Any) -> Ref:
        return (await self.plant.declare(kind, "novels", books=books)).ref

    async def settled(self, ref: Ref, within: float) -> None:
        """Waits until the world is as declared and the status says so of this very intent."""
        limit = self.plant.runtime.time + within
        while not await self._is_so(ref):
            assert self.plant.runtime.time <= limit, f"{ref}: {(await self.plant.status(ref)).reason}"
            await asyncio.sleep(0.05)

    async def _is_so(self, ref: Ref) -> bool:
        entity = await self.plant.entity(ref)
        found = (self.stack if ref.startswith("stack/") else self.shelf).found
        ready = entity.status.state is State.READY and entity.status.generation == entity.generation
        return ready and found == entity.spec.books

    def acts(self) -> list[tuple[str, str, str, Any]]:
        """What was done to the world, in each domain's order."""
        loops = {"shelf": self.shelf, "stack": self.stack}
        return [(kind, act.verb, act.item, act.after) for kind, loop in loops.items() for act in loop.acts]


def played(store: MemoryStore, story: Callable[[Yard], Awaitable[None]], luck: float = 0.5) -> Yard:
    yard = Yard(store)
    yard.plant.runtime.luck = luck

    async def play() -> None:
        async with yard.running():
            await story(yard)

    virtually(yard.plant.runtime, play())
    return yard


async def much_happens(yard: Yard) -> None:
    """Declared, edited, damaged and shortened; each step has the time that an interval gives it."""
    shelf = await yard.declare("shelf", dune=1, emma=1, ulysses=1)
    stack = await yard.declare("stack", **{f"book-{number}": 1 for number in range(12)})
    await asyncio.sleep(2 * EVERY)
    await yard.declare("shelf", dune=2, emma=1, ulysses=1, walden=1)
    await asyncio.sleep(2 * EVERY)
    yard.shelf.found.pop("emma")
    yard.stack.found["book-3"] = "torn"
    await asyncio.sleep(2 * EVERY)
    await yard.declare("stack", **{f"book-{number}": 1 for number in range(11)})
    await asyncio.sleep(4 * EVERY)
    await yard.settled(shelf, within=0.0)
    await yard.settled(stack, within=0.0)


@pytest.mark.parametrize("luck", [0.0, 0.5, 0.999])
def test_with_every_wake_lost_a_change_converges_within_one_interval(luck: float) -> None:
    chance = Random(7)  # noqa: S311 - when things happen, no secret

    async def story(yard: Yard) -> None:
        refs = [await yard.declare("shelf", dune=1, emma=1), await yard.declare("stack", faust=1)]
        for ref in refs:
            await yard.settled(ref, within=EVERY + A_MOMENT)
        for number in range(20):
            await asyncio.sleep(chance.uniform(0.0, EVERY))
            kind, ref = (("shelf", refs[0]), ("stack", refs[1]))[number % 2]
            await yard.declare(kind, dune=number, emma=1)
            await yard.settled(ref, within=EVERY + A_MOMENT)

    played(DeafStore(), story, luck)


def test_with_every_wake_lost_drift_is_put_back_within_one_interval() -> None:
    async def story(yard: Yard) -> None:
        ref = await yard.declare("shelf", dune=1, emma=1, ulysses=1)
        await yard.settled(ref, within=EVERY + A_MOMENT)
        for _ in range(10):
            yard.shelf.found["emma"] = "torn"
            yard.shelf.found.pop("dune", None)
            await yard.settled(ref, within=EVERY + A_MOMENT)
            await asyncio.sleep(2_000.0)  # Long enough that nobody takes it for a fight over the value.

    played(DeafStore(), story)


def test_with_wakes_nobody_waits_for_the_interval() -> None:
    async def story(yard: Yard) -> None:
        ref = await yard.declare("shelf", dune=1, emma=1)
        await yard.settled(ref, within=A_MOMENT)
        await yard.declare("shelf", dune=2, emma=1)
        await yard.settled(ref, within=A_MOMENT)

    played(MemoryStore(), story)


def test_each_wake_ten_times_leads_to_the_same_acts() -> None:
    once = played(MemoryStore(), much_happens).acts()
    assert played(EchoStore(), much_happens).acts() == once
    assert {verb for _, verb, _, _ in once} == {"create", "update", "delete"}
    assert len(once) == 3 + 12 + 2 + 2 + 1


def test_no_wake_at_all_leads_to_the_same_acts() -> None:
    once = played(MemoryStore(), much_happens).acts()
    assert sorted(map(str, played(DeafStore(), much_happens).acts())) == sorted(map(str, once))
