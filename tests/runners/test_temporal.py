"""What is Temporal's own: workflows that get lost, servers that go away, histories that grow long."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from temporalio import activity
from temporalio.client import Client, WorkflowExecutionDescription

from kinds.stage import KINDS, Stage
from pipelines.stages import workspace
from runners.cases import Bed, Garden, task_of
from runners.harness import QUICK, Mortal, Scene, until
from setpoint.engine.entity import Ref
from setpoint.engine.errors import Rejected
from setpoint.engine.pipeline import Pipeline, Step, Wait
from setpoint.engine.rows import Task, TaskState, Wake
from setpoint.engine.store import WAKES_OF
from setpoint.runners import temporal_workflow
from setpoint.runners.address import Address, read_runner
from setpoint.runners.steps import Steps
from setpoint.runners.temporal import TemporalRunner, patience
from temporal import TemporalServer, temporal_server

SOURCE = Path(__file__).parents[2] / "src" / "setpoint"


@pytest.fixture
def scene(stage: Stage, server: TemporalServer) -> Scene:
    return Scene(stage, server.address)


@pytest.fixture
def fragile(tmp_path: Path) -> Iterator[TemporalServer]:
    """A server that may be killed."""
    with temporal_server(tmp_path) as up:
        yield up


def runner_of(scene: Scene, *pipelines: Pipeline) -> TemporalRunner:
    """One that takes turns only: nobody does the steps."""
    address = read_runner(scene.runner)
    assert address is not None
    known = {pipeline.name: pipeline for pipeline in pipelines}
    return TemporalRunner(
        Steps(scene.stage.store, KINDS, known, scene.stage.world, scene.runtime), address, QUICK
    )


async def asked(scene: Scene, pipeline: Pipeline) -> tuple[Task, Ref]:
    task = await scene.ask(task_of(pipeline, (await workspace(scene.stage)).ref))
    return task, Ref(f"task/{task.id}")


async def workflow_of(scene: Scene, task: Task) -> WorkflowExecutionDescription:
    return await (await client(scene)).get_workflow_handle(task.id).describe()


async def client(scene: Scene) -> Client:
    address = read_runner(scene.runner)
    assert address is not None
    return await Client.connect(address.server, namespace=address.namespace)


async def test_a_turn_starts_the_workflow_of_an_open_task_and_a_second_one_finds_it(scene: Scene) -> None:
    garden = Garden()
    task, ref = await asked(scene, garden.pipeline)
    runner = runner_of(scene, garden.pipeline)
    assert await runner.turn(ref) == QUICK.look
    first = await workflow_of(scene, task)
    assert await scene.stage.store.read(WAKES_OF, ref=ref) == []
    assert await runner_of(scene, garden.pipeline).turn(ref) == QUICK.look
    assert (await workflow_of(scene, task)).run_id == first.run_id
    assert await scene.now(task) == task


NOW, LOOK = 1_000.0, 30.0


@pytest.mark.parametrize(
    ("state", "changed_at", "due_at", "wait"),
    [
        (TaskState.QUEUED, NOW - 1.0, 0.0, 0.0),
        (TaskState.RUNNING, NOW - 1.0, 0.0, LOOK - 1.0),
        (TaskState.UNDOING, NOW - LOOK, 0.0, 0.0),
        (TaskState.WAITING, NOW - 500.0, NOW + 60.0, LOOK + 60.0),
        (TaskState.WAITING, NOW - 500.0, NOW - 60.0, 0.0),
    ],
)
def test_only_a_task_that_is_silent_for_long_is_asked_about(
    state: TaskState, changed_at: float, due_at: float, wait: float
) -> None:
    task = replace(task_of(Garden().pipeline, Ref("x/1")), state=state, changed_at=changed_at, due_at=due_at)
    assert patience(task, NOW, LOOK) == wait


@pytest.mark.parametrize("state", [TaskState.DONE, TaskState.FAILED])
async def test_a_task_that_has_ended_gets_no_workflow_and_its_wakes_go(
    scene: Scene, state: TaskState
) -> None:
    prod = await workspace(scene.stage)
    task = task_of(Garden().pipeline, prod.ref)
    ref = Ref(f"task/{task.id}")
    await scene.stage.put(
        Task(
            id=task.id, pipeline="x", target=prod.ref, key="", organization="acme", asked_by="", state=state
        ),
        Wake(id="w", ref=ref, reason="late"),
    )
    assert await runner_of(scene).turn(ref) is None
    assert await scene.stage.store.read(WAKES_OF, ref=ref) == []


async def test_a_task_nobody_knows_is_no_trouble(scene: Scene) -> None:
    assert await runner_of(scene).turn(Ref("task/none")) is None


async def test_a_workflow_that_was_terminated_by_hand_is_started_again(scene: Scene) -> None:
    garden = Garden()
    task, ref = await asked(scene, garden.pipeline)
    await runner_of(scene, garden.pipeline).turn(ref)
    await (await client(scene)).get_workflow_handle(task.id).terminate("by hand")
    assert (await scene.lives(garden.pipeline, task)).state is TaskState.DONE
    assert garden.done == list(Garden.names)


async def test_a_long_wait_continues_as_a_new_workflow(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(temporal_workflow, "TURNS", 3)
    looks: list[str] = []

    async def slow(world: Any, state: Bed, task: Task) -> Bed | Wait:
        looks.append(activity.info().workflow_run_id or "")
        return Wait(0.0, "not yet") if len(looks) < 8 else state

    pipeline = Pipeline("garden.grow", "Grows.", Bed, (Step("grow", "it is tall", slow),))
    task, _ = await asked(scene, pipeline)
    assert (await scene.lives(pipeline, task)).state is TaskState.DONE
    assert [looks.count(run) for run in dict.fromkeys(looks)] == [3, 3, 2]


def measured(*deadlines: float) -> tuple[Pipeline, list[float]]:
    """A pipeline whose steps have these deadlines, and how long Temporal gives each of them."""
    seconds: list[float] = []

    async def measure(world: Any, state: Bed, task: Task) -> Bed:
        limit = activity.info().start_to_close_timeout
        assert limit is not None
        seconds.append(limit.total_seconds())
        return state

    steps = tuple(Step(f"s{n}", "done", measure, deadline=limit) for n, limit in enumerate(deadlines))
    return Pipeline("garden.measure", "Measures.", Bed, steps), seconds


async def test_each_step_has_its_deadline_and_a_margin_before_another_worker_tries_it(scene: Scene) -> None:
    pipeline, seconds = measured(2.0, 30.0, 7.5)
    task, _ = await asked(scene, pipeline)
    await scene.lives(pipeline, task)
    assert seconds == [3.0, 31.0, 9.0]


async def test_a_retry_that_finds_the_task_further_on_asks_for_more_time(scene: Scene) -> None:
    """The first step was saved and not reported: the retry has the time of that step, not of the next."""
    pipeline, seconds = measured(2.0, 30.0)
    task, _ = await asked(scene, pipeline)
    await scene.lives(pipeline, task, (1, "after"))
    assert seconds == [3.0, 31.0]


async def test_a_step_that_was_overtaken_is_not_saved_and_the_task_goes_on(scene: Scene) -> None:
    tries: list[int] = []

    async def overtaken(world: Any, state: Bed, task: Task) -> Bed:
        tries.append(task.version)
        if len(tries) == 1:
            await scene.stage.put(replace(task, version=task.version + 1))
        return state

    pipeline = Pipeline("garden.race", "Races.", Bed, (Step("race", "won", overtaken),))
    task, _ = await asked(scene, pipeline)
    assert (await scene.lives(pipeline, task)).version == 2
    assert tries == [0, 1]


async def test_a_store_that_is_away_is_a_retry_and_not_the_end(scene: Scene) -> None:
    garden = Garden()
    task, _ = await asked(scene, garden.pipeline)
    store = Mortal(scene.stage.store, (3, "before"))
    async with scene.alive(garden.pipeline, store=store):
        await store.dead.wait()
        await asyncio.sleep(0.3)
        store.dead.clear()
        assert (await scene.ended(task)).state is TaskState.DONE
    assert garden.done.count("water") == 2


async def test_stopping_waits_for_the_step_under_way(scene: Scene) -> None:
    begun = asyncio.Event()

    async def slow(world: Any, state: Bed, task: Task) -> Bed:
        begun.set()
        await asyncio.sleep(0.3)
        return state

    pipeline = Pipeline("garden.slow", "Slow.", Bed, (Step("one", "done", slow), Step("two", "done", slow)))
    task, _ = await asked(scene, pipeline)
    async with scene.alive(pipeline):
        await begun.wait()
    assert (await scene.now(task)).steps_done == ("one",)


async def test_two_workers_share_the_steps_and_none_is_done_twice(scene: Scene) -> None:
    garden = Garden()
    prod = await workspace(scene.stage)
    tasks = [
        await scene.ask(task_of(garden.pipeline, prod.ref, f"{scene.installation}-{n}")) for n in range(8)
    ]
    async with scene.alive(garden.pipeline), scene.alive(garden.pipeline):
        ends = [await scene.ended(task) for task in tasks]
    assert {end.state for end in ends} == {TaskState.DONE}
    assert len(garden.done) == 8 * len(Garden.names)


async def test_a_server_that_is_away_is_said_once_and_tasks_go_on_when_it_is_back(
    stage: Stage, fragile: TemporalServer
) -> None:
    fragile.kill()
    scene, garden = Scene(stage, fragile.address), Garden()
    task, _ = await asked(scene, garden.pipeline)
    watched = Mortal(stage.store, (0, "before"))
    async with scene.alive(garden.pipeline, store=watched):
        says = f"Temporal at 127.0.0.1:{fragile.port} does not answer"
        await until(lambda: reason_is(scene, task, says), "the reason")
        await asyncio.sleep(0.5)
        assert (watched.saves, (await scene.now(task)).state) == (1, TaskState.QUEUED)
        fragile.start()
        assert (await scene.ended(task)).state is TaskState.DONE
    assert garden.done == list(Garden.names)


async def reason_is(scene: Scene, task: Task, reason: str) -> bool:
    return (await scene.now(task)).reason == reason


async def test_a_namespace_that_is_not_there_is_named(stage: Stage, server: TemporalServer) -> None:
    scene, garden = Scene(stage, server.address.replace("/default", "/nowhere")), Garden()
    task, _ = await asked(scene, garden.pipeline)
    says = f"Temporal at 127.0.0.1:{server.port} refuses: Namespace nowhere is not found."
    async with scene.alive(garden.pipeline):
        await until(lambda: reason_is(scene, task, says), "the reason")


async def test_a_server_whose_database_was_wiped_gets_its_workflows_again(
    stage: Stage, fragile: TemporalServer
) -> None:
    scene, garden, thawed = Scene(stage, fragile.address), Garden(), asyncio.Event()

    async def dig(world: Any, state: Bed, task: Task) -> Bed | Wait:
        return state if thawed.is_set() else Wait(1.0, "the ground is frozen")

    pipeline = Pipeline("garden.dig", "Digs.", Bed, (Step("dig", "dug", dig), *garden.pipeline.steps[1:]))
    task, _ = await asked(scene, pipeline)
    async with scene.alive(pipeline):
        await until(lambda: reason_is(scene, task, "the ground is frozen"), "the wait")
        fragile.kill()
        fragile.forget()
        fragile.start()
        thawed.set()
        assert (await scene.ended(task)).state is TaskState.DONE
    assert garden.done == list(Garden.names[1:])


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("embedded", None),
        ("temporal://localhost:7233/default", Address("localhost:7233", "default")),
        ("temporal://t.example.com:443/shop-1.prod", Address("t.example.com:443", "shop-1.prod")),
    ],
)
def test_a_runner_is_chosen_by_one_setting(written: str, read: Address | None) -> None:
    assert read_runner(written) == read


@pytest.mark.parametrize(
    "written", ["", "temporal", "temporal://host/default", "temporal://host:1/", "embedded "]
)
def test_a_runner_that_cannot_be_understood_is_refused(written: str) -> None:
    with pytest.raises(Rejected, match=re.escape(repr(written))):
        read_runner(written)


def test_temporal_is_loaded_only_by_whoever_chose_it() -> None:
    users = [
        path
        for path in SOURCE.rglob("*.py")
        if re.search(r"^(from|import) temporalio", path.read_text(), re.M)
    ]
    assert {path.relative_to(SOURCE).as_posix() for path in users} == {
        "runners/temporal.py",
        "runners/temporal_workflow.py",
    }
