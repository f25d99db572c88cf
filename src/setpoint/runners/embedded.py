"""Tasks as turns: one step a turn, saved before the next; a step that ran but was not saved runs again."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

import structlog
from msgspec.structs import replace

from setpoint.capabilities.world import World
from setpoint.engine.case import strictest
from setpoint.engine.entity import Declared, Ref
from setpoint.engine.errors import Transient
from setpoint.engine.kind import Kinds
from setpoint.engine.levers import read_levers
from setpoint.engine.pipeline import Pipeline, advance, failed
from setpoint.engine.rows import Audit, Event, Installation, Mode, Task, TaskState, Wake, evidence, told
from setpoint.engine.runtime import Runtime
from setpoint.engine.store import WAKES_OF, Change, Drop, Expect, Put, Store

HELD_SECONDS = 2.0

log = structlog.get_logger("runner")


@dataclass(frozen=True, slots=True)
class EmbeddedRunner:
    """The worker's pen: a task's state after each step."""

    store: Store
    kinds: Kinds
    pipelines: Mapping[str, Pipeline]
    world: World
    runtime: Runtime
    epoch: int

    async def turn(self, ref: Ref) -> float | None:
        """One step of one task. Returns when the next is due."""
        wakes = await self.store.read(WAKES_OF, ref=ref)
        task = await self.store.get(Task, ref.partition("/")[2])
        heard = tuple(Drop(Wake, wake.id) for wake in wakes)
        if task is None or not task.open:
            if heard:
                await self.store.commit(Change(writes=heard))
            return None
        wait = task.due_at - self.runtime.now()
        if wait > 0:
            return wait
        target = await self.store.get(Declared, task.target)
        after = await self._stepped(task, target)
        await self._save(task, after, target, heard)
        return max(0.0, after.due_at - self.runtime.now()) if after.open else None

    async def _stepped(self, task: Task, target: Declared | None) -> Task:
        """Through the door: the switch is asked before each step, whatever runs it."""
        now = self.runtime.now()
        pipeline = self.pipelines.get(task.pipeline)
        if pipeline is None:
            return replace(task, state=TaskState.FAILED, reason=f"there is no pipeline {task.pipeline}")
        step = next((s for s in pipeline.steps if s.name == task.step), pipeline.steps[0])
        undoing = task.state is TaskState.UNDOING
        refusal = await self._refusal(target, destroys=step.destroys or undoing)
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

    async def _refusal(self, target: Declared | None, *, destroys: bool) -> str:
        """Who stops this step by a switch or an account's mode; empty if nobody does."""
        levers = (await read_levers(self.store, self.kinds, target)).levers if target is not None else ()
        lever = strictest(levers)
        stops = lever.mode in (Mode.STOP, Mode.OBSERVE) or (destroys and lever.mode is Mode.NO_DELETES)
        return f"{lever.mode} by {lever.source}" if stops else ""

    async def _save(
        self, before: Task, after: Task, target: Declared | None, heard: tuple[Drop, ...]
    ) -> None:
        if after == before and not heard:
            return
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
        expects = (
            Expect(Installation, "installation", "epoch", self.epoch),
            Expect(Task, before.id, "state", before.state),
        )
        writes: tuple[Put | Drop, ...] = (Put(replace(after, changed_at=now)), *heard, *wakes)
        await self.store.commit(Change(expects, writes, events, proof))
