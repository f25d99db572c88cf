"""Runs of the same pipeline: how the last ones went, and how long each step usually takes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import quantiles
from typing import Any, Final

from msgspec.structs import replace

from setpoint.api.render import moment
from setpoint.engine.pipeline import Pipeline, standing
from setpoint.engine.rows import Task, TaskState

AnyJson = Any
SHOWN: Final = 10
FEWEST: Final = 2  # Of which something usual can be said.


def earlier_runs(task: Task, same: Sequence[Task]) -> dict[str, AnyJson]:
    """The last other runs, newest first, and what is usual for a whole one and for each step."""
    others = [row for row in same if row.id != task.id]
    done = [row for row in others if row.state is TaskState.DONE]
    steps: dict[str, list[float]] = {}
    for row in done:
        for step, seconds in _steps(row):
            steps.setdefault(step, []).append(seconds)
    return {
        "earlier": [_run(row) for row in others[:SHOWN]],
        "usual": usual([row.changed_at - row.created_at for row in done]),
        "usual_steps": {step: found for step, took in steps.items() if (found := usual(took))},
    }


def usual_runs(tasks: Iterable[Task]) -> dict[str, AnyJson]:
    """What is usual for a whole run, by pipeline."""
    took: dict[str, list[float]] = {}
    for task in tasks:
        if task.state is TaskState.DONE:
            took.setdefault(task.pipeline, []).append(task.changed_at - task.created_at)
    return {pipeline: found for pipeline, each in took.items() if (found := usual(each))}


def once_more(pipeline: Pipeline, failed: Task, begun: Task) -> Task:
    """The task `begun` in the place of one that failed, from the first step that does not stand."""
    stands = standing(pipeline, failed)
    return replace(begun, saved=failed.saved, step=pipeline.after("", stands), steps_done=stands)


def shown_retry(task: Task, pipelines: Mapping[str, Pipeline]) -> dict[str, AnyJson] | None:
    """From which step it would go on if it were begun once more, and which steps stand as they are."""
    pipeline = pipelines.get(task.pipeline)
    if pipeline is None:
        return None
    stands = standing(pipeline, task)
    return {"from": pipeline.after("", stands), "stands": list(stands)}


def usual(seconds: Sequence[float]) -> dict[str, float] | None:
    """Half of them take at most p50, nine in ten at most p90, ninety-nine in a hundred at most p99."""
    if len(seconds) < FEWEST:
        return None
    at = quantiles(seconds, n=100, method="inclusive")
    return {"p50": at[49], "p90": at[89], "p99": at[98]}


def _steps(task: Task) -> Iterator[tuple[str, float]]:
    """Each step with the time from the end of the one before to its own."""
    ended = {turn.step: turn.last for turn in task.story if turn.step in task.steps_done}
    moments = [task.created_at, *ended.values()]
    for step, (before, after) in zip(ended, pairwise(moments), strict=True):
        yield step, max(0.0, after - before)


def _run(task: Task) -> dict[str, AnyJson]:
    return {
        "id": task.id,
        "target": task.target,
        "state": task.state,
        "seconds": max(0.0, task.changed_at - task.created_at),
        "created_at": moment(task.created_at),
        "error": task.error,
    }
