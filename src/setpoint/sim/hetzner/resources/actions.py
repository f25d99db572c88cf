"""/actions, and the lists of actions that other resources have under them."""

from collections.abc import Callable, Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from setpoint.sim.hetzner.answers import answer, listed, shown_actions
from setpoint.sim.hetzner.cloud import Cloud
from setpoint.sim.hetzner.listing import Listing
from setpoint.sim.hetzner.refusal import invalid_input, not_found
from setpoint.sim.hetzner.values.action import Action, ResourceRef, shown


def routes(cloud: Cloud) -> Sequence[Route]:
    async def list_some(request: Request) -> Response:
        wanted = [int(text) for text in request.query_params.getlist("id") if text.isdecimal()]
        if not wanted:
            raise invalid_input([("id", "missing data for required field")])
        return answer(200, {"actions": shown_actions(cloud, (cloud.actions.get(one) for one in wanted))})

    async def get(request: Request) -> Response:
        return _one(cloud, request.path_params["id"])

    return [Route("/actions", list_some), Route("/actions/{id:int}", get)]


def routes_of(
    cloud: Cloud, plural: str, kind: str, one: str, find: Callable[[Request], ResourceRef]
) -> list[Route]:
    """The action lists of a resource: of all its objects, and of the one that a request names.

    `one` is the path parameter that names an object, `find` reads it."""
    listing: Listing[Action] = Listing(
        key="actions",
        show=lambda action: shown(action, cloud.now()),
        sortable={
            "id": lambda action: action.id,
            "command": lambda action: action.command,
            "status": lambda action: action.status,
            "started": lambda action: action.started,
            "finished": lambda action: action.finished or 0.0,
        },
        filters={"status": lambda action: action.status, "id": lambda action: str(action.id)},
    )

    async def list_all(request: Request) -> Response:
        about = [action for action in cloud.actions if any(ref.type == kind for ref in action.resources)]
        return listed(cloud, request, about, listing)

    async def get(request: Request) -> Response:
        return _one(cloud, request.path_params["action_id"], lambda ref: ref.type == kind)

    async def list_of_one(request: Request) -> Response:
        return listed(cloud, request, cloud.actions.of(find(request)), listing)

    async def get_of_one(request: Request) -> Response:
        wanted = find(request)
        return _one(cloud, request.path_params["action_id"], lambda ref: ref == wanted)

    return [
        Route(f"/{plural}/actions", list_all),
        Route(f"/{plural}/actions/{{action_id:int}}", get),
        Route(f"/{plural}/{one}/actions", list_of_one),
        Route(f"/{plural}/{one}/actions/{{action_id:int}}", get_of_one),
    ]


def _one(cloud: Cloud, action_id: int, about: Callable[[ResourceRef], bool] = lambda ref: True) -> Response:
    action = cloud.actions.get(action_id)
    if not any(about(ref) for ref in action.resources):
        raise not_found(f"action with ID '{action_id}'")
    return answer(200, {"action": shown(action, cloud.now())})
