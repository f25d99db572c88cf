"""Every replica is stopped and started again, one after the other, while declarations go on."""

import asyncio
import os
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from declarations import record, setting, workspace, zone
from fleet import Fleet, fleet
from harness import is_ready, until
from setpoint.engine.plan import Verb
from setpoint.engine.rows import ActState

from .storm import meanwhile, story

EACH = int(os.environ.get("SETPOINT_REPLICAS", "2"))
A_SECOND = 15
ZONES = tuple(f"{letter}-example" for letter in "abcdefgh")


@pytest.mark.timeout(600)
async def test_nobody_notices_a_rolling_restart(tmp_path: Path) -> None:
    chance = Random(7)  # noqa: S311 - which replica is asked
    async with fleet(tmp_path, EACH, chance) as here:
        first = [*setting(here.sim.url), workspace(), *(zone(name) for name in ZONES)]
        await until(lambda: here.declare(first), "the setting is declared", lambda: story(here))
        acknowledged: list[str] = []
        async with meanwhile(declare(here, acknowledged)):
            for member in here.members:
                assert await member.stop() == 0
                await member.start()
                await member.ready()
        await until(lambda: all_ready(here), "everything converged", lambda: story(here), within=120)
        records = {one["metadata"]["name"] for one in await here.every("dns_records")}
        assert set(acknowledged) - records == set()
        made = Counter((e.zone, e.name) for e in here.sim.effects("create", "rrset"))
        acts = [a for a in await here.acts() if a.verb is Verb.CREATE and a.state is ActState.DONE]
        assert (len(made), set(made.values())) == (len(records), {1})
        assert set(Counter((act.domain, act.item) for act in acts).values()) == {1}
        print(f"\n{len(here.members)} restarts, {len(acknowledged)} acknowledged, each made once")  # noqa: T201


async def declare(here: Fleet, acknowledged: list[str]) -> None:
    """So many a second, whoever answers."""
    async with asyncio.TaskGroup() as group:
        for number in range(100_000):
            group.create_task(one(here, number, acknowledged))
            await asyncio.sleep(1 / A_SECOND)


async def one(here: Fleet, number: int, acknowledged: list[str]) -> None:
    item = record(number, zone=ZONES[number % len(ZONES)])
    if await here.declare([item]):
        acknowledged.append(item["metadata"]["name"])


async def all_ready(here: Fleet) -> bool:
    return all(is_ready(one) for one in await here.every("dns_records"))
