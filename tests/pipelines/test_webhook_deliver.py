"""`webhook.deliver`: one event, signed, tried until it is taken or refused."""

import pytest
from msgspec import json

from kinds.stage import Stage
from setpoint.engine.entity import Ref
from setpoint.engine.errors import Rejected, Transient
from setpoint.engine.rows import Task, TaskState
from setpoint.pipelines.webhook_deliver import WEBHOOK_DELIVER

from .stages import task_of, through

EVENT = {"id": "acme/7", "type": "dev.setpoint.task.done.v1"}


async def fresh(stage: Stage) -> Task:
    spec = {"url": "https://hooks", "secret": "secret://new"}
    hooks = await stage.declare("webhook", "ci", **spec)
    return task_of(WEBHOOK_DELIVER, Ref(f"{hooks.ref}.7"), webhook=hooks.ref, event=EVENT)


async def test_an_event_is_sent_under_its_own_id_and_signed(stage: Stage) -> None:
    ended = await through(stage, WEBHOOK_DELIVER, await fresh(stage))
    [message] = stage.webhook.sent
    assert (ended.state, message.id, message.url) == (TaskState.DONE, "acme_7", "https://hooks")
    assert message.secret == "opened secret://new"  # noqa: S105
    assert message.media_type == "application/cloudevents+json"
    assert json.decode(message.body) == EVENT


@pytest.mark.parametrize(("tries", "state"), [(15, TaskState.DONE), (16, TaskState.FAILED)])
async def test_a_receiver_that_is_away_is_tried_often_and_then_given_up(
    stage: Stage, tries: int, state: TaskState
) -> None:
    stage.webhook.broken = [Transient("no answer")] * tries
    assert (await through(stage, WEBHOOK_DELIVER, await fresh(stage))).state is state


async def test_a_receiver_that_refuses_is_not_asked_again(stage: Stage) -> None:
    stage.webhook.broken = [Rejected("410 gone")]
    ended = await through(stage, WEBHOOK_DELIVER, await fresh(stage))
    assert (ended.state, ended.error) == (TaskState.FAILED, "410 gone")


async def test_a_webhook_that_is_gone_is_told_nothing(stage: Stage) -> None:
    task = task_of(WEBHOOK_DELIVER, Ref("webhook/x.7"), webhook="webhook/x", event=EVENT)
    ended = await through(stage, WEBHOOK_DELIVER, task)
    assert (ended.state, "is not declared any more" in ended.error) == (TaskState.FAILED, True)
