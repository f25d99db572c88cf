"""One task of one pipeline, step by step, on the stage of the kinds."""

from typing import Any

from kinds.stage import PROD, Stage
from setpoint.engine.entity import AnyEntity, Ref
from setpoint.engine.pipeline import Pipeline, advance
from setpoint.engine.rows import Task


def task_of(pipeline: Pipeline, target: Ref, **saved: Any) -> Task:
    return Task(
        id="t1",
        pipeline=pipeline.name,
        target=target,
        key="k",
        organization="acme",
        asked_by="ann",
        saved=saved,
    )


async def workspace(stage: Stage) -> AnyEntity:
    found = await stage.intent.named("workspace", PROD, "prod")
    assert found is not None
    return found


async def through(stage: Stage, pipeline: Pipeline, task: Task, turns: int = 60) -> Task:
    """Step by step until it ends, or this often."""
    for _ in range(turns):
        if not task.open:
            return task
        task = await advance(pipeline, task, stage.world, stage.runtime.now(), 0.5)
    return task
