"""A workspace is made and removed by pipelines: progress is visible, failure undone, a kill survived."""

import asyncio
from pathlib import Path

from declarations import group, host, setting, workspace
from harness import ORGANIZATION, PROJECT, World, is_ready, simulator, until, world
from processes import free_port, reached, start_up
from setpoint.sim.hetzner import Fault

PROD = f"{PROJECT}/workspaces/prod"


async def test_progress_is_visible_while_a_workspace_is_made(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        w.sim.faults.add(Fault(kind="slow", method="POST", path="/firewalls", seconds=0.6))
        await w.plane.declare([*w.setting(), workspace()])
        under_way = await w.in_state(
            "workspaces", "prod", "PENDING", "workspace.create step 2 of 3: perimeter"
        )
        task = under_way["status"]["facts"]["task"]
        await w.all_ready("workspaces", 1)
        done = await w.plane.good("GET", f"{ORGANIZATION}/tasks/{task}")
        assert (done["state"], done["steps_done"]) == ("done", ["account", "perimeter", "verify"])
        assert [(e.verb, e.resource) for e in w.effects()] == [("create", "firewall")]


async def test_a_refused_perimeter_fails_with_a_reason_and_leaves_nothing(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        w.sim.faults.add(Fault(kind="error", method="POST", path="/firewalls", status=422))
        await w.plane.declare([*w.setting(), workspace()])
        await w.in_state("workspaces", "prod", "FAILED", "workspace.create failed: hetzner answered 422")
        assert (await tasks(w)) == [("workspace.create", "failed")]
        assert w.effects() == []


async def test_a_failure_in_the_middle_is_undone(tmp_path: Path) -> None:
    """The perimeter stands when the next call is refused, and so is the first try to take it down."""
    async with world(tmp_path) as w:
        w.sim.faults.add(Fault(kind="slow", method="POST", path="/firewalls", seconds=0.3))
        await w.plane.declare([*w.setting(), workspace()])
        await w.in_state("workspaces", "prod", "PENDING", "step 2 of 3: perimeter")
        refused = w.sim.faults.add(Fault(kind="error", method="GET", path="/firewalls", status=422))

        async def undoing() -> bool:
            return ("workspace.create", "undoing") in await tasks(w)

        await w.until(undoing, "the pipeline walks back")
        assert [(e.verb, e.resource) for e in w.effects()] == [("create", "firewall")]
        w.sim.faults.remove(refused)
        await w.in_state("workspaces", "prod", "FAILED", "workspace.create failed: hetzner answered 422")
        assert len(w.effects("create")) == len(w.effects("delete", "firewall")) == 1
        assert (await w.sim_call("GET", "/v1/firewalls"))["firewalls"] == []

        w.sim.faults.clear()
        await w.plane.good("PATCH", PROD, {"metadata": {"labels": {"again": "please"}}})
        await w.all_ready("workspaces", 1)
        assert len((await w.sim_call("GET", "/v1/firewalls"))["firewalls"]) == 1


async def test_a_workspace_is_deleted_with_all_that_is_inside(tmp_path: Path) -> None:
    async with world(tmp_path, park_seconds=0.0, sim={"max_agents": 0}) as w:
        await w.plane.declare([*w.setting(), workspace(), host("db"), group(1)])
        await w.in_state("hosts", "db", "READY")
        await w.in_state("hosts", "web-1", "PENDING", "waiting for its agent")
        refused = await w.plane.call("DELETE", PROD)
        assert (refused.status, "still holds" in refused.body["detail"]) == (409, True)
        await w.plane.good("DELETE", f"{PROD}?cascade=true")

        async def gone() -> bool:
            return await w.plane.every("workspaces") == [] and await w.plane.every("hosts") == []

        await w.until(gone, "the workspace and its hosts are gone")
        left = await w.sim_call("GET", "/_sim/state")
        assert (left["objects"]["servers"], left["objects"]["firewalls"]) == (0, 0)
        order = [(e.verb, e.resource) for e in w.effects("delete")]
        assert order == [("delete", "server")] * 2 + [("delete", "firewall")]


async def test_a_kill_in_the_middle_of_a_pipeline_is_resumed(tmp_path: Path) -> None:
    port = free_port()
    async with simulator() as (sim, url):
        slow = sim.faults.add(Fault(kind="slow", method="POST", path="/firewalls", seconds=0.5))
        process = await start_up(tmp_path, port)
        async with reached(tmp_path, process) as plane:
            await plane.declare([*setting(f"{url}/v1"), workspace()])

            async def made() -> bool:
                return any("perimeter" in one["status"]["reason"] for one in await plane.every("workspaces"))

            await until(made, "the perimeter is under way", plane.story)
            await asyncio.sleep(0.2)
            await process.kill()
        sim.faults.remove(slow)
        process = await start_up(tmp_path, port)
        try:
            async with reached(tmp_path, process) as plane:

                async def ready() -> bool:
                    return all(map(is_ready, await plane.every("workspaces")))

                await until(ready, "the workspace is made after all", plane.story)
                assert [(e.verb, e.resource) for e in sim.effects] == [("create", "firewall")]
                found = await plane.every("tasks")
                assert [(task["pipeline"], task["state"]) for task in found] == [("workspace.create", "done")]
        finally:
            await process.kill()


async def tasks(w: World) -> list[tuple[str, str]]:
    return [(task["pipeline"], task["state"]) for task in await w.plane.every("tasks")]
