"""The gate: tokens, and replies to requests that no resource answers."""

import pytest

from .conftest import ROTATED, TOKEN, World


@pytest.mark.parametrize("header", ["", "Basic abc", "Bearer ", "Bearer wrong"])
async def test_a_request_without_a_known_token_is_unauthorized(world: World, header: str) -> None:
    reply = await world.call("GET", "/v1/servers", headers={"Authorization": header})
    assert (reply.status, reply.code) == (401, "unauthorized")


async def test_the_steering_interface_wants_the_token_too(world: World) -> None:
    reply = await world.call("GET", "/_sim/state", headers={"Authorization": "Bearer wrong"})
    assert (reply.status, reply.code) == (401, "unauthorized")


async def test_a_revoked_token_is_refused_until_it_is_restored(world: World) -> None:
    await world.steer("/tokens:revoke", token=TOKEN)
    assert (await world.get("/servers")).code == "unauthorized"
    assert (
        await world.call("GET", "/v1/servers", headers={"Authorization": f"Bearer {ROTATED}"})
    ).status == 200
    await world.steer("/tokens:restore", token=TOKEN)
    assert (await world.get("/servers")).status == 200
    assert (await world.judge("/state"))["faults"] == {"revoked_token": 1}


async def test_an_unknown_path_and_a_wrong_method_are_told_in_the_format_of_the_api(world: World) -> None:
    assert (await world.get("/nowhere")).code == "not_found"
    assert (await world.get("/servers/12345")).code == "not_found"
    assert (await world.call("PATCH", "/v1/servers")).code == "method_not_allowed"


async def test_a_body_that_is_no_json_or_no_object_is_refused(world: World) -> None:
    assert (await world.call("POST", "/v1/servers", data=b"{")).code == "json_error"
    assert (await world.call("POST", "/v1/servers", json=[1])).code == "invalid_input"
