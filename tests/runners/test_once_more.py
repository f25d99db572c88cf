"""A task that failed at any step, begun once more: it comes to the same end, whatever runs it."""

import re
from collections import Counter
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from pipelines.stages import through, workspace
from runners.cases import CASES, Bed, Garden, failing, task_of
from runners.harness import Scene
from setpoint import system
from setpoint.api.runs import once_more
from setpoint.engine.errors import Rejected
from setpoint.engine.pipeline import Pipeline, Step
from setpoint.engine.rows import Task, TaskState
from setpoint.pipelines.workspace_create import WORKSPACE_CREATE
from setpoint.pipelines.workspace_delete import WORKSPACE_DELETE

OURS = [
    *(("garden", name) for name in Garden.names),
    *(("create", step.name) for step in WORKSPACE_CREATE.steps),
    *(("delete", step.name) for step in WORKSPACE_DELETE.steps),
    ("deliver", "send"),
]


async def begun(scene: Scene, pipeline: Pipeline, failed: Task) -> Task:
    """As the API asks for it."""
    assert failed.state is TaskState.FAILED
    fresh = task_of(pipeline, failed.target, system.new_id())
    return await scene.ask(once_more(pipeline, failed, fresh))


@pytest.mark.parametrize(("name", "step"), OURS)
async def test_after_a_failure_at_any_step_it_ends_as_if_nothing_had_failed(
    scene: Scene, name: str, step: str
) -> None:
    """The step is refused when all that it does is done: the worst time for it."""
    case = await CASES[name](scene.stage, system.new_id())
    await scene.ask(case.task)
    failed = await scene.lives(failing(case.pipeline, step), case.task)
    again = await begun(scene, case.pipeline, failed)
    ended = await scene.lives(case.pipeline, again)
    apart = Scene(await type(scene.stage)().set_up(), "embedded", scene.installation)
    same = await CASES[name](apart.stage, again.id)
    expected = await through(apart.stage, same.pipeline, same.task)
    assert (ended.state, sorted(ended.steps_done)) == (TaskState.DONE, sorted(expected.steps_done))
    assert ended.error == ""
    if name != "deliver":  # A receiver that refused a message after taking it gets it once more, as another.
        assert plain([ended.saved, case.look()]) == plain([expected.saved, same.look()])


def plain(found: Any) -> str:
    """Vendors number anew what is made anew."""
    return re.sub(r'"\d+"', '"number"', msgspec.json.encode(found, order="deterministic").decode())


class Kiln:
    """Steps whose effect must not come twice; one of them is refused once, before it did anything."""

    def __init__(self, refused: str) -> None:
        self.refused = [refused]
        self.effects: Counter[str] = Counter()
        steps = tuple(self._step(name) for name in ("load", "fire", "cool", "empty"))
        self.pipeline = Pipeline("kiln.burn", "Burns.", Bed, steps)

    def _step(self, name: str) -> Step:
        async def do(world: Any, state: Bed, task: Task) -> Bed:
            if name in self.refused:
                self.refused.remove(name)
                raise Rejected(f"{name} was refused")
            self.effects[name] += 1
            return replace(state, planted=[*state.planted, name])

        return Step(name, f"{name} is done", do)


@pytest.mark.parametrize("step", ["load", "fire", "cool", "empty"])
async def test_what_stands_is_not_done_twice(scene: Scene, step: str) -> None:
    kiln = Kiln(step)
    task = await scene.ask(task_of(kiln.pipeline, (await workspace(scene.stage)).ref))
    failed = await scene.lives(kiln.pipeline, task)
    again = await begun(scene, kiln.pipeline, failed)
    assert again.step == step
    ended = await scene.lives(kiln.pipeline, again)
    assert (ended.state, ended.saved["planted"]) == (TaskState.DONE, ["load", "fire", "cool", "empty"])
    assert set(kiln.effects.values()) == {1}


async def test_one_that_fails_again_leaves_the_world_clean_and_can_be_begun_a_third_time(
    scene: Scene,
) -> None:
    garden, prod = Garden(), await workspace(scene.stage)
    task = await scene.ask(task_of(garden.pipeline, prod.ref))
    failed = await scene.lives(failing(garden.pipeline, "weed"), task)
    again = await begun(scene, garden.pipeline, failed)
    failed = await scene.lives(failing(garden.pipeline, "sow"), again)
    assert (failed.state, garden.planted) == (TaskState.FAILED, {})
    third = await begun(scene, garden.pipeline, failed)
    assert (await scene.lives(garden.pipeline, third)).state is TaskState.DONE
    assert garden.planted == dict.fromkeys(Garden.names, third.id)


async def test_a_crash_while_it_goes_on_does_not_begin_it_anew(scene: Scene) -> None:
    kiln = Kiln("cool")
    task = await scene.ask(task_of(kiln.pipeline, (await workspace(scene.stage)).ref))
    again = await begun(scene, kiln.pipeline, await scene.lives(kiln.pipeline, task))
    ended = await scene.lives(kiln.pipeline, again, (1, "after"))
    assert ended.state is TaskState.DONE
    assert (kiln.effects["load"], kiln.effects["fire"]) == (1, 1)
