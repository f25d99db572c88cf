"""Tasks on Temporal: it keeps time and hands over between workers; what a task is stays in our store."""

import asyncio
from contextlib import suppress
from datetime import timedelta
from functools import cache
from math import ceil
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace
from temporalio import activity
from temporalio.client import Client
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.runtime import LoggingConfig, Runtime, TelemetryConfig, TelemetryFilter
from temporalio.service import RetryConfig, RPCError, RPCStatusCode
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from setpoint.engine.conclude import back_off
from setpoint.engine.entity import Ref
from setpoint.engine.errors import Conflict
from setpoint.engine.rows import Task, TaskState, Wake
from setpoint.engine.store import WAKES_OF, Change, Drop, Expect, Put
from setpoint.log import Log
from setpoint.runners.address import Address
from setpoint.runners.steps import Steps
from setpoint.runners.temporal_workflow import STEP, TASK, Following, Grant, TaskWorkflow

CALL_SECONDS: Final = 5.0
STOP_SECONDS: Final = 20.0
HAND_OVER_SECONDS: Final = 1.0
"""So long a workflow waits for the worker that remembers it; any other has to read its history first."""
DECIDE_SECONDS: Final = 5.0
"""A worker that has not said by then what comes next is gone."""
AWAY: Final = (RPCError, RuntimeError, TimeoutError)
"""A connection that cannot be made is a bare RuntimeError of the library."""
SILENT: Final = (RPCStatusCode.UNAVAILABLE, RPCStatusCode.DEADLINE_EXCEEDED, RPCStatusCode.UNKNOWN)

log = Log("runner")


class Pace(Struct, frozen=True):
    """How much at once, and how patiently."""

    at_once: int = 8
    margin: float = 5.0
    """What a step has beyond its deadline to read and to save: until then no other worker begins it again."""
    look: float = 30.0
    """How long an open task may be silent before somebody sees whether it still has its workflow."""


