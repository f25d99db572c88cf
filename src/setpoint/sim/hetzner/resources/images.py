"""/images: what a server starts with; only system images, which nobody can change."""

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from setpoint.sim.hetzner.answers import answer, listed
from setpoint.sim.hetzner.cloud import Cloud
from setpoint.sim.hetzner.listing import Listing
from setpoint.sim.hetzner.refusal import not_found
from setpoint.sim.hetzner.values.image import IMAGES, Image, shown

_LISTING: Listing[Image] = Listing(
    key="images",
    show=shown,
    sortable={
        "id": lambda image: image.id,
        "name": lambda image: image.name,
        "created": lambda image: image.id,
    },
    filters={
        "name": lambda image: image.name,
        "architecture": lambda image: image.architecture,
        "type": lambda image: "system",
        "status": lambda image: "available",
        "bound_to": lambda image: "",
    },
    labels=lambda image: {},
)


def routes(cloud: Cloud) -> Sequence[Route]:
    async def list_all(request: Request) -> Response:
        return listed(cloud, request, IMAGES, _LISTING)

    async def get(request: Request) -> Response:
        wanted = request.path_params["id"]
        for image in IMAGES:
            if image.id == wanted:
                return answer(200, {"image": shown(image)})
        raise not_found(f"image with ID '{wanted}'")

    return [Route("/images", list_all), Route("/images/{id:int}", get)]
