"""One harness for every runner: worker processes that live and die on one store, before one world."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Literal, TypeVar

from msgspec.structs import replace

from kinds.stage import KINDS, Stage
from setpoint import system
from setpoint.drive.ownership import Ownership
from setpoint.drive.runtime import RealRuntime
from setpoint.engine.entity import Ref
from setpoint.engine.errors import Transient
from setpoint.engine.pipeline import Pipeline
from setpoint.engine.rows import Sign, Task, Wake
from setpoint.engine.store import Change, Lease, Leased, Put, Query, Scalar, Store
from setpoint.runners.address import read_runner
from setpoint.runners.embedded import EmbeddedRunner
from setpoint.runners.steps import Steps
from setpoint.runners.temporal import Pace, TemporalRunner
from setpoint.worker.service import Worker

RowT = TypeVar("RowT")
Death = tuple[int, Literal["before", "after"]]
"""At which save of a task, and on which side of it."""
ENOUGH = 90.0
QUICK = Pace(margin=1.0, look=0.3)


class NoChance(Random):
    """Waits that are jittered are as short as they can be."""

    def random(self) -> float:
        return 0.0


class Mortal:
    """The store as one process sees it: at some save of a task the process is gone, and so is its store."""

    def __init__(self, store: Store, death: Death) -> None:
        self.store, self.death = store, death
        self.saves, self.dead = 0, asyncio.Event()

    async def commit(self, change: Change) -> None:
        self._alive()
        saves = any(isinstance(write, Put) and isinstance(write.row, Task) for write in change.writes)
        self.saves += saves
        self._die_if(saves, "before")
        await self.store.commit(change)
        self._die_if(saves, "after")

    async def get(self, row: type[RowT], key: str) -> RowT | None:
        self._alive()
        return await self.store.get(row, key)

    async def read(self, query: Query[RowT], **values: Scalar) -> list[RowT]:
        self._alive()
        return await self.store.read(query, **values)

    async def lease(self, asked: Lease) -> Leased:
        self._alive()
        return await self.store.lease(asked)

    async def sign(self, signs: Sequence[Sign], hint: str = "") -> None:
        await self.store.sign(signs, hint)

    def listen(self, heard: Callable[[frozenset[str]], None]) -> Callable[[], None]:
        return self.store.listen(heard)

    async def close(self) -> None:
        """Its store outlives it."""

    def _die_if(self, saves: bool, side: str) -> None:
        if saves and (self.saves, side) == self.death:
            self.dead.set()
        self._alive()

    def _alive(self) -> None:
        if self.dead.is_set():
            raise Transient("this process is gone")


@dataclass
class Scene:
    """A stage, and which runner plays on it: `embedded`, or where the Temporal server is."""

    stage: Stage
    runner: str
    installation: str = field(default_factory=system.new_id)
    """Scenes share a server, and never each other's steps."""
    pace: Pace = QUICK

    def __post_init__(self) -> None:
        self.runtime = RealRuntime(system.now, system.new_id, NoChance())
        habits = replace(self.stage.world.habits, installation=self.installation)
        self.stage.world = replace(self.stage.world, habits=habits)

    async def ask(self, task: Task) -> Task:
        """A task, with the wake that comes with it."""
        await self.stage.put(task, Wake(id=system.new_id(), ref=Ref(f"task/{task.id}"), reason="asked"))
        return task

    async def now(self, task: Task) -> Task:
        found = await self.stage.store.get(Task, task.id)
        assert found is not None
        return found

    async def ended(self, task: Task) -> Task:
        await until(lambda: self._closed(task), f"{task.pipeline} to end")
        return await self.now(task)

    async def _closed(self, task: Task) -> bool:
        return not (await self.now(task)).open

    @contextlib.asynccontextmanager
    async def alive(self, *pipelines: Pipeline, store: Store | None = None) -> AsyncIterator[None]:
        """A worker process while this lasts; it stops as a process does that was asked to."""
        store = store or self.stage.store
        steps = Steps(store, KINDS, {p.name: p for p in pipelines}, self.stage.world, self.runtime)
        owner = Ownership(store, "worker", system.new_id(), system.monotonic, alone=True)
        address = read_runner(self.runner)
        temporal = [TemporalRunner(steps, address, self.pace)] if address else []
        turn = temporal[0].turn if temporal else EmbeddedRunner(steps, owner).turn
        drive = Worker(store, self.runtime, turn, lambda *_: None, 8, owner).drive()
        services = [drive, *temporal]
        running = [asyncio.create_task(service.run()) for service in services]
        try:
            yield
        finally:
            for service in services:
                service.stop()
            await asyncio.gather(*running)

    async def lives(self, pipeline: Pipeline, task: Task, *deaths: Death) -> Task:
        """One process after the other dies at such a save; the last one lives until the task has ended."""
        for death in deaths:
            mortal = Mortal(self.stage.store, death)
            async with self.alive(pipeline, store=mortal):
                async with asyncio.timeout(ENOUGH):
                    await mortal.dead.wait()
        async with self.alive(pipeline):
            return await self.ended(task)


async def until(condition: Callable[[], Awaitable[Any]], what: str) -> None:
    deadline = time.monotonic() + ENOUGH
    while not await condition():
        assert time.monotonic() < deadline, f"waited {ENOUGH:.0f} s for {what}"
        await asyncio.sleep(0.01)
