"""The API dies under concurrent writes: what was acknowledged is there, and nothing is there by halves.

`test_replicas` and `tests/e2e/test_kills.py` kill whoever acts and count what the cloud saw. Here only those
who answer people die and nobody acts, but each write is told from every other: by its generation, by what it
said, and by its evidence.
"""

import asyncio
import os
from collections import Counter
from itertools import count
from pathlib import Path
from random import Random

import pytest

from chance import fresh_chance
from declarations import setting
from fleet import Fleet, alone, fleet
from harness import until

from .storm import story
from .writer import BULKS, Writer, Written, bulk, written

KILLS = int(os.environ.get("SETPOINT_KILLS", "4"))
WRITERS = 4
KIND = "notification_channel"


@pytest.mark.timeout(1800)
async def test_what_one_process_on_sqlite_acknowledged_survives_its_kills(tmp_path: Path) -> None:
    chance = fresh_chance()
    async with alone(tmp_path, chance) as here:
        await proven(here, chance)


@pytest.mark.timeout(1800)
async def test_what_either_replica_on_postgresql_acknowledged_survives_their_kills(tmp_path: Path) -> None:
    chance = fresh_chance()
    async with fleet(tmp_path, {"api": 2}, chance) as here:
        await proven(here, chance)


async def proven(here: Fleet, chance: Random) -> None:
    first = setting(here.sim.url)
    await until(lambda: here.declare(first), "the setting is declared", lambda: story(here))
    numbers = count(1)
    writers = [Writer(f"w{each}", here, numbers, chance) for each in range(WRITERS)]
    async with asyncio.TaskGroup() as group:
        for writer in writers:
            group.create_task(writer.write())
        await kill(here, chance)
        for writer in writers:
            writer.stop()
    found = {each.name: each for each in map(written, await here.every(f"{KIND}s"))}
    acknowledged = [each for writer in writers for each in writer.acknowledged]
    refused = {number for writer in writers for number in writer.refused}
    assert lost(acknowledged, found) == []
    assert otherwise(acknowledged, found) == []
    assert by_halves(found) == []
    assert [each for each in found.values() if each.number in refused] == []
    await evident(here, found)
    assert len(acknowledged) > KILLS, "nobody wrote anything"
    done = sum((writer.done for writer in writers), Counter[str]())
    print(f"\n{KILLS} kills, {len(acknowledged)} acknowledged, 0 lost, 0 by halves; {dict(done)}")  # noqa: T201


async def kill(here: Fleet, chance: Random) -> None:
    """At any moment; sometimes again before it is ready."""
    for _ in range(KILLS):
        victim = chance.choice(here.apis)
        await asyncio.sleep(chance.uniform(0.0, 0.6))
        await victim.kill()
        await victim.start()
        if chance.random() < 0.9:
            await victim.ready()
    for member in here.apis:
        await member.ready()


def lost(acknowledged: list[Written], found: dict[str, Written]) -> list[Written]:
    there = {name: each.generation for name, each in found.items()}
    return [each for each in acknowledged if there.get(each.name, 0) < each.generation]


def otherwise(acknowledged: list[Written], found: dict[str, Written]) -> list[Written]:
    """Those of the very generation that is there, but saying something else; and two of one generation."""
    said: dict[tuple[str, int], Written] = {(each.name, each.generation): each for each in found.values()}
    return [each for each in acknowledged if said.setdefault((each.name, each.generation), each) != each]


def by_halves(found: dict[str, Written]) -> list[str]:
    """Bulk declarations of which a part is there, or which say different numbers."""
    names = [f"w{writer}-{each}" for writer in range(WRITERS) for each in range(BULKS)]
    said = {name: {found[one].number if one in found else 0 for one in bulk(name)} for name in names}
    return [name for name, numbers in said.items() if len(numbers) > 1]


async def evident(here: Fleet, found: dict[str, Written]) -> None:
    """Every generation that ever was has its line in the audit chain, in order, and its event."""
    lines = [line for line in await here.audit() if line.ref.startswith(KIND)]
    proofs: dict[str, list[int]] = {}
    for line in lines:
        proofs.setdefault(line.detail["name"], []).append(line.detail["generation"])
    assert proofs == {name: [*range(1, each.generation + 1)] for name, each in found.items()}
    events = [event.ref for event in await here.events() if event.kind == KIND]
    assert Counter(events) == Counter(line.ref for line in lines)
