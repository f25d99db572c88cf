"""kill -9 again and again while a fleet converges and declarations go on: nothing doubled, nothing lost."""

import asyncio
import contextlib
import os
from collections import Counter
from pathlib import Path
from signal import SIGKILL

import aiohttp
import pytest

from chance import fresh_chance
from declarations import group, host, record, setting, workspace, zone
from harness import AnyJson, Plane, is_ready, until
from processes import Process, SimProcess, free_port, reached, sim_process, start_up
from setpoint.drive.fail_points import POINTS

KILLS = int(os.environ.get("SETPOINT_KILLS", "12"))
ZONES = ["a-example", "b-example", "c-example"]
GROUP = 1  # Its agent never starts: a second host would wait for the first to be well.
MANY = ("host", "dns_record")


@pytest.mark.timeout(1800)
async def test_kills_at_any_moment_double_and_lose_nothing(tmp_path: Path) -> None:
    chance = fresh_chance()
    port = free_port()
    acknowledged: list[AnyJson] = []
    async with sim_process(tmp_path) as sim:
        first = [*setting(sim.url), workspace(), group(GROUP), *(zone(name) for name in ZONES)]
        for number in range(KILLS):
            wanted = [*([] if acknowledged else first), *more(number)]
            # Every other time by itself, at a named point of the protocol; else at any moment.
            point = f"{chance.choice(POINTS)}:{chance.randint(1, 3)}" if number % 2 else ""
            process = await start_up(tmp_path, port, SETPOINT_FAIL_AT=point)
            if chance.random() < 0.1:
                await killed_after(process, chance.uniform(0.0, 0.6))  # before it is ready, often enough
            elif await declared_and_killed(tmp_path, process, wanted, chance.uniform(0.05, 1.2)):
                acknowledged += wanted
        process = await start_up(tmp_path, port)
        try:
            async with reached(tmp_path, process) as plane:
                await judge(plane, sim, acknowledged)
        finally:
            await process.kill()


async def declared_and_killed(folder: Path, process: Process, wanted: list[AnyJson], seconds: float) -> bool:
    """Whether the declaration was acknowledged before the process was killed, or ended itself."""
    try:
        async with reached(folder, process) as plane:
            killing = asyncio.create_task(killed_after(process, seconds))
            acknowledged = await declared(plane, wanted)
            await killing
    except AssertionError:
        assert process.process.returncode == -SIGKILL  # dead before it was ready
        return False
    return acknowledged


def more(number: int) -> list[AnyJson]:
    """What one round adds: a host and a few records in one of the zones."""
    name = ZONES[number % len(ZONES)]
    return [host(f"db-{number}"), *(record(3 * number + each, zone=name) for each in range(3))]


async def killed_after(process: Process, seconds: float) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await process.process.wait()
    await process.kill()


async def declared(plane: Plane, items: list[AnyJson]) -> bool:
    """Whether it was acknowledged; a connection cut by the kill says nothing."""
    try:
        await plane.declare(items)
    except (OSError, aiohttp.ClientError):
        return False
    return True


async def judge(plane: Plane, sim: SimProcess, acknowledged: list[AnyJson]) -> None:
    async def converged() -> bool:
        hosts = await plane.every("hosts")
        single = [one for one in hosts if one["metadata"]["name"].startswith("db-")]
        grouped = [one for one in hosts if one not in single]
        waiting = all("waiting for its agent" in one["status"]["reason"] for one in grouped)
        ready = all(
            map(is_ready, [*single, *await plane.every("dns_records"), *await plane.every("dns_zones")])
        )
        return ready and waiting and len(grouped) == GROUP and not plane.open_acts()

    await until(converged, "everything converged after the last restart", plane.story)
    hosts, records = await plane.every("hosts"), await plane.every("dns_records")
    there = {(one["kind"], one["metadata"]["name"]) for one in [*hosts, *records]}
    assert {(i["kind"], i["metadata"]["name"]) for i in acknowledged if i["kind"] in MANY} <= there
    servers = Counter(e.labels["setpoint/entity"] for e in sim.effects("create", "server"))
    assert servers == {one["metadata"]["ref"].replace("/", "."): 1 for one in hosts}
    rrsets = Counter((e.zone, e.name) for e in sim.effects("create", "rrset"))
    assert set(rrsets.values()) == {1}
    assert len(rrsets) == len(records)
    assert sim.effects("delete", "server") == sim.effects("delete", "rrset") == []
    assert len(sim.effects("create", "zone")) == len(ZONES)
    assert len(sim.effects("create", "firewall")) == 1
    verdict = await plane.good("GET", "/v1/organizations/acme/audit:verify")
    assert verdict["intact"], verdict
