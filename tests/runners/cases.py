"""What every runner must bring to the same end: our pipelines, and one whose effects are plain to see."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from msgspec import field
from msgspec.structs import replace
from msgspec.structs import replace as changed

from kinds.stage import Stage
from pipelines.stages import through, workspace
from setpoint import system
from setpoint.capabilities.world import World
from setpoint.engine.entity import Ref, Shape
from setpoint.engine.errors import Rejected
from setpoint.engine.pipeline import Pipeline, Step
from setpoint.engine.rows import Task
from setpoint.pipelines.notification_deliver import NOTIFICATION_DELIVER
from setpoint.pipelines.workspace_create import WORKSPACE_CREATE
from setpoint.pipelines.workspace_delete import WORKSPACE_DELETE


class Bed(Shape, frozen=True):
    """What the garden carries from step to step."""

    planted: list[str] = field(default_factory=list)


class Garden:
    """Five steps, each of which plants one thing under its task's name; planting it again changes nothing."""

    names = ("dig", "sow", "water", "weed", "fence")

    def __init__(self) -> None:
        self.planted: dict[str, str] = {}
        self.done: list[str] = []
        steps = tuple(Step(name, f"{name} is done", self._do(name), self._undo(name)) for name in self.names)
        self.pipeline = Pipeline("garden.make", "Makes a garden.", Bed, steps)

    def _do(self, name: str) -> Callable[[World, Bed, Task], Awaitable[Bed]]:
        async def do(world: World, state: Bed, task: Task) -> Bed:
            self.done.append(name)
            self.planted.setdefault(name, task.id)
            return changed(state, planted=[*state.planted, name])

        return do

    def _undo(self, name: str) -> Callable[[World, Bed, Task], Awaitable[Bed]]:
        async def undo(world: World, state: Bed, task: Task) -> Bed:
            if self.planted.get(name) == task.id:
                del self.planted[name]
            return changed(state, planted=[each for each in state.planted if each != name])

        return undo


@dataclass(frozen=True)
class Case:
    """A pipeline, a task for it, and what the world looks like."""

    pipeline: Pipeline
    task: Task
    look: Callable[[], Any]


async def garden(stage: Stage, task_id: str) -> Case:
    made, prod = Garden(), await workspace(stage)
    return Case(made.pipeline, task_of(made.pipeline, prod.ref, task_id), lambda: dict(made.planted))


async def create(stage: Stage, task_id: str) -> Case:
    prod = await workspace(stage)
    task = task_of(WORKSPACE_CREATE, prod.ref, task_id, workspace=prod.ref, generation=1)
    return Case(WORKSPACE_CREATE, task, lambda: dict(stage.cloud.walls))


async def delete(stage: Stage, task_id: str) -> Case:
    made = await create(stage, "before")
    await through(stage, made.pipeline, made.task)
    task = task_of(WORKSPACE_DELETE, made.task.target, task_id, **made.task.saved)
    return Case(WORKSPACE_DELETE, task, lambda: (dict(stage.cloud.walls), list(stage.cloud.calls)))


async def deliver(stage: Stage, task_id: str) -> Case:
    url, secret = "https://hooks", "secret://hooks"
    hooks = await stage.declare("notification_channel", "hooks", url=url, secret=secret)
    task = task_of(NOTIFICATION_DELIVER, hooks.ref, task_id, channel=hooks.ref, body={"message": "down"})
    # A receiver tells one message from another by its id.
    return Case(NOTIFICATION_DELIVER, task, lambda: {sent.id: sent.body for sent in stage.webhook.sent})


CASES = {case.__name__: case for case in (garden, create, delete, deliver)}


def task_of(pipeline: Pipeline, target: Ref, task_id: str = "", **saved: Any) -> Task:
    """Named unlike any other: runners know tasks by their ids."""
    return Task(
        id=task_id or system.new_id(),
        pipeline=pipeline.name,
        target=target,
        key=task_id,
        organization="acme",
        asked_by="ann",
        saved=saved,
    )


def failing(pipeline: Pipeline, name: str) -> Pipeline:
    """The same, but this step is refused after all that it does is done: the worst time for it."""
    step = pipeline.step(name)

    async def refused(world: World, state: Any, task: Task) -> Any:
        await step.do(world, state, task)
        raise Rejected(f"{name} was refused")

    steps = tuple(replace(each, do=refused) if each is step else each for each in pipeline.steps)
    return replace(pipeline, steps=steps)
