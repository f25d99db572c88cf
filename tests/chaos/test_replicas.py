"""Three replicas of each service on PostgreSQL, killed, paused and cut off: nothing lost, nothing doubled."""

import asyncio
import os
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random

import asyncpg  # type: ignore[import-untyped]
import pytest

from declarations import host, record, setting, workspace, zone
from fleet import Fleet, Member, fleet
from harness import AnyJson, is_ready, until
from setpoint.drive.fail_points import POINTS
from setpoint.engine.rows import Act

KILLS = int(os.environ.get("SETPOINT_KILLS", "20"))
EACH = 3
ZONES = ("a-example", "b-example", "c-example")
CONVERGED_WITHIN = 120.0


@dataclass
class Storm:
    """What was done to whom, and what was acknowledged meanwhile."""

    fleet: Fleet
    chance: Random
    done: Counter[str] = field(default_factory=Counter)
    acknowledged: list[AnyJson] = field(default_factory=list)

    async def blow(self, kills: int) -> None:
        while self.done["kill"] < kills:
            await asyncio.sleep(self.chance.uniform(0.0, 0.6))
            await self.strike()

    async def strike(self) -> None:
        victim = self.chance.choice(self.fleet.members)
        dice = self.chance.random()
        if dice < 0.65 or not victim.alive:
            await self._kill(victim)
        elif dice < 0.8:
            await self._pause(victim)
        elif dice < 0.97:
            await self._cut_off()
        else:
            await asyncio.to_thread(self.fleet.server.kill)
            self.fleet.server.start()
            self.done["postmaster kill"] += 1

    async def _kill(self, victim: Member) -> None:
        """At any moment; and every other scheduler comes back with a point at which it ends itself."""
        self.done["kill" if victim.alive else "ended itself"] += 1
        self.done["kill"] += 0 if victim.alive else 1
        await victim.kill()
        point = f"{self.chance.choice(POINTS)}:{self.chance.randint(1, 4)}"
        own = victim.service == "scheduler" and self.chance.random() < 0.5
        await victim.start({"SETPOINT_FAIL_AT": point} if own else {})

    async def _pause(self, victim: Member) -> None:
        """Sometimes longer than its lease."""
        victim.pause()
        seconds = self.chance.choice((0.5, 2.0, 9.0))
        asyncio.get_running_loop().call_later(seconds, victim.resume)
        self.done[f"pause {seconds:g} s"] += 1

    async def _cut_off(self) -> None:
        """A few connections end on the database's side."""
        try:
            session = await asyncpg.connect(self.fleet.database, timeout=5)
        except (OSError, asyncpg.PostgresError):
            return
        try:
            rows = await session.fetch(
                "SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
            )
            for row in self.chance.sample(rows, min(5, len(rows))):
                await session.execute("SELECT pg_terminate_backend($1)", row["pid"])
                self.done["connection kill"] += 1
        finally:
            await session.close()

    async def declare(self) -> None:
        """Declarations go on through all of it."""
        for number in range(10_000):
            name = ZONES[number % len(ZONES)]
            items = [host(f"db-{number}"), *(record(3 * number + each, zone=name) for each in range(3))]
            if await self.fleet.declare(items):
                self.acknowledged += items
            await asyncio.sleep(0.3)


@asynccontextmanager
async def declaring(storm: Storm) -> AsyncIterator[None]:
    work = asyncio.create_task(storm.declare())
    try:
        yield
        if work.done():
            await work
    finally:
        work.cancel()


@pytest.mark.timeout(1800)
async def test_nothing_is_lost_or_doubled_whoever_dies(tmp_path: Path) -> None:
    chance = Random(KILLS)  # noqa: S311 - moments and victims, the same in every run
    async with fleet(tmp_path, EACH, chance) as here:
        storm = Storm(here, chance)
        first = [*setting(here.sim.url), workspace(), *(zone(name) for name in ZONES)]
        await until(lambda: here.declare(first), "the setting is declared", partial(story, here), within=20)
        async with declaring(storm):
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
        assert member.process is not None
        await member.process.ready()


async def converged(here: Fleet) -> float:
    loop = asyncio.get_running_loop()
    began = loop.time()

    async def all_ready() -> bool:
        kinds = ("hosts", "dns_records", "dns_zones", "workspaces")
        return all([is_ready(one) for kind in kinds for one in await here.every(kind)])

    async def nothing_open() -> bool:
        return await all_ready() and not any(act.open for act in await here.acts())

    await until(nothing_open, "everything converged", partial(story, here), within=CONVERGED_WITHIN)
    return loop.time() - began


async def story(here: Fleet) -> str:
    return "\n".join(
        f"{member.service} {member.deaths} deaths: {member.process.output.read_text()[-500:]}"
        for member in here.members
        if member.process is not None
    )


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
    assert len({(act.shard, act.epoch) for act in acts}) > 1, "nobody ever took over"
    status, verdict = await here.call("GET", "/v1/organizations/acme/audit:verify")
    assert (status, verdict["intact"]) == (200, True), verdict


def under_a_dead_epoch(acts: list[Act]) -> list[Act]:
    """Acts that began when their shard had already acted under a later epoch."""
    newest: dict[str, int] = {}
    dead = []
    for act in acts:
        if act.epoch < newest.get(act.shard, 0):
            dead.append(act)
        newest[act.shard] = max(newest.get(act.shard, 0), act.epoch)
    return dead
