"""A worker process of the kill tests: steps and a runner on a real store, effects told to a judge."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from msgspec import field
from msgspec.structs import replace
from msgspec.structs import replace as changed

from kinds.stage import KINDS, Stage
from runners.judge import tell
from setpoint import system
from setpoint.capabilities.world import World
from setpoint.drive.ownership import Ownership
from setpoint.drive.runtime import RealRuntime
from setpoint.engine.entity import Shape
from setpoint.engine.pipeline import Pipeline, Step, Wait
from setpoint.engine.rows import Task
from setpoint.engine.store import Store
from setpoint.runners.address import read_runner
from setpoint.runners.embedded import EmbeddedRunner
from setpoint.runners.steps import Steps
from setpoint.runners.temporal import Pace, TemporalRunner
from setpoint.storage.postgres import open_postgres
from setpoint.storage.sqlite import open_sqlite
from setpoint.worker.service import Worker

NAMES = ("one", "two", "three", "four", "five")
SETTLING = "settling"
AT_ONCE = 8
LEASE_SECONDS = 4.0
"""What a killed worker held is free again after this."""


class Trail(Shape, frozen=True):
    """Which effects the task believes it has had."""

    effects: list[str] = field(default_factory=list)


async def effect(name: str, judge: str, world: World, state: Trail, task: Task) -> Trail | Wait:
    """Told to the judge under a key that is the same however often it is told."""
    if name == "three" and task.reason != SETTLING:
        return Wait(0.05, SETTLING)
    await tell(judge, f"{task.id}/{name}")
    await asyncio.sleep(0.01)
    return changed(state, effects=[*state.effects, name])


def pipeline(judge: str = "") -> Pipeline:
    def do(name: str) -> Callable[[World, Trail, Task], Awaitable[Trail | Wait]]:
        return partial(effect, name, judge)

    steps = tuple(Step(name, f"{name} is done", do(name), deadline=1.0) for name in NAMES)
    return Pipeline("trail.make", "Leaves a trail.", Trail, steps)


async def opened(place: str, *, enforcing: bool = True) -> Store:
    if place.startswith("postgresql://"):
        return await open_postgres(place, role="worker" if enforcing else None, allow_unsafe=True)
    return await open_sqlite(Path(place), enforcing=enforcing)


async def main(runner: str, place: str, judge: str, installation: str) -> None:
    store, stage = await opened(place), Stage()
    world = replace(stage.world, habits=replace(stage.world.habits, installation=installation))
    runtime = RealRuntime(system.now, system.new_id, system.new_random())
    made = pipeline(judge)
    steps = Steps(store, KINDS, {made.name: made}, world, runtime)
    alone = not place.startswith("postgresql://")
    owner = Ownership(store, "worker", system.new_id(), system.monotonic, alone, LEASE_SECONDS)
    address, pace = read_runner(runner), Pace(at_once=AT_ONCE, margin=1.0, look=5.0)
    temporal = [TemporalRunner(steps, address, pace)] if address else []
    turn = temporal[0].turn if temporal else EmbeddedRunner(steps, owner).turn
    drive = Worker(store, runtime, turn, lambda *_: None, AT_ONCE, owner).drive()
    await asyncio.gather(*[service.run() for service in (drive, *temporal)])
