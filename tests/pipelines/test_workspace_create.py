"""`workspace.create`: each step twice is each step once, and a failure leaves nothing of ours behind."""

from typing import Any

import pytest

from kinds.stage import Stage, ours
from setpoint.capabilities.firewall import Firewall
from setpoint.engine.entity import AnyEntity
from setpoint.engine.errors import Conflict, Denied, Rejected, Transient
from setpoint.engine.pipeline import advance
from setpoint.engine.rows import Task, TaskState
from setpoint.kinds.workspace import perimeter_name
from setpoint.pipelines.workspace_create import WORKSPACE_CREATE

from .stages import task_of, through, workspace

NAMES = [step.name for step in WORKSPACE_CREATE.steps]


async def fresh(stage: Stage) -> Task:
    entity = await workspace(stage)
    return task_of(WORKSPACE_CREATE, entity.ref, workspace=entity.ref, generation=1)


async def test_the_perimeter_stands_with_our_mark_in_front_of_the_workspace(stage: Stage) -> None:
    entity = await workspace(stage)
    ended = await through(stage, WORKSPACE_CREATE, await fresh(stage))
    [wall] = stage.cloud.walls.values()
    assert (ended.state, ended.saved["firewall"]) == (TaskState.DONE, wall.id)
    assert (wall.name, wall.labels["setpoint/act"]) == (perimeter_name(entity), "t1")
    assert stage.cloud.calls == [("create_firewall", wall.name, "setpoint/workspace=shop.prod")]


@pytest.mark.parametrize("name", NAMES)
async def test_a_step_that_runs_twice_leaves_the_same_world_and_state(stage: Stage, name: str) -> None:
    before = await through(stage, WORKSPACE_CREATE, await fresh(stage), turns=NAMES.index(name))
    once = await advance(WORKSPACE_CREATE, before, stage.world, 0.0, 0.5)
    walls = dict(stage.cloud.walls)
    again = await advance(WORKSPACE_CREATE, before, stage.world, 0.0, 0.5)
    assert (again, stage.cloud.walls) == (once, walls)


BREAKS: dict[str, dict[str, list[Exception]]] = {
    "account": {"sweep": [Rejected("bad token")]},
    "perimeter": {"create_firewall": [Rejected("no quota")]},
    "verify": {"firewall": [Rejected("no rights")]},
}


@pytest.mark.parametrize("name", NAMES)
async def test_a_failure_at_any_step_ends_with_nothing_of_ours_left(stage: Stage, name: str) -> None:
    before = await through(stage, WORKSPACE_CREATE, await fresh(stage), turns=NAMES.index(name))
    stage.cloud.broken = BREAKS[name]
    ended = await through(stage, WORKSPACE_CREATE, before)
    assert (ended.state, stage.cloud.walls) == (TaskState.FAILED, {})


async def walled(stage: Stage, labels: dict[str, str]) -> tuple[AnyEntity, Task]:
    """A firewall of our name stands already."""
    entity = await workspace(stage)
    name = perimeter_name(entity)
    stage.cloud.walls[name] = Firewall(id="9", name=name, labels=labels)
    return entity, await fresh(stage)


async def test_a_perimeter_an_earlier_task_made_is_taken_over_and_never_undone(stage: Stage) -> None:
    entity = await workspace(stage)
    _, task = await walled(stage, ours(entity))
    before = await through(stage, WORKSPACE_CREATE, task, turns=2)
    assert before.saved.get("firewall", "") == ""
    stage.cloud.broken = {"firewall": [Rejected("no rights")]}
    ended = await through(stage, WORKSPACE_CREATE, before)
    assert (ended.state, len(stage.cloud.walls)) == (TaskState.FAILED, 1)


async def test_a_strangers_firewall_of_that_name_is_refused_and_left_alone(stage: Stage) -> None:
    _, task = await walled(stage, {})
    ended = await through(stage, WORKSPACE_CREATE, task)
    assert (ended.state, len(stage.cloud.walls)) == (TaskState.FAILED, 1)
    assert "exists without our mark" in ended.error


async def test_a_call_that_landed_unheard_is_recognised_as_ours(stage: Stage) -> None:
    entity = await workspace(stage)
    name = perimeter_name(entity)
    task = await fresh(stage)
    stage.cloud.walls[name] = Firewall(id="9", name=name, labels=ours(entity) | {"setpoint/act": task.id})
    stage.cloud.hidden = {name}
    before = await through(stage, WORKSPACE_CREATE, task, turns=2)
    assert (before.state, "made but is not visible yet" in before.error) == (TaskState.WAITING, True)
    stage.cloud.hidden = set()
    ended = await through(stage, WORKSPACE_CREATE, before)
    assert (ended.state, ended.saved["firewall"]) == (TaskState.DONE, "9")


async def test_a_perimeter_that_is_not_visible_yet_is_waited_for(stage: Stage) -> None:
    before = await through(stage, WORKSPACE_CREATE, await fresh(stage), turns=2)
    stage.cloud.hidden = set(stage.cloud.walls)
    waiting = await advance(WORKSPACE_CREATE, before, stage.world, 0.0, 0.5)
    assert (waiting.state, waiting.reason) == (TaskState.WAITING, "the perimeter is not visible yet")
    stage.cloud.hidden = set()
    assert (await through(stage, WORKSPACE_CREATE, waiting)).state is TaskState.DONE


@pytest.mark.parametrize("error", [Transient("no answer"), Conflict("busy"), Denied("bad token")], ids=str)
async def test_what_may_pass_is_waited_for_and_undoes_nothing(stage: Stage, error: Exception) -> None:
    before = await through(stage, WORKSPACE_CREATE, await fresh(stage), turns=2)
    stage.cloud.broken = {"firewall": [error]}
    waiting = await advance(WORKSPACE_CREATE, before, stage.world, 0.0, 0.5)
    assert (waiting.state, len(stage.cloud.walls)) == (TaskState.WAITING, 1)


async def test_a_workspace_that_is_not_declared_any_more_is_said(stage: Stage) -> None:
    task: Any = task_of(
        WORKSPACE_CREATE, (await workspace(stage)).ref, workspace="workspace/gone", generation=1
    )
    waiting = await advance(WORKSPACE_CREATE, task, stage.world, 0.0, 0.5)
    assert "workspace/gone is not declared any more" in waiting.error
