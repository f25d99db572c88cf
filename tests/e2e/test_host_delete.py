"""Deleting a host: parked first, back as the same server, destroyed when its time is up; no orphan left."""

from pathlib import Path

from declarations import host, workspace
from harness import WORKSPACE, World, world
from setpoint.sim.hetzner import Fault

DB = f"{WORKSPACE}/hosts/db"


async def test_a_deleted_host_is_parked_and_comes_back_as_the_same_server(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        await w.plane.declare([*w.setting(), workspace(), host("db")])
        before = (await w.all_ready("hosts", 1))[0]["status"]["facts"]["server_id"]
        w.mark()
        await w.plane.good("DELETE", DB)
        await w.in_state("hosts", "db", "PENDING", "parked until")
        server = await the_server(w)
        assert (server["status"], "setpoint/parked-until" in server["labels"]) == ("off", True)

        await w.plane.declare([host("db")])
        after = (await w.all_ready("hosts", 1))[0]["status"]["facts"]["server_id"]
        server = await the_server(w)
        assert (server["status"], "setpoint/parked-until" in server["labels"]) == ("running", False)
        assert after == before == str(server["id"])
        assert w.effects("create") == w.effects("delete") == []


async def test_a_parked_host_is_destroyed_when_its_time_is_up(tmp_path: Path) -> None:
    async with world(tmp_path, park_seconds=2.0) as w:
        await w.plane.declare([*w.setting(), workspace(), host("db")])
        await w.all_ready("hosts", 1)
        w.mark()
        await w.plane.good("DELETE", DB)
        await gone(w)
        assert [e.verb for e in w.effects()] == ["update", "poweroff", "delete"]
        assert await servers(w) == []


async def test_a_withdrawn_host_is_held_for_approval(tmp_path: Path) -> None:
    async with world(tmp_path, park_seconds=0.0) as w:
        await w.plane.declare([*w.setting(), workspace(), host("db")], "file", prune=True)
        await w.all_ready("hosts", 1)
        w.mark()
        await w.plane.declare([*w.setting(), workspace()], "file", prune=True)
        await w.in_state("hosts", "db", "HELD", "nothing is declared while 1 exist")
        await w.looked("host", "db", 2)
        assert w.effects() == []
        assert (await w.plane.decide(await w.plane.held_plan(), "approve")).status == 200
        await gone(w)
        assert [e.verb for e in w.effects()] == ["update", "poweroff", "delete"]


async def test_deleting_a_host_whose_create_had_no_answer_leaves_no_orphan(tmp_path: Path) -> None:
    async with world(tmp_path, park_seconds=0.0, settle_seconds=1.5) as w:
        await w.plane.declare([*w.setting(), workspace()])
        await w.all_ready("workspaces", 1)
        w.sim.faults.add(Fault(kind="timeout_after", method="POST", path="/servers", seconds=0.1, times=1))
        lag = Fault(kind="lag", method="GET", path="/servers", seconds=1.0, direct=True)
        hidden = w.sim.faults.add(lag)
        await w.plane.declare([host("db")])
        await w.in_state("hosts", "db", "PENDING", "no visible effect yet")
        assert len(w.effects("create", "server")) == 1
        await w.plane.good("DELETE", DB)
        await w.in_state("hosts", "db", "PENDING", "an act on it has no answer yet")
        await gone(w)
        w.sim.faults.remove(hidden)
        assert await servers(w) == []
        assert len(w.effects("delete", "server")) == 1
        assert w.plane.open_acts() == []


async def test_deleting_a_host_whose_create_never_arrived_ends_too(tmp_path: Path) -> None:
    async with world(tmp_path, park_seconds=0.0) as w:
        await w.plane.declare([*w.setting(), workspace()])
        await w.all_ready("workspaces", 1)
        w.sim.faults.add(Fault(kind="timeout_before", method="POST", path="/servers", seconds=0.1))
        await w.plane.declare([host("db")])
        await w.in_state("hosts", "db", "PENDING", "no visible effect yet")
        await w.plane.good("DELETE", DB)
        await gone(w)
        assert w.effects("create", "server") == []
        assert w.plane.open_acts() == []


async def servers(w: World) -> list[dict[str, object]]:
    return (await w.sim_call("GET", "/v1/servers"))["servers"]  # type: ignore[no-any-return]


async def the_server(w: World) -> dict[str, object]:
    (server,) = await servers(w)
    return server


async def gone(w: World) -> None:
    async def left() -> bool:
        return await w.plane.named("hosts", "db") is None

    await w.until(left, "the declaration of db has left")
