"""/locations: where servers can be."""

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from setpoint.sim.hetzner.answers import answer, listed
from setpoint.sim.hetzner.cloud import Cloud
from setpoint.sim.hetzner.listing import Listing
from setpoint.sim.hetzner.refusal import not_found
from setpoint.sim.hetzner.values.location import LOCATIONS, Location

_LISTING: Listing[Location] = Listing(
    key="locations",
    show=lambda location: location,
    sortable={"id": lambda location: location.id, "name": lambda location: location.name},
    filters={"name": lambda location: location.name},
)


def routes(cloud: Cloud) -> Sequence[Route]:
    async def list_all(request: Request) -> Response:
        return listed(cloud, request, LOCATIONS, _LISTING)

    async def get(request: Request) -> Response:
        wanted = request.path_params["id"]
        for location in LOCATIONS:
            if location.id == wanted:
                return answer(200, {"location": location})
        raise not_found(f"location with ID '{wanted}'")

    return [Route("/locations", list_all), Route("/locations/{id:int}", get)]
