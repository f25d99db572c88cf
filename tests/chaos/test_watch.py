"""A watcher is cut off again and again, and its API killed: it hears of everything, once, and in order."""

import asyncio
import contextlib
import os
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from random import Random

import pytest

from chance import fresh_chance
from declarations import channel, record, setting, zone
from fleet import Fleet, alone, fleet
from harness import AnyJson, until
from setpoint.client.connection import Connection
from setpoint.client.endpoint import Endpoint
from setpoint.client.errors import Unreachable
from setpoint.client.resource import Happening
from setpoint.client.stream import Stream

from .gateway import Gateway
from .storm import meanwhile, story

ROUNDS = int(os.environ.get("SETPOINT_ROUNDS", "5"))
EVENTS = "/v1/organizations/acme/events"
RECORDS = 8
SIZES = (*(1,) * 12, *(4,) * 7, 250)
"""How much is declared at once; the largest is more than the API reads of its events at once."""
SOON = 20.0


@dataclass
class Watcher:
    """Who follows through the gateway."""

    stream: Stream
    seen: list[Happening] = field(default_factory=list)

    @property
    def last(self) -> int:
        return self.seen[-1].revision if self.seen else 0

    async def goes_on(self, last: int) -> bool:
        return self.last > last

    async def follow(self) -> None:
        while True:
            if happened := await asyncio.to_thread(self.stream.next, 0.1):
                self.seen.append(happened)


@pytest.mark.timeout(1800)
async def test_a_watch_of_one_process_on_sqlite_loses_and_repeats_nothing(tmp_path: Path) -> None:
    chance = fresh_chance()
    async with alone(tmp_path, chance) as here:
        await proven(here, chance)


@pytest.mark.timeout(1800)
async def test_a_watch_of_either_replica_on_postgresql_loses_and_repeats_nothing(tmp_path: Path) -> None:
    chance = fresh_chance()
    async with fleet(tmp_path, {"api": 2, "scheduler": 1}, chance) as here:
        await proven(here, chance)


async def proven(here: Fleet, chance: Random) -> None:
    first = [*setting(here.sim.url), zone(), *(record(number) for number in range(RECORDS))]
    await until(lambda: here.declare(first), "the setting is declared", lambda: story(here), within=SOON)
    gateway = Gateway(here.apis, chance, ROUNDS)
    declared: list[AnyJson] = []
    async with gateway.serving() as url, watching(url, here) as watcher:
        async with meanwhile(declare(here, chance, declared)):
            await gateway.enough.wait()
        for member in here.apis:
            await member.ready()
        await judge(here, watcher, declared)
    print(  # noqa: T201
        f"\n{gateway.done['rounds']} rounds, {gateway.done['kills']} kills, {len(watcher.seen)} events, "
        f"0 lost, 0 repeated, {len(declared)} acknowledged"
    )


@contextlib.asynccontextmanager
async def watching(url: str, here: Fleet) -> AsyncIterator[Watcher]:
    """From the very first event on."""
    token = here.session.headers["Authorization"].removeprefix("Bearer ")

    async def opened() -> Stream | None:
        with contextlib.suppress(Unreachable):  # The first connection may be cut off as any other.
            return await asyncio.to_thread(Stream, Connection(Endpoint(url, token)), EVENTS, "0")
        return None

    watcher = Watcher(await until(opened, "a watch begins", lambda: story(here), within=SOON))
    try:
        async with meanwhile(watcher.follow()):
            yield watcher
    finally:
        await asyncio.to_thread(watcher.stream.close)


async def declare(here: Fleet, chance: Random, declared: list[AnyJson]) -> None:
    """Declarations go on through all of it: some make work for the scheduler, some come many at once."""
    for number in count():
        names = [f"c{number}-{each}" for each in range(chance.choice(SIZES))]
        value = f"192.0.2.{number % 250 + 1}"
        items = [record(number % RECORDS, value), *(channel(name) for name in names)]
        if await here.declare(items):
            declared += items
        await asyncio.sleep(0.1)


async def judge(here: Fleet, watcher: Watcher, declared: list[AnyJson]) -> None:
    truth = [(event.revision, event.type, event.ref) for event in await here.events()]
    newest = truth[-1][0]
    while (last := watcher.last) < newest:
        what = f"the watcher hears more than {last} of {newest}"
        await until(partial(watcher.goes_on, last), what, lambda: story(here), within=SOON)
    # The scheduler goes on: what came after the truth was read is not in it.
    seen = [(each.revision, each.type, each.ref) for each in watcher.seen if each.revision <= newest]
    assert set(truth) - set(seen) == set(), "lost"
    assert [what for what, often in Counter(seen).items() if often > 1] == [], "repeated"
    assert seen == truth
    told = {each.object.name for each in watcher.seen if each.object is not None}
    assert {item["metadata"]["name"] for item in declared} - told == set(), "acknowledged, and never told"
