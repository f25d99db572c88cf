"""`notification.deliver`: one message to one channel, tried until it is taken or refused."""

from typing import Any, Final

from msgspec import json

from setpoint.capabilities.webhook import Message
from setpoint.capabilities.world import Destination, World
from setpoint.engine.entity import Ref, Shape
from setpoint.engine.errors import Missing
from setpoint.engine.pipeline import Pipeline, Step
from setpoint.engine.rows import Task


class Delivery(Shape, frozen=True):
    """What is told, and to whom."""

    channel: Ref
    body: dict[str, Any]


async def _send(world: World, state: Delivery, task: Task) -> Delivery:
    """The task's id is the message's: a receiver that saw it before can tell."""
    channel = await world.intent.entity(state.channel)
    if channel is None:
        raise Missing(f"{state.channel} is not declared any more")
    organization, name = channel.scope.organization, channel.spec.secret
    to = Destination(url=channel.spec.url)
    found = await world.secrets.open(organization, name, channel.ref, to, newest=True)
    await world.webhook.send(
        Message(
            id=task.id,
            url=channel.spec.url,
            body=json.encode({"id": task.id, **state.body}, order="deterministic"),
            secret=found.value,
            before=found.before,
        )
    )
    await world.secrets.used(organization, name, channel.ref, found.version)
    return state


NOTIFICATION_DELIVER: Final = Pipeline(
    name="notification.deliver",
    about="Posts one signed message to one channel.",
    state=Delivery,
    steps=(Step("send", "the receiver has taken it", _send, retries=12),),
)
