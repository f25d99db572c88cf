"""What can happen to a fleet: its processes die, sleep or lose their database."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random

import asyncpg  # type: ignore[import-untyped]

from declarations import host, record
from fleet import Fleet, Member
from harness import AnyJson
from setpoint.drive.fail_points import POINTS

ZONES = ("a-example", "b-example", "c-example")
BACKENDS = (
    "SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
)


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
            rows = await session.fetch(BACKENDS)
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


async def story(here: Fleet) -> str:
    return "\n".join(
        f"{member.service} {member.deaths} deaths: {member.process.output.read_text()[-500:]}"
        for member in here.members
        if member.process is not None
    )


@asynccontextmanager
async def meanwhile(*works: Coroutine[None, None, None]) -> AsyncIterator[None]:
    """They go on until the end; where one fails, so does whoever waits."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(work) for work in works]
        yield
        for task in tasks:
            task.cancel()
