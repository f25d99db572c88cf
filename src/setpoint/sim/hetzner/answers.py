"""What every resource answers in the same way: JSON, lists, actions, and objects that may not be seen yet."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

import msgspec
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from setpoint.sim.hetzner.actions import Work
from setpoint.sim.hetzner.cloud import Cloud
from setpoint.sim.hetzner.faults import ACTIONS, LAG, PAGES, Call
from setpoint.sim.hetzner.listing import Listing, asked, chosen, shown
from setpoint.sim.hetzner.refusal import not_found
from setpoint.sim.hetzner.values.action import Action
from setpoint.sim.hetzner.values.action import shown as shown_action

T = TypeVar("T")


def answer(status: int, content: object) -> Response:
    """A reply with a JSON body."""
    return Response(msgspec.json.encode(content), status_code=status, media_type="application/json")


def call_of(request: Request) -> Call:
    """The request as faults see it."""
    page = request.query_params.get("page", "1")
    return Call(request.method, below_v1(request.url.path), int(page) if page.isdecimal() else 1)


def below_v1(path: str) -> str:
    return path.removeprefix("/v1")


def listed(cloud: Cloud, request: Request, items: Sequence[T], listing: Listing[T]) -> Response:
    """A page of a list, with whatever is wrong with lists at the moment."""
    question = asked(request.query_params, listing, cloud.settings.page_size)
    call = call_of(request)
    lags = [fault.seconds for fault in cloud.faults.draw(call, LAG)] if listing.created else []
    found = chosen(_old_enough(cloud, items, listing, max(lags, default=0.0)), question, listing)
    faults = cloud.faults.draw(call, PAGES)
    page, pagination = shown(found, question, faults[0] if faults else None)
    return answer(
        200, {listing.key: [listing.show(item) for item in page], "meta": {"pagination": pagination}}
    )


def require_visible(cloud: Cloud, request: Request, created: float) -> None:
    """Refuses an object that is too young to be had by its id, if there is such a lag."""
    call = replace(call_of(request), direct=True)
    lags = [fault.seconds for fault in cloud.faults.draw(call, LAG)]
    if cloud.now() - created < max(lags, default=0.0):
        raise not_found("the resource")


def begin(cloud: Cloud, request: Request, work: Work) -> Action:
    """Begins the action that a request asks for; a fault may have it fail."""
    return cloud.actions.begin(work, fails=bool(cloud.faults.draw(call_of(request), ACTIONS)))


def shown_actions(cloud: Cloud, actions: Iterable[Action]) -> list[dict[str, object]]:
    return [shown_action(action, cloud.now()) for action in actions]


def action_answer(cloud: Cloud, action: Action) -> Response:
    """The reply to a request whose result is only an action."""
    return answer(201, {"action": shown_action(action, cloud.now())})


def _old_enough(cloud: Cloud, items: Sequence[T], listing: Listing[T], seconds: float) -> Sequence[T]:
    created = listing.created
    if created is None or seconds <= 0:
        return items
    return [item for item in items if cloud.now() - created(item) >= seconds]
