"""Servers: their whole life, by the vendor's SDK and by hand."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hcloud import Client
from hcloud.images import Image
from hcloud.locations import Location
from hcloud.server_types import ServerType
from msgspec.structs import replace

from setpoint.sim.hetzner import SimSettings

from .conftest import World

Sdk = Callable[[Callable[[Client], Any]], Awaitable[Any]]


async def test_the_sdk_sees_a_server_through_its_life(world: World, sdk: Sdk) -> None:
    def live(client: Client) -> list[str]:
        seen = []
        created = client.servers.create(
            name="web-1",
            server_type=ServerType(name="cx22"),
            image=Image(name="debian-12"),
            location=Location(name="nbg1"),
            labels={"app": "web"},
        )
        seen.append(created.server.status)
        created.action.wait_until_finished()
        for action in created.next_actions:
            action.wait_until_finished()
        server = client.servers.get_by_name("web-1")
        seen.append(server.status)
        server.update(name="web-2", labels={"app": "shop"})
        server.power_off().wait_until_finished()
        seen.append(client.servers.get_by_id(server.id).status)
        server.change_type(ServerType(name="cx32"), upgrade_disk=False).wait_until_finished()
        renamed = client.servers.get_all(label_selector="app=shop")[0]
        seen += [renamed.name, renamed.server_type.name, renamed.status]
        renamed.delete().wait_until_finished()
        return [*seen, str(client.servers.get_all())]

    life = await sdk(live)
    assert life == ["initializing", "running", "off", "web-2", "cx32", "running", "[]"]
    assert [effect.verb for effect in world.sim.effects] == [
        "create",
        "update",
        "poweroff",
        "change_type",
        "delete",
    ]


async def test_a_new_server_is_initializing_and_then_running(world: World) -> None:
    created = await world.post("/servers", name="a", server_type="cx22", image="debian-12", location="hel1")
    assert created.body["server"]["status"] == "initializing"
    assert created.body["server"]["location"]["name"] == "hel1"
    assert created.body["action"]["command"] == "create_server"
    assert created.body["root_password"]
    assert await world.finished(created) == "success"
    await world.status_is(created.body["server"]["id"], "running")


async def test_types_images_and_locations_go_by_id_as_well(world: World) -> None:
    server = await world.new_server("arm", server_type=45, image="114690389", location="3", ssh_keys=["me"])
    shown = (await world.get(f"/servers/{server}")).body["server"]
    assert (shown["server_type"]["name"], shown["image"]["architecture"]) == ("cax11", "arm")
    assert shown["location"]["name"] == "hel1"


async def test_every_bad_field_of_a_new_server_is_told(world: World) -> None:
    reply = await world.post("/servers", name="-bad-", image=[], labels={"-": "x"}, user_data=3)
    assert (reply.status, reply.code) == (400, "invalid_input")
    assert reply.bad_fields == {"name", "server_type", "image", "labels", "user_data"}


async def test_all_that_is_not_in_the_catalogue_is_told(world: World) -> None:
    reply = await world.post("/servers", name="a", server_type="huge", image="dos", location="moon")
    assert (reply.code, reply.bad_fields) == ("invalid_input", {"server_type", "image", "location"})
    assert world.sim.effects == ()


async def test_an_image_must_fit_the_type(world: World) -> None:
    reply = await world.post("/servers", name="a", server_type="cax11", image=114690387)
    assert (reply.code, reply.bad_fields) == ("invalid_input", {"image"})


async def test_a_name_is_had_once(world: World) -> None:
    await world.new_server("a")
    other = await world.new_server("b")
    again = await world.post("/servers", name="a", server_type="cx22", image="debian-12")
    assert (again.status, again.code) == (409, "uniqueness_error")
    assert (await world.put(f"/servers/{other}", name="a")).code == "uniqueness_error"
    assert (await world.get("/servers")).names("servers") == ["a", "b"]


async def test_what_is_not_simulated_is_refused_rather_than_forgotten(world: World) -> None:
    reply = await world.post("/servers", name="a", server_type="cx22", image="debian-12", networks=[1])
    assert (reply.status, reply.code) == (422, "unsupported_error")


class TestWhileAnActionRuns:
    @pytest.fixture
    def settings(self, settings: SimSettings) -> SimSettings:
        return replace(settings, action_seconds=3600)

    async def test_a_server_is_locked(self, world: World) -> None:
        server = await world.new_server("a")
        assert (await world.get(f"/servers/{server}")).body["server"]["locked"] is True
        deleted = await world.delete(f"/servers/{server}")
        stopped = await world.post(f"/servers/{server}/actions/poweroff")
        assert {(reply.status, reply.code) for reply in (deleted, stopped)} == {(423, "locked")}
        assert [effect.verb for effect in world.sim.effects] == ["create"]

    async def test_a_server_still_takes_labels_and_protection(self, world: World) -> None:
        server = await world.new_server("a")
        assert (await world.put(f"/servers/{server}", labels={"a": "b"})).status == 200
        assert (await world.post(f"/servers/{server}/actions/change_protection", delete=True)).status == 201


async def test_a_protected_server_is_not_deleted(world: World) -> None:
    server = await world.new_server("a")
    await world.post(f"/servers/{server}/actions/change_protection", delete=True, rebuild=True)
    await world.status_is(server, "running")
    reply = await world.delete(f"/servers/{server}")
    assert (reply.status, reply.code) == (423, "protected")
    await world.post(f"/servers/{server}/actions/change_protection", delete=False)
    shown = (await world.get(f"/servers/{server}")).body["server"]
    assert shown["protection"] == {"delete": False, "rebuild": True}


async def test_a_delete_goes_through_an_action(world: World) -> None:
    server = await world.new_server("a")
    await world.status_is(server, "running")
    deleting = await world.delete(f"/servers/{server}")
    assert deleting.body["action"]["status"] == "running"
    under_way = await world.get(f"/servers/{server}")
    assert under_way.status == 404 or under_way.body["server"]["status"] == "deleting"
    assert await world.finished(deleting) == "success"
    assert (await world.get(f"/servers/{server}")).code == "not_found"
    assert (await world.delete(f"/servers/{server}")).code == "not_found"


@pytest.mark.parametrize(
    ("command", "after"),
    [
        ("poweron", "running"),
        ("poweroff", "off"),
        ("shutdown", "off"),
        ("reboot", "running"),
        ("reset", "running"),
    ],
)
async def test_power_commands_lead_where_they_say(world: World, command: str, after: str) -> None:
    server = await world.new_server("a")
    await world.status_is(server, "running")
    reply = await world.post(f"/servers/{server}/actions/{command}")
    assert (reply.status, await world.finished(reply)) == (201, "success")
    assert (await world.get(f"/servers/{server}")).body["server"]["status"] == after


async def test_a_server_that_is_off_cannot_be_rebooted_and_one_that_runs_cannot_change_type(
    world: World,
) -> None:
    off = await world.new_server("off", start_after_create=False)
    on = await world.new_server("on")
    await world.status_is(off, "off")
    await world.status_is(on, "running")
    change = {"server_type": "cx32", "upgrade_disk": True}
    assert (await world.post(f"/servers/{off}/actions/reboot")).status == 422
    assert (await world.post(f"/servers/{on}/actions/change_type", **change)).code == "server_not_stopped"


async def test_a_disk_grows_and_never_shrinks(world: World) -> None:
    server = await world.new_server("a", start_after_create=False)
    await world.status_is(server, "off")
    path = f"/servers/{server}/actions"
    await world.finished(await world.post(f"{path}/change_type", server_type="cx32", upgrade_disk=True))
    shown = (await world.get(f"/servers/{server}")).body["server"]
    assert (shown["primary_disk_size"], shown["status"]) == (80, "running")
    await world.finished(await world.post(f"{path}/poweroff"))
    unknown = await world.post(f"{path}/change_type", server_type="huge", upgrade_disk=False)
    assert unknown.bad_fields == {"server_type"}
    smaller = await world.post(f"{path}/change_type", server_type="cx22", upgrade_disk=False)
    assert (smaller.status, smaller.code) == (422, "invalid_server_type")


async def test_a_server_without_public_addresses_has_none(world: World) -> None:
    server = await world.new_server("a", public_net={"enable_ipv4": False, "enable_ipv6": False})
    net = (await world.get(f"/servers/{server}")).body["server"]["public_net"]
    assert (net["ipv4"], net["ipv6"]) == (None, None)
