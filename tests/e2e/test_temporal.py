"""The whole control plane with its pipelines on a real Temporal server."""

from pathlib import Path

from declarations import setting, workspace
from harness import is_ready, until
from processes import free_port, reached, sim_process, start_up
from temporal import temporal_server


async def test_a_workspace_is_made_by_temporal_and_shown_as_any_other(tmp_path: Path) -> None:
    with temporal_server(tmp_path) as server:
        async with sim_process(tmp_path) as sim:
            process = await start_up(tmp_path, free_port(), SETPOINT_RUNNER=server.address)
            try:
                async with reached(tmp_path, process) as plane:
                    await plane.declare([*setting(sim.url), workspace()])

                    async def ready() -> bool:
                        return all(map(is_ready, await plane.every("workspaces")))

                    await until(ready, "the workspace is READY", plane.story)
                    [task] = await plane.every("tasks")
                    assert (task["pipeline"], task["state"]) == ("workspace.create", "done")
                process.terminate()
                assert await process.ended() == 0
            finally:
                await process.kill()
