"""The embedded runner: one step a turn, saved before the next, whatever happens in between."""

import asyncio
from typing import Any

import pytest

from kinds.stage import KINDS, PROD, Stage
from setpoint.drive.ownership import Ownership
from setpoint.engine.audit import broken_at
from setpoint.engine.entity import AnyEntity, Declared, Ref
from setpoint.engine.errors import Conflict, Rejected
from setpoint.engine.pipeline import Pipeline, Step, Wait
from setpoint.engine.rows import Mode, Switch, Task, TaskState, Wake
from setpoint.engine.store import Change, Drop
from setpoint.log import heard
from setpoint.pipelines import by_name
from setpoint.pipelines.workspace_state import WorkspaceState
from setpoint.runners.embedded import EmbeddedRunner
from setpoint.runners.steps import Steps

REF = Ref("task/t1")


async def runner_on(stage: Stage, **pipelines: Pipeline) -> EmbeddedRunner:
    """A process that just started on this store."""
    ownership = Ownership(stage.store, "worker", stage.runtime.new_id(), stage.runtime.now, alone=True)
    await ownership.keep()
    known = {**by_name(), **{pipeline.name: pipeline for pipeline in pipelines.values()}}
    return EmbeddedRunner(Steps(stage.store, KINDS, known, stage.world, stage.runtime), ownership)


async def asked(stage: Stage, pipeline: str = "workspace.create", **more: Any) -> AnyEntity:
    """A task for the workspace, with the wake that came with it."""
    prod = await stage.intent.named("workspace", PROD, "prod")
    assert prod is not None
    saved = {"workspace": prod.ref, "generation": 1}
    usual: dict[str, Any] = {"target": prod.ref, "key": "k", "organization": "acme", "asked_by": "it"}
    task = Task(id="t1", pipeline=pipeline, saved=saved, **(usual | more))
    await stage.put(task, Wake(id="w1", ref=REF, reason="asked"))
    return prod


async def task_now(stage: Stage) -> Task:
    found = await stage.store.get(Task, "t1")
    assert found is not None
    return found


async def to_the_end(stage: Stage, runner: EmbeddedRunner) -> Task:
    for _ in range(30):
        wait = await runner.turn(REF)
        if wait is None:
            return await task_now(stage)
        stage.runtime.pass_by(wait)
    raise AssertionError("it never ends")


async def test_each_turn_is_one_step_saved_before_the_next(stage: Stage) -> None:
    await asked(stage)
    runner = await runner_on(stage)
    steps = []
    while await runner.turn(REF) is not None:
        steps.append((await task_now(stage)).step)
    assert (steps, (await task_now(stage)).state) == (["perimeter", "verify"], TaskState.DONE)


async def test_each_step_wakes_the_target_and_leaves_an_event_and_evidence(stage: Stage) -> None:
    prod = await asked(stage)
    await (await runner_on(stage)).turn(REF)
    wakes = stage.store.shelves[Wake].all()
    assert [wake.reason for wake in wakes if wake.ref == prod.ref][-1] == "task running"
    assert [wake for wake in wakes if wake.ref == REF] == []
    assert stage.store.events["acme"][-1].message == "workspace.create: account done"
    line = stage.store.audit["acme"][-1]
    assert (line.actor, line.action, line.detail["said"]) == ("worker", "task.running", "account done")
    assert broken_at(stage.store.audit["acme"]) is None


@pytest.mark.parametrize("done", [0, 1, 2])
async def test_a_new_process_goes_on_where_the_last_one_was(stage: Stage, done: int) -> None:
    await asked(stage)
    first = await runner_on(stage)
    for _ in range(done):
        await first.turn(REF)
    ended = await to_the_end(stage, await runner_on(stage))
    assert (ended.state, len(stage.cloud.walls)) == (TaskState.DONE, 1)
    assert len(stage.cloud.calls) == 1