class TemporalRunner(Struct):
    """Its turns see that every open task has a workflow; `run` does for the server the steps it asks for."""

    steps: Steps
    address: Address
    pace: Pace = field(default_factory=Pace)
    _starter: Client | None = None
    _failures: dict[Ref, int] = field(default_factory=dict)
    _stopping: asyncio.Event = field(default_factory=asyncio.Event)

    async def turn(self, ref: Ref) -> float | None:
        """Starts the workflow of an open task that seems to have none. Returns when to look again."""
        store, now = self.steps.store, self.steps.runtime.now()
        wakes = await store.read(WAKES_OF, ref=ref)
        task = await store.get(Task, ref.partition("/")[2])
        wait = None if task is None or not task.open else patience(task, now, self.pace.look)
        if task is not None and wait == 0.0:
            if trouble := await self._started(task):
                await self._say(task, trouble)
                return self._later(ref)
            wait = self.pace.look
        self._failures.pop(ref, None)
        if wakes:
            await store.commit(Change(writes=tuple(Drop(Wake, wake.id) for wake in wakes)))
        return wait

    async def run(self) -> None:
        """Until stopped; a server that is away is asked again and again."""
        failures = 0
        while not self._stopping.is_set():
            try:
                await self._serve()
            except AWAY as error:
                failures += 1
                log.warning("temporal away", server=self.address.server, why=str(error))
                await self._pause(back_off(failures, self.steps.runtime.chance(), ceiling=5.0))

    def stop(self) -> None:
        """No step begins after this; those under way are waited for."""
        self._stopping.set()

    @activity.defn(name=STEP)
    async def step(self, task_id: str) -> Following:
        """The task's next step through its door, if it is due and there is time enough for it."""
        store, granted = self.steps.store, activity.info().start_to_close_timeout
        task = await store.get(Task, task_id)
        following = self._following(task)
        # The step may be another one than was asked for: what was saved last time was perhaps not reported.
        in_time = granted is not None and following.seconds <= granted.total_seconds()
        if task is None or following.wait != 0.0 or not in_time:
            return following
        after, saved = await self.steps.step(task)
        try:
            await store.commit(saved)
        except Conflict as error:
            log.info("step overtaken", task=task_id, why=str(error))
            return self._following(await store.get(Task, task_id))
        return self._following(after)

    def _following(self, task: Task | None) -> Following:
        if task is None or not task.open:
            return Following(None, 0)
        wait = max(0.0, task.due_at - self.steps.runtime.now())
        return Following(wait, ceil(self.steps.deadline(task) + self.pace.margin))

    async def _serve(self) -> None:
        worker = Worker(
            await Client.connect(self.address.server, namespace=self.address.namespace, runtime=quiet()),
            task_queue=self._queue,
            workflows=[TaskWorkflow],
            activities=[self.step],
            workflow_runner=UnsandboxedWorkflowRunner(),
            max_concurrent_activities=self.pace.at_once,
            sticky_queue_schedule_to_start_timeout=timedelta(seconds=HAND_OVER_SECONDS),
            graceful_shutdown_timeout=timedelta(seconds=STOP_SECONDS),
        )
        # Not `async with worker`: that cancels whoever is inside when the worker fails while it is stopped.
        leaving = asyncio.create_task(self._leave(worker), name="temporal worker stops")
        try:
            await worker.run()
        finally:
            leaving.cancel()

    async def _leave(self, worker: Worker) -> None:
        await self._stopping.wait()
        await worker.shutdown()

    async def _started(self, task: Task) -> str:
        """Why the task has no workflow; empty if it has. To start one that runs already changes nothing."""
        try:
            async with asyncio.timeout(CALL_SECONDS):
                client = await self._reached()
                await client.start_workflow(
                    TASK,
                    Grant(task.id, self._following(task).seconds),
                    id=task.id,
                    task_queue=self._queue,
                    id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
                    task_timeout=timedelta(seconds=DECIDE_SECONDS),
                )
        except AWAY as error:
            log.warning("workflow not started", task=task.id, why=str(error))
            return f"Temporal at {self.address.server} {_said(error)}"
        return ""

    async def _reached(self) -> Client:
        """A client that connects when it is first used, and again whenever the server is back."""
        if self._starter is None:
            self._starter = await Client.connect(
                self.address.server,
                namespace=self.address.namespace,
                retry_config=RetryConfig(max_retries=2),
                lazy=True,
                runtime=quiet(),
            )
        return self._starter

    async def _say(self, task: Task, reason: str) -> None:
        """Once, and without a new version: a step that is under way is not too late because of it."""
        if task.reason == reason:
            return
        unchanged = Expect(Task, task.id, "version", task.version)
        with suppress(Conflict):  # Its step went on meanwhile: there is something better to say.
            await self.steps.store.commit(Change((unchanged,), (Put(replace(task, reason=reason)),)))

    def _later(self, ref: Ref) -> float:
        self._failures[ref] = self._failures.get(ref, 0) + 1
        return back_off(self._failures[ref], self.steps.runtime.chance(), ceiling=30.0)

    async def _pause(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopping.wait()

    @property
    def _queue(self) -> str:
        """Installations that share a namespace do not get each other's steps."""
        return f"setpoint-{self.steps.world.habits.installation}"


def patience(task: Task, now: float, look: float) -> float:
    """How long silence is nothing unusual: a task that was just saved, or is not due, has its workflow."""
    if task.state is TaskState.QUEUED:
        return 0.0
    return max(0.0, max(task.changed_at, task.due_at) + look - now)


def _said(error: Exception) -> str:
    """The same words every time: they are written only where they differ."""
    refused = isinstance(error, RPCError) and error.status not in SILENT
    return f"refuses: {error}" if refused else "does not answer"


@cache
def quiet() -> Runtime:
    """The library's own threads, one set for the process; they say in the log only what nobody else would."""
    errors = TelemetryFilter(core_level="ERROR", other_level="ERROR")
    return Runtime(telemetry=TelemetryConfig(logging=LoggingConfig(filter=errors)))
