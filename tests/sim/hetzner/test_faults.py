"""Every fault, as a client meets it over a real socket."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import pytest
from hcloud import APIException, Client

from setpoint.sim.hetzner import Fault

from .conftest import World, eventually

Sdk = Callable[[Callable[[Client], Any]], Awaitable[Any]]
CREATE = {"name": "a", "server_type": "cx22", "image": "debian-12"}
FOR_EVER = 3600.0


def verbs(world: World) -> list[str]:
    return [effect.verb for effect in world.sim.effects]


async def five(world: World) -> None:
    for name in "abcde":
        await world.new_server(name)


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (503, "unavailable"),
        (500, "server_error"),
        (504, "timeout"),
        (429, "rate_limit_exceeded"),
        (599, "server_error"),
    ],
)
async def test_an_error_comes_before_any_effect(world: World, status: int, code: str) -> None:
    world.sim.faults.add(Fault(kind="error", method="POST", path="/servers", times=1, status=status))
    reply = await world.post("/servers", **CREATE)
    assert (reply.status, reply.code, verbs(world)) == (status, code, [])
    assert (await world.post("/servers", **CREATE)).status == 201


async def test_the_sdk_sees_an_error_as_its_own(world: World, sdk: Sdk) -> None:
    world.sim.faults.add(Fault(kind="error", path="/zones"))
    with pytest.raises(APIException, match="unavailable"):
        await sdk(lambda client: client.zones.get_all())


async def test_a_time_out_before_the_effect_has_done_nothing(world: World) -> None:
    world.sim.faults.add(Fault(kind="timeout_before", method="POST", times=1, seconds=0.01))
    with pytest.raises(aiohttp.ServerDisconnectedError):
        await world.post("/servers", **CREATE)
    assert verbs(world) == []
    assert (await world.get("/servers")).names("servers") == []


async def test_a_time_out_after_the_effect_has_done_it(world: World) -> None:
    world.sim.faults.add(Fault(kind="timeout_after", method="POST", times=1, seconds=0.01))
    with pytest.raises(aiohttp.ServerDisconnectedError):
        await world.post("/servers", **CREATE)
    assert verbs(world) == ["create"]
    assert (await world.post("/servers", **CREATE)).code == "uniqueness_error"


@pytest.mark.parametrize(("kind", "done"), [("timeout_before", []), ("timeout_after", ["create"])])
async def test_a_client_that_gives_up_first_finds_the_same(world: World, kind: Any, done: list[str]) -> None:
    world.sim.faults.add(Fault(kind=kind, method="POST", seconds=FOR_EVER))
    waiting = asyncio.create_task(world.post("/servers", **CREATE))

    async def counted() -> bool:
        return world.sim.requests == {"POST /servers": 1}

    await eventually(counted)
    waiting.cancel()
    assert verbs(world) == done
    assert (await world.get("/servers")).names("servers") == ["a"][: len(done)]


async def test_a_missing_page_leaves_the_totals_honest(world: World) -> None:
    await five(world)
    world.sim.faults.add(Fault(kind="missing_page", path="/servers", page=2))
    pages = [await world.get("/servers", page=page, per_page=2) for page in (1, 2, 3)]
    assert [page.names("servers") for page in pages] == [["a", "b"], [], ["e"]]
    pagination = pages[1].body["meta"]["pagination"]
    assert (pagination["total_entries"], pagination["next_page"]) == (5, 3)


async def test_a_list_that_ends_early_has_no_next_page(world: World) -> None:
    await five(world)
    world.sim.faults.add(Fault(kind="early_end", path="/servers", page=1))
    reply = await world.get("/servers", per_page=2)
    assert reply.names("servers") == ["a", "b"]
    assert reply.body["meta"]["pagination"]["next_page"] is None
    assert reply.body["meta"]["pagination"]["total_entries"] == 5


async def test_a_repeated_page_stands_where_the_next_one_should(world: World, sdk: Sdk) -> None:
    await five(world)
    world.sim.faults.add(Fault(kind="repeated_page", path="/servers", page=1))
    pages = [await world.get("/servers", page=page, per_page=2) for page in (1, 2, 3)]
    assert [page.names("servers") for page in pages] == [["a", "b"], ["a", "b"], ["e"]]
    assert pages[1].body["meta"]["pagination"]["page"] == 2


async def test_a_new_object_is_not_in_lists_until_the_lag_is_over(world: World) -> None:
    world.sim.faults.add(Fault(kind="lag", seconds=5))
    server = await world.new_server("a")
    assert (await world.get("/servers", name="a")).names("servers") == []
    assert (await world.get(f"/servers/{server}")).status == 200
    world.clock.pass_by(5)
    assert (await world.get("/servers", name="a")).names("servers") == ["a"]


async def test_a_direct_lag_hides_a_new_object_from_its_own_address(world: World) -> None:
    world.sim.faults.add(Fault(kind="lag", path="/zones/**", seconds=5, direct=True))
    await world.new_zone()
    await world.post("/zones/example.com/rrsets", name="a", type="A", records=[{"value": "192.0.2.1"}])
    firewall = (await world.post("/firewalls", name="fw")).body["firewall"]["id"]
    hidden = ["/zones/example.com", "/zones/example.com/rrsets/a/A"]
    assert [(await world.get(path)).status for path in hidden] == [404, 404]
    assert (await world.get("/zones/example.com/rrsets")).body["rrsets"] == []
    assert (await world.get(f"/firewalls/{firewall}")).status == 200
    world.clock.pass_by(5)
    assert [(await world.get(path)).status for path in hidden] == [200, 200]


async def test_a_slow_request_is_answered_all_the_same(world: World) -> None:
    world.sim.faults.add(Fault(kind="slow", seconds=0.01))
    assert (await world.post("/servers", **CREATE)).status == 201
    assert world.sim.faults.struck == {"slow": 1}


async def test_a_server_whose_creation_fails_is_gone(world: World) -> None:
    world.sim.faults.add(Fault(kind="failing_action", path="/servers", times=1))
    created = await world.post("/servers", **CREATE)
    assert await world.finished(created) == "error"
    action = (await world.get(f"/actions/{created.body['action']['id']}")).body["action"]
    assert action["error"]["code"] == "action_failed"
    assert (await world.get("/servers")).names("servers") == []


@pytest.mark.parametrize(("method", "path"), [("POST", "/actions/poweroff"), ("DELETE", "")])
async def test_a_server_whose_action_fails_is_as_before(world: World, method: str, path: str) -> None:
    server = await world.new_server("a")
    await world.status_is(server, "running")
    world.sim.faults.add(Fault(kind="failing_action", times=1))
    reply = await world.call(method, f"/v1/servers/{server}{path}")
    assert await world.finished(reply) == "error"
    shown = (await world.get(f"/servers/{server}")).body["server"]
    assert (shown["status"], shown["locked"]) == ("running", False)


async def test_another_process_steers_the_faults(world: World) -> None:
    added = await world.steer("/faults", kind="error", method="GET", path="/servers", status=500, times=2)
    assert added.status == 201
    await world.steer("/faults", kind="slow", seconds=0)
    assert (await world.get("/servers")).status == 500
    standing = (await world.judge("/faults"))["faults"]
    assert [(one["id"], one["fault"]["kind"], one["struck"]) for one in standing] == [
        (1, "error", 1),
        (2, "slow", 1),
    ]
    await world.call("DELETE", f"/_sim/faults/{added.body['id']}")
    assert (await world.get("/servers")).status == 200
    await world.call("DELETE", "/_sim/faults")
    assert (await world.judge("/faults"))["faults"] == []
    assert (await world.judge("/state"))["faults"] == {"error": 1, "slow": 2}


async def test_a_fault_that_makes_no_sense_is_refused_with_all_reasons(world: World) -> None:
    reply = await world.steer("/faults", kind="gremlin", times=0, probability=2, status=200)
    assert (reply.status, reply.bad_fields) == (400, {"kind", "times", "probability", "status"})


async def test_requests_are_counted_whatever_becomes_of_them(world: World) -> None:
    server = await world.new_server("a")
    world.sim.faults.add(Fault(kind="error", method="POST", times=1))
    await world.post("/servers", **CREATE)
    await world.get(f"/servers/{server}")
    await world.get("/nowhere")

    async def counted() -> bool:
        return world.sim.requests == {"POST /servers": 2, "GET /servers/{id}": 1, "GET /nowhere": 1}

    await eventually(counted)
