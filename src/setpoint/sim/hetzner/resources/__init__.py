"""The resources of the API, one file each; adding one is a file and a line in this list."""

from collections.abc import Callable, Sequence

from starlette.routing import Route

from setpoint.sim.hetzner.cloud import Cloud
from setpoint.sim.hetzner.resources import (
    actions,
    firewalls,
    images,
    locations,
    rrsets,
    server_power,
    server_types,
    servers,
    zones,
)

RESOURCES: tuple[Callable[[Cloud], Sequence[Route]], ...] = (
    actions.routes,
    locations.routes,
    server_types.routes,
    images.routes,
    servers.routes,
    server_power.routes,
    firewalls.routes,
    zones.routes,
    rrsets.routes,
)
