"""Runs of the same pipeline: how the last ones went, and how long each step usually takes."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import quantiles
from typing import Any, Final

from setpoint.api.render import moment
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
