"""The specification is what it is held against: its reader is right, and every route of ours is in it."""

import json

import pytest
from starlette.routing import Route

from setpoint.sim.hetzner.cloud import Cloud
from setpoint.sim.hetzner.resources import RESOURCES
from setpoint.sim.hetzner.settings import SimSettings

from . import specification
from .conftest import World

pytestmark = pytest.mark.skipif(not specification.AVAILABLE, reason=specification.WHY_NOT)


def routes() -> list[Route]:
    cloud = Cloud(SimSettings(token="t"), lambda: 0.0)  # noqa: S106
    return [route for resource in RESOURCES for route in resource(cloud)]


@pytest.mark.parametrize("route", routes(), ids=lambda route: f"{min(route.methods - {'HEAD'})} {route.path}")
def test_every_route_is_in_the_specification(route: Route) -> None:
    path = route.path.replace(":int}", "}")
    for spelled, name in (("{zone}", "{id_or_name}"), ("/{name}/{type}", "/{rr_name}/{rr_type}")):
        path = path.replace(spelled, name)
    template = specification.template_of(path)
    assert template is not None
    assert {method.lower() for method in route.methods or ()} - {"head"} <= set(
        specification.document()["paths"][template]
    )


async def test_a_full_world_is_as_specified(world: World) -> None:
    for name in ("a", "b"):
        await world.new_server(name, labels={"app": "web"})
    by_label = {"type": "label_selector", "label_selector": {"selector": "app"}}
    rule = {
        "direction": "in",
        "protocol": "tcp",
        "port": "80-90",
        "source_ips": ["::/0"],
        "description": "web",
    }
    await world.post("/firewalls", name="fw", rules=[rule], apply_to=[by_label])
    await world.new_zone(mode="secondary", primary_nameservers=[{"address": "192.0.2.1", "port": 5353}])
    for path in ("/servers", "/firewalls", "/zones", "/zones/example.com/rrsets", "/images", "/locations"):
        body = json.dumps((await world.get(path)).body).encode()
        assert specification.mistakes("GET", path, 200, body) == []


@pytest.mark.parametrize(
    ("method", "path", "status", "body"),
    [
        ("GET", "/servers", 200, b'{"servers": [{}], "meta": {}}'),
        ("GET", "/actions/1", 200, b'{"action": {"id": 1}}'),
        ("GET", "/servers", 204, b""),
        ("GET", "/servers", 404, b'{"message": "no"}'),
        ("DELETE", "/firewalls/1", 204, b"{}"),
        ("GET", "/nowhere", 200, b"{}"),
        ("PATCH", "/servers", 200, b"{}"),
    ],
)
def test_a_response_that_breaks_the_specification_is_found(
    method: str, path: str, status: int, body: bytes
) -> None:
    assert specification.mistakes(method, path, status, body) != []


def test_nullable_is_read_as_a_type() -> None:
    assert specification.translated({"type": "string", "nullable": True, "enum": ["a"]}) == {
        "anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]
    }
