"""A workspace starts pipelines and says how far they are; it makes nothing itself."""

from typing import Any

import pytest

from setpoint.capabilities.firewall import Firewall
from setpoint.engine.entity import AnyEntity, State
from setpoint.engine.errors import Rejected
from setpoint.engine.plan import ABSENT, Plan, Verb
from setpoint.engine.rows import Task, TaskState
from setpoint.kinds.workspace import AGAIN_SECONDS, Seen, perimeter_name

from .stage import Stage, entity_of, ours

NOW = 1_000_000.0


def workspace(**more: Any) -> AnyEntity:
    return entity_of("workspace", {"provider": "hetzner"}, name="prod", **more)


def task(state: TaskState, pipeline: str = "workspace.create", **more: Any) -> Task:
    usual: dict[str, Any] = {"target": workspace().ref, "key": "lifecycle", "saved": {"generation": 1}}
    return Task(id="t1", pipeline=pipeline, organization="acme", asked_by="it", state=state, **(usual | more))


def planned(entity: AnyEntity, *tasks: Task, perimeter: bool = False, inside: int = 0) -> Plan:
    rows = [entity_of("host", name=f"web-{number}").declared for number in range(inside)]
    return Stage().loop("workspace").plan(entity, Seen(perimeter, rows, tasks), NOW)


def test_a_workspace_without_its_perimeter_asks_for_it() -> None:
    plan = planned(workspace())
    [start] = plan.starts
    assert (start.pipeline, start.key) == ("workspace.create", "lifecycle")
    assert start.input == {"workspace": workspace().ref, "generation": 1}
    assert (plan.state, plan.reason) == (State.PENDING, "workspace.create is asked for")


def test_a_workspace_behind_its_perimeter_is_active() -> None:
    plan = planned(workspace(), perimeter=True, inside=2)
    assert (plan.starts, plan.state, plan.reason) == ((), State.READY, "active; holds what is declared in it")


@pytest.mark.parametrize(
    ("running", "reason"),
    [
        (task(TaskState.QUEUED), "workspace.create step 1 of 3: queued"),
        (
            task(TaskState.RUNNING, step="perimeter", steps_done=("account",)),
            "workspace.create step 2 of 3: perimeter",
        ),
        (
            task(TaskState.WAITING, step="account", reason="no answer"),
            "workspace.create step 1 of 3: account; no answer",
        ),
    ],
    ids=["queued", "running", "waiting"],
)
def test_while_a_task_runs_its_progress_is_told_and_nothing_started(running: Task, reason: str) -> None:
    plan = planned(workspace(), running, perimeter=True)
    assert (plan.starts, plan.state, plan.reason) == ((), State.PENDING, reason)
    assert plan.facts["task"] == "t1"


@pytest.mark.parametrize(
    ("failed", "starts"),
    [
        (task(TaskState.FAILED, changed_at=NOW - 1, error="no rights"), False),
        (task(TaskState.FAILED, changed_at=NOW - AGAIN_SECONDS), True),
        (task(TaskState.FAILED, changed_at=NOW - 1, saved={"generation": 0}), True),
        (task(TaskState.DONE, changed_at=NOW - 1), True),
        (task(TaskState.FAILED, "workspace.delete", changed_at=NOW - 1), True),
    ],
    ids=["just failed", "long ago", "declared anew", "made and lost", "another pipeline"],
)
def test_a_pipeline_that_failed_is_tried_again_after_a_while_or_a_change(failed: Task, starts: bool) -> None:
    plan = planned(workspace(), failed)
    assert bool(plan.starts) == starts
    if not starts:
        assert (plan.state, plan.reason) == (State.FAILED, "workspace.create failed: no rights")
        assert plan.again_in == AGAIN_SECONDS - 1


@pytest.mark.parametrize(
    ("perimeter", "inside", "gone"), [(True, 0, False), (False, 1, False), (True, 1, False), (False, 0, True)]
)
def test_a_deleted_workspace_goes_when_nothing_is_left_of_it(
    perimeter: bool, inside: int, gone: bool
) -> None:
    plan = planned(workspace(deleting="asked"), perimeter=perimeter, inside=inside)
    assert (plan.gone, [start.pipeline for start in plan.starts]) == (
        gone,
        [] if gone else ["workspace.delete"],
    )


def test_a_workspace_left_out_of_its_file_stays_and_says_how_it_would_go() -> None:
    plan = planned(workspace(deleting="withdrawn"), perimeter=True)
    assert (plan.state, plan.starts, plan.gone) == (State.HELD, (), False)
    assert plan.reason.endswith("a workspace goes only by setpoint delete workspace prod")


@pytest.mark.parametrize(("mine", "seen"), [(True, True), (False, False)])
async def test_only_a_perimeter_with_our_mark_is_its_own(stage: Stage, mine: bool, seen: bool) -> None:
    prod = await stage.intent.named("workspace", workspace().scope, "prod")
    assert prod is not None
    name = perimeter_name(prod)
    stage.cloud.walls[name] = Firewall(id="1", name=name, labels=ours(prod) if mine else {})
    await stage.declare("host", "web-1", provider="hetzner")
    found = await stage.loop("workspace").observe(prod)
    assert (found.perimeter, [row.name for row in found.inside], found.tasks) == (seen, ["web-1"], [])


async def test_a_workspace_does_nothing_itself(stage: Stage) -> None:
    with pytest.raises(Rejected, match="a workspace has nothing to create: its pipelines do the work"):
        await stage.act(workspace(), Verb.CREATE, "it")
    assert await stage.loop("workspace").look(workspace(), "it") is ABSENT