@pytest.mark.parametrize("done", [0, 1, 2])
async def test_a_step_that_ran_but_was_not_saved_runs_again_without_harm(stage: Stage, done: int) -> None:
    await asked(stage)
    runner = await runner_on(stage)
    for _ in range(done):
        await runner.turn(REF)
    before = await task_now(stage)
    await runner.turn(REF)
    await stage.put(before)
    assert (await to_the_end(stage, await runner_on(stage))).state is TaskState.DONE
    assert len(stage.cloud.walls) == 1


async def test_a_process_that_was_overtaken_saves_nothing(stage: Stage) -> None:
    await asked(stage)
    before = await task_now(stage)
    runner = await runner_on(stage)
    await runner_on(stage)
    with pytest.raises(Conflict, match="epoch"):
        await runner.turn(REF)
    assert await task_now(stage) == before


async def switch(stage: Stage, mode: Mode) -> None:
    await stage.put(Switch(key="all", mode=mode, by="ann", reason="storm", since=0.0))


@pytest.mark.parametrize("mode", [Mode.STOP, Mode.OBSERVE])
async def test_the_switch_stops_the_next_step_and_letting_go_continues_it(stage: Stage, mode: Mode) -> None:
    await asked(stage)
    runner = await runner_on(stage)
    await runner.turn(REF)
    await switch(stage, mode)
    assert await runner.turn(REF) == 2.0
    waiting = await task_now(stage)
    assert (waiting.state, waiting.step, waiting.reason) == (
        TaskState.WAITING,
        "perimeter",
        f"{mode} by ann (storm)",
    )
    assert stage.cloud.calls == []
    await switch(stage, Mode.RUN)
    stage.runtime.pass_by(2.0)
    assert (await to_the_end(stage, runner)).state is TaskState.DONE


async def test_a_switch_during_undoing_does_not_turn_the_task_around(stage: Stage) -> None:
    await asked(stage)
    runner = await runner_on(stage)
    for _ in range(2):
        await runner.turn(REF)
    stage.cloud.broken = {"firewall": [Rejected("no rights")]}
    await runner.turn(REF)
    await switch(stage, Mode.STOP)
    await runner.turn(REF)
    assert (await task_now(stage)).state is TaskState.UNDOING
    await switch(stage, Mode.RUN)
    stage.runtime.pass_by(2.0)
    ended = await to_the_end(stage, runner)
    assert (ended.state, stage.cloud.walls) == (TaskState.FAILED, {})


async def test_with_no_deletes_nothing_is_taken_down(stage: Stage) -> None:
    await asked(stage)
    await to_the_end(stage, await runner_on(stage))
    await asked(stage, "workspace.delete", state=TaskState.QUEUED)
    await switch(stage, Mode.NO_DELETES)
    runner = await runner_on(stage)
    for _ in range(5):
        stage.runtime.pass_by(await runner.turn(REF) or 0.0)
    waiting = await task_now(stage)
    assert (waiting.state, waiting.step, len(stage.cloud.walls)) == (TaskState.WAITING, "perimeter", 1)
    await switch(stage, Mode.RUN)
    assert (await to_the_end(stage, runner)).state is TaskState.DONE
    assert stage.cloud.walls == {}


async def test_with_no_deletes_what_is_built_goes_on_and_what_is_undone_waits(stage: Stage) -> None:
    await asked(stage)
    await switch(stage, Mode.NO_DELETES)
    runner = await runner_on(stage)
    for _ in range(2):
        await runner.turn(REF)
    assert len(stage.cloud.walls) == 1
    stage.cloud.broken = {"firewall": [Rejected("no rights")]}
    for _ in range(5):
        stage.runtime.pass_by(await runner.turn(REF) or 0.0)
    assert ((await task_now(stage)).state, len(stage.cloud.walls)) == (TaskState.UNDOING, 1)


async def test_a_task_that_is_not_due_yet_is_left_until_it_is(stage: Stage) -> None:
    await asked(stage, due_at=stage.runtime.now() + 7.0)
    before = await task_now(stage)
    assert await (await runner_on(stage)).turn(REF) == 7.0
    assert await task_now(stage) == before


