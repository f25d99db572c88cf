"""Whatever runs a task, it comes to the same end: through crashes, failures, waits and switches."""

import asyncio
from itertools import pairwise
from typing import Any

import pytest

from kinds.stage import Stage
from pipelines.stages import through, workspace
from runners.cases import CASES, Bed, Case, Garden, failing, task_of
from runners.harness import Death, Scene, until
from setpoint import system
from setpoint.engine.audit import broken_at
from setpoint.engine.errors import Transient
from setpoint.engine.pipeline import Pipeline, Step, Wait
from setpoint.engine.rows import Mode, Switch, Task, TaskState
from setpoint.runners import steps

UNDOABLE = [("garden", name) for name in Garden.names] + [
    ("create", name) for name in ("account", "perimeter")
]


async def asked(scene: Scene, name: str) -> tuple[Case, tuple[Any, ...]]:
    """A task of this sort, and how it ends in a world of its own where nothing runs it but the engine."""
    task_id = system.new_id()
    case = await CASES[name](scene.stage, task_id)
    await scene.ask(case.task)
    apart = Scene(await Stage().set_up(), "embedded", scene.installation)
    same = await CASES[name](apart.stage, task_id)
    return case, end(await through(apart.stage, same.pipeline, same.task), same)


def end(task: Task, case: Case) -> tuple[Any, ...]:
    return (task.state, task.steps_done, task.saved, task.attempts, task.reason, task.error, case.look())


@pytest.mark.parametrize("name", CASES)
async def test_a_task_runs_to_its_end(scene: Scene, name: str) -> None:
    case, expected = await asked(scene, name)
    assert end(await scene.lives(case.pipeline, case.task), case) == expected
    assert broken_at(scene.stage.store.audit["acme"]) is None


@pytest.mark.parametrize("name", CASES)
async def test_each_step_twice_is_each_step_once(scene: Scene, name: str) -> None:
    """A process that is gone between doing a step and saving it: the next one does it again."""
    case, expected = await asked(scene, name)
    # The first save of each process but the first is of the step that its predecessor did.
    deaths: list[Death] = [(1, "before"), *[(2, "before")] * (len(case.pipeline.steps) - 1)]
    assert end(await scene.lives(case.pipeline, case.task, *deaths), case) == expected


@pytest.mark.parametrize("name", CASES)
async def test_a_crash_after_each_step_is_resumed_at_the_next(scene: Scene, name: str) -> None:
    case, expected = await asked(scene, name)
    deaths: list[Death] = [(1, "after")] * (len(case.pipeline.steps) - 1)
    assert end(await scene.lives(case.pipeline, case.task, *deaths), case) == expected


@pytest.mark.parametrize(("name", "step"), UNDOABLE)
async def test_a_failure_at_any_step_ends_undone_with_the_world_clean(
    scene: Scene, name: str, step: str
) -> None:
    case, _ = await asked(scene, name)
    ended = await scene.lives(failing(case.pipeline, step), case.task)
    assert (ended.state, ended.steps_done, ended.error) == (TaskState.FAILED, (), f"{step} was refused")
    assert case.look() == {}


async def test_a_crash_at_each_step_of_undoing_leaves_the_world_clean_too(scene: Scene) -> None:
    case, _ = await asked(scene, "garden")
    deaths: list[Death] = [(6, "before"), (2, "before"), (2, "before"), (1, "after")]
    ended = await scene.lives(failing(case.pipeline, "fence"), case.task, *deaths)
    assert (ended.state, ended.error, case.look()) == (TaskState.FAILED, "fence was refused", {})


async def test_what_others_made_is_not_undone(scene: Scene) -> None:
    garden = Garden()
    garden.planted["sow"] = "a neighbour"
    task = await scene.ask(task_of(garden.pipeline, (await workspace(scene.stage)).ref))
    await scene.lives(failing(garden.pipeline, "water"), task)
    assert garden.planted == {"sow": "a neighbour"}


async def test_a_step_that_fails_for_a_while_is_tried_again(scene: Scene) -> None:
    tries: list[str] = []

    async def flaky(world: Any, state: Bed, task: Task) -> Bed:
        tries.append(task.reason)
        if len(tries) < 3:
            raise Transient("rain")
        return state

    pipeline = Pipeline("garden.water", "Waters.", Bed, (Step("water", "it is wet", flaky),))
    task = await scene.ask(task_of(pipeline, (await workspace(scene.stage)).ref))
    assert (await scene.lives(pipeline, task)).state is TaskState.DONE
    assert tries[1:] == [f"water failed on try {n} of 10: rain" for n in (1, 2)]


async def test_a_wait_is_honoured_and_says_why(scene: Scene) -> None:
    asked_at: list[float] = []

    async def slow(world: Any, state: Bed, task: Task) -> Bed | Wait:
        asked_at.append(system.monotonic())
        return Wait(0.4, "it grows") if len(asked_at) < 3 else state

    pipeline = Pipeline("garden.grow", "Grows.", Bed, (Step("grow", "it is tall", slow),))
    task = await scene.ask(task_of(pipeline, (await workspace(scene.stage)).ref))
    async with scene.alive(pipeline):
        await until(lambda: is_now(scene, task, TaskState.WAITING, "it grows"), "the wait to be saved")
        assert (await scene.ended(task)).state is TaskState.DONE
    assert len(asked_at) == 3
    assert min(later - sooner for sooner, later in pairwise(asked_at)) >= 0.35


async def is_now(scene: Scene, task: Task, state: TaskState, reason: str) -> bool:
    found = await scene.now(task)
    return (found.state, found.reason) == (state, reason)


@pytest.mark.parametrize("mode", [Mode.STOP, Mode.OBSERVE])
async def test_a_switch_stops_the_next_step_and_letting_go_continues_it(
    scene: Scene, mode: Mode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "HELD_SECONDS", 0.1)
    garden, dug, go = Garden(), asyncio.Event(), asyncio.Event()

    async def dig(world: Any, state: Bed, task: Task) -> Bed:
        dug.set()
        await go.wait()
        return state

    pipeline = Pipeline("garden.dig", "Digs.", Bed, (Step("dig", "dug", dig), *garden.pipeline.steps[1:]))
    task = await scene.ask(task_of(pipeline, (await workspace(scene.stage)).ref))
    async with scene.alive(pipeline):
        await dug.wait()
        await switch(scene, mode)
        go.set()
        await until(lambda: is_now(scene, task, TaskState.WAITING, f"{mode} by ann (storm)"), "the switch")
        assert (garden.done, (await scene.now(task)).steps_done) == ([], ("dig",))
        await switch(scene, Mode.RUN)
        assert (await scene.ended(task)).state is TaskState.DONE
    assert garden.done == list(Garden.names[1:])


async def switch(scene: Scene, mode: Mode) -> None:
    await scene.stage.put(Switch(key="all", mode=mode, by="ann", reason="storm", since=0.0))


async def test_many_tasks_at_once_all_end_and_each_step_is_done_once(scene: Scene) -> None:
    garden, prod = Garden(), await workspace(scene.stage)
    tasks = [await scene.ask(task_of(garden.pipeline, prod.ref, system.new_id())) for _ in range(10)]
    async with scene.alive(garden.pipeline):
        ends = [await scene.ended(task) for task in tasks]
    assert {(end.state, end.steps_done) for end in ends} == {(TaskState.DONE, Garden.names)}
    assert len(garden.done) == 10 * len(Garden.names)
