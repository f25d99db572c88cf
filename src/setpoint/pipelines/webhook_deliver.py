"""`webhook.deliver`: one event to one webhook, tried until it is taken or refused; then it is parked."""

from typing import Any, Final

from msgspec import json

from setpoint.capabilities.webhook import Message
from setpoint.capabilities.world import Destination, World
from setpoint.engine.entity import Ref, Shape
from setpoint.engine.errors import Rejected
from setpoint.engine.pipeline import Pipeline, Step
from setpoint.engine.rows import Task


class Delivery(Shape, frozen=True):
    """Which event, and to whom."""

    webhook: Ref
    event: dict[str, Any]


async def _send(world: World, state: Delivery, task: Task) -> Delivery:
    """The event's id is the message's, also when it is delivered once more: a receiver can tell."""
    webhook = await world.intent.entity(state.webhook)
    if webhook is None or webhook.deleting:
        raise Rejected(f"{state.webhook} is not declared any more")
    organization, name = webhook.scope.organization, webhook.spec.secret
    to = Destination(url=webhook.spec.url)
    found = await world.secrets.open(organization, name, webhook.ref, to, newest=True)
    await world.webhook.send(
        Message(
            id=str(state.event["id"]).replace("/", "_"),
            url=webhook.spec.url,
            body=json.encode(state.event, order="deterministic"),
            secret=found.value,
            before=found.before,
            media_type="application/cloudevents+json",
        )
    )
    await world.secrets.used(organization, name, webhook.ref, found.version)
    return state


WEBHOOK_DELIVER: Final = Pipeline(
    name="webhook.deliver",
    about="Posts one signed event to one webhook.",
    state=Delivery,
    steps=(Step("send", "the receiver has taken it", _send, retries=15),),
)
