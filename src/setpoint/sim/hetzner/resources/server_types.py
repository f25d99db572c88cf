"""/server_types: the sizes a server can have."""

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from setpoint.sim.hetzner.answers import answer, listed
from setpoint.sim.hetzner.cloud import Cloud
from setpoint.sim.hetzner.listing import Listing
from setpoint.sim.hetzner.refusal import not_found
from setpoint.sim.hetzner.values.server_type import SERVER_TYPES, ServerType, shown

_LISTING: Listing[ServerType] = Listing(
    key="server_types", show=shown, filters={"name": lambda kind: kind.name}
)


def routes(cloud: Cloud) -> Sequence[Route]:
    async def list_all(request: Request) -> Response:
        return listed(cloud, request, SERVER_TYPES, _LISTING)

    async def get(request: Request) -> Response:
        wanted = request.path_params["id"]
        for kind in SERVER_TYPES:
            if kind.id == wanted:
                return answer(200, {"server_type": shown(kind)})
        raise not_found(f"server type with ID '{wanted}'")

    return [Route("/server_types", list_all), Route("/server_types/{id:int}", get)]
