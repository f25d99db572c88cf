"""One step of one task through its door, whatever runs it: allowed now, done, saved with its evidence."""

import asyncio
from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from setpoint.capabilities.world import World
from setpoint.engine.case import strictest
from setpoint.engine.entity import Declared, Scope, kind_of
from setpoint.engine.errors import Transient
from setpoint.engine.kind import Kinds
from setpoint.engine.levers import read_levers
from setpoint.engine.pipeline import Pipeline, Step, advance, cancelled, failed, remembered
from setpoint.engine.request import Cancellation
from setpoint.engine.rows import Audit, Event, Mode, Task, TaskState, Wake, evidence, told
from setpoint.engine.runtime import Runtime
from setpoint.engine.store import Change, Drop, Expect, Put, Store, joined
from setpoint.log import Log

HELD_SECONDS = 2.0

log = Log("runner")


class Steps(Struct, frozen=True):
    """The worker's pen: a task's state after each step. A step that ran but was not saved runs again."""

    store: Store
    kinds: Kinds
    pipelines: Mapping[str, Pipeline]
    world: World
    runtime: Runtime
    halted: Callable[[], str] = lambda: ""
    """Who stops everything on this machine, and why."""

    async def step(self, task: Task) -> tuple[Task, Change]:
        """Does the next step; what the task is now, and the change that saves it if nobody was faster."""
        target, cancel = await self.store.get(Declared, task.target), await self.cancellation(task)
        if cancel is None:
            after = await self._stepped(task, target)
        else:
            after = cancelled(task, f"by {cancel.by}: {cancel.reason}", self.runtime.now())
        if after == task:
            return task, Change()
        after = replace(after, version=task.version + 1)
        saved = self._saved(task, after, target)
        heard = (Drop(Cancellation, task.id),) if cancel is not None else ()
        return after, joined((saved, Change(writes=heard)))

    async def cancellation(self, task: Task) -> Cancellation | None:
        """A person's word that came in since the last step."""
        return await self.store.get(Cancellation, task.id)

    def deadline(self, task: Task) -> float:
        """How many seconds the next step may take."""
        pipeline = self.pipelines.get(task.pipeline)
        return _next(pipeline, task).deadline if pipeline is not None else 0.0

    async def _stepped(self, task: Task, target: Declared | None) -> Task:
        now = self.runtime.now()
        pipeline = self.pipelines.get(task.pipeline)
        if pipeline is None:
            return replace(task, state=TaskState.FAILED, reason=f"there is no pipeline {task.pipeline}")
        step = _next(pipeline, task)
        undoing = task.state is TaskState.UNDOING
        refusal = await self._refusal(target or _gone(task), destroys=step.destroys or undoing)
        if refusal:
            state = TaskState.UNDOING if undoing else TaskState.WAITING
            return replace(task, state=state, due_at=now + HELD_SECONDS, reason=refusal)
        try:
            async with asyncio.timeout(step.deadline):
                return await advance(pipeline, task, self.world, now, self.runtime.chance())
        except TimeoutError:
            error = Transient(f"{step.name} took longer than {step.deadline:.0f} s")
        except Exception as bug:
            log.exception("step broke", task=task.id, step=step.name)
            error = Transient(f"{step.name} broke: {bug!r}")
        return failed(pipeline, task, error, now, self.runtime.chance())

    async def _refusal(self, target: Declared, *, destroys: bool) -> str:
        """Who stops this step by a switch or an account's mode; empty if nobody does."""
        if source := self.halted():
            return f"{Mode.STOP} by {source}"
        lever = strictest((await read_levers(self.store, self.kinds, target)).levers)
        stops = lever.mode in (Mode.STOP, Mode.OBSERVE) or (destroys and lever.mode is Mode.NO_DELETES)
        return f"{lever.mode} by {lever.source}" if stops else ""

    def _saved(self, before: Task, after: Task, target: Declared | None) -> Change:
        now = self.runtime.now()
        message = f"{after.pipeline}: {after.reason}"
        about = {"task": before.id, "step": after.step, "said": after.reason}
        wakes: tuple[Put, ...] = ()
        events: tuple[Event, ...] = ()
        proof: tuple[Audit, ...] = ()
        if target is not None:
            wake = Wake(id=self.runtime.new_id(), ref=target.ref, reason=f"task {after.state}")
            wakes = (Put(wake),)
            events = (told(target, f"task.{after.state}", message, now),)
            proof = (evidence(target, "worker", f"task.{after.state}", now, **about),)
        return Change(
            expects=(Expect(Task, before.id, "version", before.version),),
            writes=(Put(remembered(before, after, now)), *wakes),
            events=events,
            audit=proof,
        )


def _next(pipeline: Pipeline, task: Task) -> Step:
    """The step it is at; the first where it has not begun, or where this version has no such step."""
    return next((step for step in pipeline.steps if step.name == task.step), pipeline.steps[0])


def _gone(task: Task) -> Declared:
    """What is left of a target that nobody declares any more: enough to find the switches above it."""
    ref = task.target
    return Declared(ref=ref, kind=kind_of(ref), scope=Scope(task.organization), name="", spec={})
