"""The one workflow of all pipelines: a step, a sleep, a step. What a task is stays in our store.

Temporal replays it from its history, whatever version a worker has: what it awaits, and in which order, never
changes under this name.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from temporalio import workflow
from temporalio.common import RetryPolicy

TASK: Final = "setpoint.task"
STEP: Final = "setpoint.step"
TURNS: Final = 250
"""Then it continues as a new one: a history may not grow for ever."""
RETRIES: Final = RetryPolicy(
    initial_interval=timedelta(seconds=0.2), backoff_coefficient=2.0, maximum_interval=timedelta(seconds=15)
)
"""Without end: a store that is away comes back, and only the task itself says that it has ended."""


@dataclass(frozen=True)
class Grant:
    """So many seconds for the next step of this task."""

    task: str
    seconds: int


@dataclass(frozen=True)
class Following:
    """When the next step is due, and how many seconds it needs; no wait means that the task has ended."""

    wait: float | None
    seconds: int


@workflow.defn(name=TASK, sandboxed=False)
class TaskWorkflow:
    """Keeps time and hands over between workers; decides nothing."""

    @workflow.run
    async def run(self, grant: Grant) -> None:
        seconds = grant.seconds
        for _ in range(TURNS):
            following = await workflow.execute_activity(
                STEP,
                grant.task,
                result_type=Following,
                start_to_close_timeout=timedelta(seconds=seconds),
                retry_policy=RETRIES,
            )
            if following.wait is None:
                return
            seconds = following.seconds
            if following.wait > 0:
                await workflow.sleep(following.wait)
        workflow.continue_as_new(Grant(grant.task, seconds))
