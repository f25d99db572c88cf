"""Actions: begun, under way, over; listed by resource and by object."""

import pytest
from msgspec.structs import replace

from setpoint.sim.hetzner import SimSettings

from .conftest import World


class TestUnderWay:
    @pytest.fixture
    def settings(self, settings: SimSettings) -> SimSettings:
        return replace(settings, action_seconds=3600)

    async def test_an_action_makes_progress_with_time(self, world: World) -> None:
        created = await world.post("/servers", name="a", server_type="cx22", image="debian-12")
        assert (created.body["action"]["status"], created.body["action"]["progress"]) == ("running", 0)
        world.clock.pass_by(900)
        quarter = (await world.get(f"/actions/{created.body['action']['id']}")).body["action"]
        assert (quarter["status"], quarter["progress"]) == ("running", 25)
        world.clock.pass_by(36000)
        late = (await world.get(f"/actions/{created.body['action']['id']}")).body["action"]
        assert (late["status"], late["progress"]) == ("running", 99)


async def test_an_action_finishes(world: World) -> None:
    created = await world.post("/servers", name="a", server_type="cx22", image="debian-12")
    await world.finished(created)
    over = (await world.get(f"/actions/{created.body['action']['id']}")).body["action"]
    assert (over["status"], over["progress"], over["error"]) == ("success", 100, None)
    assert over["finished"] is not None


async def test_several_actions_are_read_at_once(world: World) -> None:
    for name in ("a", "b"):
        await world.new_server(name)
    reply = await world.call("GET", "/v1/actions", params=[("id", 1), ("id", 3)])
    assert [action["id"] for action in reply.body["actions"]] == [1, 3]
    assert (await world.get("/actions")).bad_fields == {"id"}
    assert (await world.get("/actions/99")).code == "not_found"


async def test_actions_are_listed_by_resource_and_by_object(world: World) -> None:
    server = await world.new_server("a")
    other = await world.new_server("b")
    zone = await world.new_zone()
    of_all = await world.get("/servers/actions")
    of_one = await world.get(f"/servers/{server}/actions")
    assert [action["command"] for action in of_one.body["actions"]] == ["create_server", "start_server"]
    assert len(of_all.body["actions"]) == 4
    action = of_one.body["actions"][0]["id"]
    assert (await world.get(f"/servers/{server}/actions/{action}")).body["action"]["id"] == action
    assert (await world.get(f"/servers/actions/{action}")).body["action"]["id"] == action
    assert (await world.get(f"/servers/{other}/actions/{action}")).code == "not_found"
    assert (await world.get(f"/zones/actions/{action}")).code == "not_found"
    of_zone = (await world.get(f"/zones/{zone}/actions")).body["actions"]
    assert [one["command"] for one in of_zone] == ["create_zone"]
    of_zones = (await world.get("/zones/actions", sort="command:desc")).body["actions"]
    assert [one["id"] for one in of_zones] == [one["id"] for one in of_zone]


async def test_actions_are_filtered_by_status(world: World) -> None:
    created = await world.post("/servers", name="a", server_type="cx22", image="debian-12")
    await world.finished(created)
    over = await world.get("/servers/actions", status="success")
    assert created.body["action"]["id"] in [action["id"] for action in over.body["actions"]]
    assert (await world.get("/servers/actions", status="error")).body["actions"] == []
