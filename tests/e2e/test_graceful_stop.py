"""SIGTERM: not ready, nothing new begins, what is under way is answered, out; agents wait for us."""

import asyncio
import json
import math
import time
from collections import Counter
from pathlib import Path

import aiohttp

from declarations import group, records, setting, workspace, zone
from harness import Plane, World, control_plane, is_ready, simulator, until
from processes import free_port, reached, start_up
from setpoint.engine.store import SIGNS
from setpoint.sim.hetzner import Fault

MANY = 60
NOT_READY = 503


async def test_a_stop_in_the_middle_of_acts_leaves_none_unanswered(tmp_path: Path) -> None:
    port = free_port()
    async with simulator() as (sim, url):
        slow = sim.faults.add(Fault(kind="slow", method="POST", path="/zones/*/rrsets", seconds=0.4))
        process = await start_up(tmp_path, port)
        async with reached(tmp_path, process) as plane:
            await plane.declare([*setting(f"{url}/v1"), zone(), *records(range(MANY))])

            async def under_way() -> bool:
                return len([e for e in sim.effects if e.resource == "rrset"]) >= 8

            await until(under_way, "8 records made", plane.story)
            process.terminate()
            seen, refused_at = await readiness(plane)
            assert await process.ended() == 0, process.output.read_text()
        assert seen[-1] == NOT_READY
        assert 200 not in seen[seen.index(NOT_READY) :]
        assert plane.open_acts() == []
        late = [act for act in plane.acts() if act.began_at > refused_at]
        assert late == [], "what is under way is ended; once it is not ready, nothing begins"
        sim.faults.remove(slow)
        await goes_on(tmp_path, port)
        made = Counter(e.name for e in sim.effects if (e.verb, e.resource) == ("create", "rrset"))
        assert made == {f"r{number}": 1 for number in range(MANY)}


async def goes_on(folder: Path, port: int) -> None:
    """Started again, it finishes what it had begun."""
    process = await start_up(folder, port)
    try:
        async with reached(folder, process) as plane:

            async def converged() -> bool:
                found = await plane.every("dns_records")
                return len(found) == MANY and all(map(is_ready, found))

            await until(converged, "all records READY after the restart", plane.story)
            assert plane.open_acts() == []
    finally:
        await process.kill()


async def test_agents_go_on_while_the_control_plane_is_away(tmp_path: Path) -> None:
    port = free_port()
    async with simulator() as (sim, url):
        async with control_plane(tmp_path, port=port) as (plane, run):
            w = World(sim, url, plane, run)
            await plane.declare([*setting(f"{url}/v1"), workspace(), group(2)])
            await w.all_ready("hosts", 2)
            await w.all_ready("agents", 2)
        before = await processes(w)
        w.mark()
        await asyncio.sleep(1.0)  # long enough for several heartbeats to find nobody
        async with control_plane(tmp_path, port=port) as (plane, run):
            back = World(sim, url, plane, run)
            beats = await heard(back)

            async def beating_again() -> bool:
                return all(moment > beats[name] for name, moment in (await heard(back)).items())

            await back.until(beating_again, "both agents heard from again")
            await back.all_ready("hosts", 2)
            assert await processes(w) == before
            assert await plane.events("agent.enrolment_repeated") == []
            assert w.effects() == []


async def readiness(plane: Plane) -> tuple[list[int], float]:
    """What /readyz answers until nobody answers any more, and when it first said that it is not ready."""
    seen: list[int] = []
    refused_at = math.inf
    while True:
        try:
            seen.append((await plane.call("GET", "/readyz")).status)
        except (OSError, aiohttp.ClientError):
            return seen, refused_at
        if seen[-1] == NOT_READY:
            refused_at = min(refused_at, time.time())
        await asyncio.sleep(0.02)


async def processes(w: World) -> list[tuple[str, int, bool]]:
    state = await w.sim_call("GET", "/_sim/state")
    return sorted((agent["server"], agent["pid"], agent["alive"]) for agent in state["agents"])


async def heard(w: World) -> dict[str, float]:
    """When each agent was last heard from."""
    refs = [one["metadata"]["ref"] for one in await w.plane.every("agents")]
    signs = await w.run.application.scheduling.store.read(SIGNS, refs=json.dumps(refs))
    return {sign.ref: sign.at for sign in signs}
