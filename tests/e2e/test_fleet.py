"""A group of hosts with real agents: held at its size through loss, silence and listings that lie."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from declarations import group, host, workspace
from harness import World, counted, is_ready, world
from setpoint.sim.hetzner import Fault

FIVE = 5


@pytest.fixture
async def fleet(tmp_path: Path) -> AsyncIterator[World]:
    """Five hosts READY, five agents beating, in an account that others use too."""
    sim = {"action_seconds": 0.1}
    async with world(tmp_path, sim, intervals={"host": 0.5, "provider": 0.5}) as w:
        await w.sim_call("POST", "/v1/zones", {"name": "stranger.example", "mode": "primary"})
        w.mark()
        await w.plane.declare([*w.setting(), workspace(), group(FIVE)])
        await w.all_ready("hosts", FIVE)
        await w.all_ready("agents", FIVE)
        await w.all_ready("scaling_groups", 1)
        yield w


async def test_a_server_deleted_behind_our_back_is_made_again_exactly_once(fleet: World) -> None:
    assert len(fleet.effects("create", "server")) == FIVE
    lost = (await fleet.plane.every("hosts"))[2]
    fleet.mark()
    looked = fleet.sim.requests["GET /servers"]
    await fleet.sim.behind.vanish_server(lost["status"]["facts"]["server"])

    async def back() -> bool:
        found = await fleet.plane.named("hosts", lost["metadata"]["name"])
        return (
            is_ready(found) and found["status"]["facts"]["server_id"] != lost["status"]["facts"]["server_id"]
        )

    await fleet.until(back, "the lost host READY on another server")
    await fleet.all_ready("scaling_groups", 1)
    assert counted(fleet.effects("create", "server")) == {lost["status"]["facts"]["server"]: 1}
    assert fleet.effects("delete") == []
    assert fleet.sim.requests["GET /servers"] > looked + 1
    assert fleet.plane.open_acts() == []


async def test_a_fleet_that_is_gone_all_at_once_is_not_made_again(fleet: World) -> None:
    fleet.mark()
    hidden = fleet.sim.faults.add(Fault(kind="lag", method="GET", path="/servers", seconds=3600, direct=True))
    for number in range(1, FIVE + 1):
        await fleet.in_state("hosts", f"web-{number}", "HELD", "5 of 5 are gone at once")
    await fleet.passes("host", 3 * FIVE)
    assert fleet.effects() == []
    fleet.sim.faults.remove(hidden)
    await fleet.all_ready("hosts", FIVE)
    assert fleet.effects() == []


async def test_a_server_whose_agent_still_beats_is_not_made_again(tmp_path: Path) -> None:
    async with world(tmp_path, settle_seconds=0.0) as w:
        await w.plane.declare([*w.setting(), workspace(), group(1)])
        await w.all_ready("hosts", 1)
        w.mark()
        hidden = w.sim.faults.add(Fault(kind="lag", method="GET", path="/servers", seconds=3600, direct=True))
        doubted = await w.in_state("hosts", "web-1", "PENDING", "disagree")
        await w.passes("host", 3)
        assert "server" in doubted["status"]["reason"]
        w.sim.faults.remove(hidden)
        await w.all_ready("hosts", 1)
        assert w.effects() == []


async def test_a_silent_host_is_degraded_and_told_of_once(fleet: World) -> None:
    quiet = (await fleet.plane.every("hosts"))[1]
    name, server = quiet["metadata"]["name"], quiet["status"]["facts"]["server"]
    fleet.mark()
    await fleet.sim.behind.kill_agent(server)
    await fleet.in_state("hosts", name, "DEGRADED", "no heartbeat since")
    await fleet.in_state("scaling_groups", "web", "DEGRADED", f"4 of 5 hosts READY; {name}: ")
    await fleet.in_state("agents", name, "DEGRADED", "no heartbeat since")
    await fleet.passes("host", 2 * FIVE)
    assert [event["ref"] for event in await fleet.plane.events("host.heartbeat_missing")] == [
        quiet["metadata"]["ref"]
    ]
    await fleet.sim.behind.start_agent(server)
    await fleet.all_ready("hosts", FIVE)
    await fleet.all_ready("scaling_groups", 1)
    assert len(await fleet.plane.events("host.heartbeat_missing")) == 1
    assert fleet.effects() == []


async def test_a_listing_with_a_page_wrong_changes_nothing(fleet: World) -> None:
    for number in range(60):
        body = {"name": f"stranger-{number}", "server_type": "cx22", "image": "debian-12"}
        await fleet.sim_call("POST", "/v1/servers", body)
    await fleet.passes("host", FIVE)
    fleet.mark()
    for fault in ("missing_page", "repeated_page", "early_end"):
        fleet.sim.faults.add(Fault(kind=fault, method="GET", path="/servers"))
        for number in range(1, FIVE + 1):
            await fleet.in_state("hosts", f"web-{number}", "DEGRADED", "listing of servers incomplete")
        await fleet.in_state("providers", "hetzner", "DEGRADED", "listing of servers incomplete")
        await fleet.in_state("scaling_groups", "web", "DEGRADED", "listing of servers incomplete")
        assert fleet.effects() == [], fault
        fleet.sim.faults.clear()
        await fleet.all_ready("hosts", FIVE)
        await fleet.all_ready("scaling_groups", 1)
        await fleet.all_ready("providers", 1)
    assert fleet.effects() == []


async def test_a_listing_that_a_direct_look_contradicts_makes_nothing(tmp_path: Path) -> None:
    async with world(tmp_path, inventory_seconds=0.0, settle_seconds=0.0) as w:
        await w.plane.declare([*w.setting(), workspace(), host("db")])
        await w.all_ready("hosts", 1)
        w.mark()
        for _ in range(10):
            w.sim.faults.add(Fault(kind="lag", method="GET", path="/servers", seconds=3600, times=1))
            while w.sim.faults.standing:  # A look may share a listing that began before the fault did.
                await w.looked("host", "db")
        await w.all_ready("hosts", 1)
        assert w.effects() == []
        assert len(w.plane.acts()) == 1
