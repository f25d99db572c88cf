"""`workspace.delete`: waits until nothing is left inside, then takes the perimeter down."""

import pytest

from kinds.stage import ANN, Stage, ours
from setpoint.capabilities.firewall import Firewall
from setpoint.engine.pipeline import advance
from setpoint.engine.rows import Task, TaskState
from setpoint.engine.store import Change, Drop
from setpoint.kinds.workspace import perimeter_name
from setpoint.pipelines import ALL, by_name
from setpoint.pipelines.workspace_delete import EMPTY_SECONDS, WORKSPACE_DELETE

from .stages import task_of, through, workspace

NAMES = [step.name for step in WORKSPACE_DELETE.steps]


async def walled(stage: Stage, *, mine: bool = True) -> Task:
    entity = await workspace(stage)
    name = perimeter_name(entity)
    stage.cloud.walls[name] = Firewall(id="9", name=name, labels=ours(entity) if mine else {})
    return task_of(WORKSPACE_DELETE, entity.ref, workspace=entity.ref, generation=1)


async def test_an_empty_workspace_loses_its_perimeter(stage: Stage) -> None:
    ended = await through(stage, WORKSPACE_DELETE, await walled(stage))
    assert (ended.state, stage.cloud.walls) == (TaskState.DONE, {})


@pytest.mark.parametrize("name", NAMES)
async def test_a_step_that_runs_twice_leaves_the_same_world_and_state(stage: Stage, name: str) -> None:
    before = await through(stage, WORKSPACE_DELETE, await walled(stage), turns=NAMES.index(name))
    once = await advance(WORKSPACE_DELETE, before, stage.world, 0.0, 0.5)
    walls = dict(stage.cloud.walls)
    again = await advance(WORKSPACE_DELETE, before, stage.world, 0.0, 0.5)
    assert (again, stage.cloud.walls) == (once, walls)


async def test_what_is_inside_goes_first(stage: Stage) -> None:
    web = await stage.declare("host", "web-1", provider="hetzner")
    await stage.declarer.delete(web.ref, ANN)
    waiting = await advance(WORKSPACE_DELETE, await walled(stage), stage.world, 0.0, 0.5)
    assert (waiting.state, waiting.due_at) == (TaskState.WAITING, EMPTY_SECONDS)
    assert waiting.reason == "waiting for 1 things inside to go: web-1 first"
    await stage.store.commit(Change(writes=(Drop(type(web.declared), web.ref),)))
    assert (await through(stage, WORKSPACE_DELETE, waiting)).state is TaskState.DONE


async def test_a_strangers_firewall_stays(stage: Stage) -> None:
    ended = await through(stage, WORKSPACE_DELETE, await walled(stage, mine=False), turns=3)
    assert (ended.state, ended.reason) == (TaskState.WAITING, "the perimeter is still visible")
    assert len(stage.cloud.walls) == 1


async def test_a_perimeter_that_is_gone_already_is_no_trouble(stage: Stage) -> None:
    task = await walled(stage)
    stage.cloud.walls = {}
    assert (await through(stage, WORKSPACE_DELETE, task)).state is TaskState.DONE


def test_every_pipeline_can_be_shown_before_it_runs() -> None:
    assert list(by_name()) == [pipeline.name for pipeline in ALL]
    assert all(pipeline.about and pipeline.steps for pipeline in ALL)
    assert all(step.about and step.retries and step.deadline for p in ALL for step in p.steps)