@pytest.mark.parametrize("state", [TaskState.DONE, TaskState.FAILED])
async def test_a_task_that_has_ended_is_left_alone_and_its_wakes_go(stage: Stage, state: TaskState) -> None:
    await asked(stage, state=state)
    for _ in range(2):
        assert await (await runner_on(stage)).turn(REF) is None
        assert stage.store.shelves[Wake].where("ref", REF) == []


async def test_a_task_nobody_knows_is_no_trouble(stage: Stage) -> None:
    assert await (await runner_on(stage)).turn(Ref("task/none")) is None


async def test_a_pipeline_this_version_does_not_know_fails_and_says_so(stage: Stage) -> None:
    await asked(stage, "workspace.fly")
    ended = await to_the_end(stage, await runner_on(stage))
    assert (ended.state, ended.reason) == (TaskState.FAILED, "there is no pipeline workspace.fly")


async def test_a_task_whose_target_is_gone_goes_on_without_telling_it(stage: Stage) -> None:
    prod = await asked(stage)
    await stage.store.commit(Change(writes=(Drop(Declared, prod.ref),)))
    await (await runner_on(stage)).turn(REF)
    assert "is not declared any more" in (await task_now(stage)).error
    assert stage.store.events["acme"][-1].type != "task.waiting"


async def test_a_stop_holds_a_task_whose_target_is_gone_too(stage: Stage) -> None:
    prod = await asked(stage)
    await stage.store.commit(Change(writes=(Drop(Declared, prod.ref),)))
    await switch(stage, Mode.STOP)
    await (await runner_on(stage)).turn(REF)
    assert (await task_now(stage)).reason == "stop by ann (storm)"


async def forever(world: Any, state: WorkspaceState, task: Task) -> WorkspaceState:
    await asyncio.Event().wait()
    return state


async def test_a_step_that_never_returns_is_begun_again(stage: Stage) -> None:
    slow = Pipeline(
        "workspace.sleep", "Sleeps.", WorkspaceState, (Step("sleep", "slept", forever, deadline=0.0),)
    )
    await asked(stage, "workspace.sleep")
    runner = await runner_on(stage, slow=slow)
    assert await runner.turn(REF)
    found = await task_now(stage)
    assert (found.attempts, found.reason) == (1, "sleep failed on try 1 of 10: sleep took longer than 0 s")
    stage.runtime.pass_by(60.0)
    await runner.turn(REF)
    assert (await task_now(stage)).attempts == 2


async def broken(world: Any, state: WorkspaceState, task: Task) -> WorkspaceState:
    raise LookupError("a bug")


@pytest.mark.parametrize(("name", "do"), [("sleep", forever), ("break", broken)])
async def test_a_step_that_never_ends_well_ends_undone(stage: Stage, name: str, do: Any) -> None:
    step = Step(name, "done", do, retries=2, deadline=0.0 if do is forever else 5.0)
    bad = Pipeline("workspace.bad", "Cannot work.", WorkspaceState, (step,))
    await asked(stage, "workspace.bad")
    runner = await runner_on(stage, bad=bad)
    for _ in range(5):
        with heard():  # A traceback takes a second to draw.
            await runner.turn(REF)
        stage.runtime.pass_by(60.0)
    found = await task_now(stage)
    assert found.state is TaskState.FAILED
    assert name in found.error


async def test_a_turn_that_changes_nothing_writes_nothing(stage: Stage) -> None:
    async def not_yet(world: Any, state: WorkspaceState, task: Task) -> Wait:
        return Wait(0.0, "not yet")

    idle = Pipeline("workspace.idle", "Waits.", WorkspaceState, (Step("wait", "waited", not_yet),))
    await asked(stage, "workspace.idle")
    runner = await runner_on(stage, idle=idle)
    await runner.turn(REF)
    events = len(stage.store.events["acme"])
    assert await runner.turn(REF) == 0.0
    assert len(stage.store.events["acme"]) == events
