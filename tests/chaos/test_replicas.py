"""Three replicas of each service on PostgreSQL, killed, paused and cut off: nothing lost, nothing doubled."""

import asyncio
import os
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from chance import fresh_chance
from declarations import setting, workspace, zone
from fleet import Fleet, fleet
from harness import is_ready, until
from setpoint.engine.rows import Act

from .storm import ZONES, Storm, meanwhile, story

KILLS = int(os.environ.get("SETPOINT_KILLS", "20"))
ENOUGH = 100
EACH = 3
CONVERGED_WITHIN = 120.0


@pytest.mark.timeout(1800)
async def test_nothing_is_lost_or_doubled_whoever_dies(tmp_path: Path) -> None:
    chance = fresh_chance()
    async with fleet(tmp_path, EACH, chance) as here:
        storm = Storm(here, chance)
        first = [*setting(here.sim.url), workspace(), *(zone(name) for name in ZONES)]
        await until(lambda: here.declare(first), "the setting is declared", partial(story, here))
        async with meanwhile(storm.declare()):
            await storm.blow(KILLS)
        await healed(here)
        seconds = await converged(here)
        await judge(here, storm)
        print(f"\n{dict(storm.done)}; {len(storm.acknowledged)} acknowledged; converged in {seconds:.0f} s")  # noqa: T201


async def healed(here: Fleet) -> None:
    """Everybody is alive and well from now on."""
    for member in here.members:
        member.resume()
        await member.kill()
        await member.start()
    for member in here.members:
        await member.ready()


async def converged(here: Fleet) -> float:
    loop = asyncio.get_running_loop()
    began = loop.time()

    async def all_ready() -> bool:
        kinds = ("hosts", "dns_records", "dns_zones", "workspaces")
        found = [one for kind in kinds for one in await here.every(kind)]
        return all(map(is_ready, found))

    async def nothing_open() -> bool:
        return await all_ready() and not any(act.open for act in await here.acts())

    await until(nothing_open, "everything converged", partial(story, here), within=CONVERGED_WITHIN)
    return loop.time() - began


async def judge(here: Fleet, storm: Storm) -> None:
    hosts, records = await here.every("hosts"), await here.every("dns_records")
    there = {(one["kind"], one["metadata"]["name"]) for one in [*hosts, *records]}
    lost = {(item["kind"], item["metadata"]["name"]) for item in storm.acknowledged} - there
    assert lost == set()
    servers = Counter(effect.labels["setpoint/entity"] for effect in here.sim.effects("create", "server"))
    assert servers == {one["metadata"]["ref"].replace("/", "."): 1 for one in hosts}
    rrsets = Counter((effect.zone, effect.name) for effect in here.sim.effects("create", "rrset"))
    assert set(rrsets.values()) == {1}
    assert len(rrsets) == len(records)
    assert here.sim.effects("delete", "server") == here.sim.effects("delete", "rrset") == []
    assert len(here.sim.effects("create", "zone")) == len(ZONES)
    acts = await here.acts()
    assert under_a_dead_epoch(acts) == []
    # There is one account and so one shard with acts: a small dose may spare its owner.
    assert KILLS < ENOUGH or len({(act.shard, act.epoch) for act in acts}) > 1, "nobody ever took over"
    assert await here.audit()


def under_a_dead_epoch(acts: list[Act]) -> list[Act]:
    """Acts that began when their shard had already acted under a later epoch."""
    newest: dict[str, int] = {}
    dead = []
    for act in acts:
        if act.epoch < newest.get(act.shard, 0):
            dead.append(act)
        newest[act.shard] = max(newest.get(act.shard, 0), act.epoch)
    return dead
