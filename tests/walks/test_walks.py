"""Five walks, one per shape of kind: the functions that each page in docs/walks names are the ones passed."""

import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from declarations import group, host, record, workspace, zone
from harness import World, world
from trail import trail

PAGES = Path(__file__).parent.parent.parent / "docs" / "walks"
NAMED = re.compile(r"`([a-z_]+(?:\.[A-Za-z_]+){2,})`")


async def a_record_is_declared(w: World) -> None:
    await w.plane.declare([*w.setting(), zone()])
    await w.all_ready("dns_zones", 1)
    async with Watched(w):
        await w.plane.declare([record(1)], "records")
        await w.all_ready("dns_records", 1)
        await w.plane.declare([], "records", prune=True)
        held = await w.in_state("dns_zones", "example-org", "HELD")
        assert held["status"]["plan"]


async def a_host_is_made_slowly(w: World) -> None:
    await w.plane.declare([*w.setting(), workspace()])
    await w.all_ready("workspaces", 1)
    async with Watched(w):
        await w.plane.declare([host("web-1", agent=True)])
        await w.all_ready("hosts", 1)
        path = "/v1/organizations/acme/projects/shop/workspaces/prod/hosts/web-1"
        await w.plane.good("DELETE", path)
        await w.in_state("hosts", "web-1", "PENDING", "parked until")


async def an_agent_falls_silent(w: World) -> None:
    await w.plane.declare([*w.setting(), workspace(), group(1)])
    (one,) = await w.all_ready("hosts", 1)
    async with Watched(w):
        await w.sim.behind.kill_agent(one["status"]["facts"]["server"])
        await w.in_state("hosts", "web-1", "DEGRADED", "no heartbeat since")
        await w.sim.behind.start_agent(one["status"]["facts"]["server"])
        await w.all_ready("hosts", 1)


async def a_workspace_is_made_by_a_pipeline(w: World) -> None:
    await w.plane.declare(w.setting())
    await w.all_ready("providers", 1)
    async with Watched(w):
        await w.plane.declare([workspace()])
        await w.all_ready("workspaces", 1)


async def something_is_watched(w: World) -> None:
    await w.plane.declare(w.setting())
    target = {"probe": "http", "target": f"{w.sim_url}/nothing-here", "raise_after": 2}
    condition = {"parameter": "http_status", "operator": "==", "threshold": 200}
    spec = {**target, "conditions": [condition], "channels": ["hooks"]}
    hooks = {"url": f"{w.sim_url}/hook", "secret": "secret://hetzner"}
    async with Watched(w):
        await w.plane.declare(
            [
                {"kind": "notification_channel", "metadata": {"name": "hooks"}, "spec": hooks},
                {"kind": "monitoring_object", "metadata": {"name": "page", "project": "shop"}, "spec": spec},
            ]
        )
        await w.in_state("monitoring_objects", "page", "DEGRADED", "http_status")

        async def tried() -> bool:
            return any(task["state"] != "queued" for task in await w.plane.every("tasks"))

        await w.until(tried, "a delivery that was tried")


class Watched:
    """Notes every function of ours that runs meanwhile, for the page to be compared with."""

    def __init__(self, w: World) -> None:
        self._w = w
        self._trail = trail()

    async def __aenter__(self) -> None:
        self.passed = self._trail.__enter__()

    async def __aexit__(self, *_: object) -> None:
        self._trail.__exit__(None, None, None)
        PASSED[id(self._w)] = self.passed


PASSED: dict[int, list[str]] = {}


@pytest.mark.parametrize(
    ("page", "walk"),
    [
        ("a-record-is-declared", a_record_is_declared),
        ("a-host-is-made-slowly", a_host_is_made_slowly),
        ("an-agent-falls-silent", an_agent_falls_silent),
        ("a-workspace-is-made-by-a-pipeline", a_workspace_is_made_by_a_pipeline),
        ("something-is-watched", something_is_watched),
    ],
)
async def test_a_walk_passes_the_functions_its_page_names(
    page: str, walk: Callable[[World], Awaitable[None]], tmp_path: Path
) -> None:
    async with world(tmp_path, {"action_seconds": 0.1}, intervals={"monitoring_object": 0.3}) as w:
        await walk(w)
        passed = PASSED.pop(id(w))
    named = NAMED.findall((PAGES / f"{page}.md").read_text())
    assert named, "the page names no function"
    assert [name for name in named if name not in passed] == []
