"""`notification.deliver`: one signed message, tried until it is taken or refused."""

import pytest
from msgspec import json

from kinds.stage import Stage
from setpoint.engine.entity import Ref
from setpoint.engine.errors import Rejected, Transient
from setpoint.engine.rows import Task, TaskState
from setpoint.pipelines.notification_deliver import NOTIFICATION_DELIVER

from .stages import task_of, through


async def fresh(stage: Stage) -> Task:
    hooks = await stage.declare(
        "notification_channel",
        "hooks",
        url="https://hooks",
        secret="secret://hooks",  # noqa: S106
    )
    return task_of(NOTIFICATION_DELIVER, hooks.ref, channel=hooks.ref, body={"message": "down"})


async def test_a_message_is_sent_with_the_tasks_id_and_the_opened_secret(stage: Stage) -> None:
    ended = await through(stage, NOTIFICATION_DELIVER, await fresh(stage))
    [message] = stage.webhook.sent
    assert (ended.state, message.id, message.url) == (TaskState.DONE, "t1", "https://hooks")
    assert message.secret == "opened secret://hooks"  # noqa: S105
    assert json.decode(message.body) == {"id": "t1", "message": "down"}


async def test_the_same_message_sent_twice_is_recognisable(stage: Stage) -> None:
    task = await fresh(stage)
    for _ in range(2):
        await through(stage, NOTIFICATION_DELIVER, task)
    assert len({(message.id, message.body) for message in stage.webhook.sent}) == 1


@pytest.mark.parametrize(("tries", "state"), [(12, TaskState.DONE), (13, TaskState.FAILED)])
async def test_a_receiver_that_is_away_is_tried_a_dozen_times(
    stage: Stage, tries: int, state: TaskState
) -> None:
    stage.webhook.broken = [Transient("no answer")] * tries
    assert (await through(stage, NOTIFICATION_DELIVER, await fresh(stage))).state is state


async def test_a_receiver_that_refuses_is_not_asked_again(stage: Stage) -> None:
    stage.webhook.broken = [Rejected("410 gone")]
    ended = await through(stage, NOTIFICATION_DELIVER, await fresh(stage))
    assert (ended.state, ended.error, stage.webhook.sent) == (TaskState.FAILED, "410 gone", [])


async def test_a_channel_that_is_not_declared_any_more_is_said(stage: Stage) -> None:
    task = task_of(NOTIFICATION_DELIVER, Ref("x/1"), channel="notification_channel/gone", body={})
    waiting = await through(stage, NOTIFICATION_DELIVER, task, turns=1)
    assert "notification_channel/gone is not declared any more" in waiting.error
