"""Tasks of five steps while their workers are killed: every one ends, and no effect is missing.

The full run, on every store: `SETPOINT_TASKS=500 SETPOINT_KILLS=50 pytest -s --timeout 3600` with this file.
"""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

import postgres
from kinds.stage import KINDS
from runners.crew import Crew
from runners.worker_process import NAMES, opened, pipeline
from setpoint import system
from setpoint.drive.runtime import RealRuntime
from setpoint.engine.declare import Declarer
from setpoint.engine.draft import Author, Declaration
from setpoint.engine.entity import Ref, Scope, kind_of
from setpoint.engine.rows import Task, TaskState, Wake
from setpoint.engine.store import TASKS_OPEN, WAKES_AFTER, Change, Drop, Put, Store
from temporal import TemporalServer, temporal_server

TASKS = int(os.environ.get("SETPOINT_TASKS", "20"))
KILLS = int(os.environ.get("SETPOINT_KILLS", "3"))
FULL = "SETPOINT_KILLS" in os.environ
SERVER_KILLS = 3
"""Every so many kills of a worker, one of the Temporal server."""
WORKERS = 3 if FULL else 2
"""On PostgreSQL; SQLite lets one in."""
STORES = {
    "embedded": ["sqlite", "postgres"] if FULL else ["sqlite"],
    "temporal": ["sqlite", "postgres"] if FULL else ["postgres"],
}
STALLED_SECONDS = 60.0
ANN = Author(actor="ann", organization="acme")


@pytest.fixture
def fragile(tmp_path: Path) -> Iterator[TemporalServer]:
    """A server that may be killed."""
    with temporal_server(tmp_path) as up:
        yield up


@asynccontextmanager
async def watched(place: str) -> AsyncIterator[Store]:
    """The workers' store, for whoever asks and watches."""
    store = await opened(place, enforcing=False)
    try:
        yield store
    finally:
        await store.close()


async def on_sqlite(folder: Path) -> str:
    return str(folder / "data")


async def on_postgres(_: Path) -> str:
    return await postgres.database()


PLACES = {"sqlite": on_sqlite, "postgres": on_postgres}


async def asked(store: Store) -> list[Task]:
    """Tasks on a few targets, so that every worker gets some."""
    declarer = Declarer(store, KINDS, RealRuntime(system.now, system.new_id, system.new_random()))
    organization = Declaration(kind="organization", scope=Scope(), name="acme", spec={})
    projects = [
        Declaration(kind="project", scope=Scope("acme"), name=f"shop-{number}", spec={})
        for number in range(12)
    ]
    rows = await declarer.declare((organization, *projects), ANN)
    tasks = [
        Task(
            id=system.new_id(),
            pipeline=pipeline().name,
            target=rows[1 + number % len(projects)].ref,
            key=f"{number}",
            organization="acme",
            asked_by="ann",
        )
        for number in range(TASKS)
    ]
    wakes = [Wake(id=system.new_id(), ref=Ref(f"task/{task.id}"), reason="asked") for task in tasks]
    await store.commit(Change(writes=tuple(Put(row) for row in (*tasks, *wakes))))
    return tasks


async def killed(crew: Crew, server: TemporalServer | None, number: int) -> None:
    """A worker, in the middle of the work that is left; now and then the server too."""
    await crew.kill()
    if server is not None and number % SERVER_KILLS == 0:
        server.kill()
        await asyncio.to_thread(server.start)


async def heeded(store: Store) -> None:
    """What a scheduler does: whoever was woken is seen to, and no pile of wakes slows the workers down."""
    wakes = [
        wake for wake in await store.read(WAKES_AFTER, after="", limit=1_000) if kind_of(wake.ref) != "task"
    ]
    if wakes:
        await store.commit(Change(writes=tuple(Drop(Wake, wake.id) for wake in wakes)))


async def seen_through(store: Store, crew: Crew, server: TemporalServer | None) -> None:
    """Kills are spread evenly over the effects, however quick or slow the machine is."""
    effects, kills, stalled_at = 0, 0, time.monotonic() + STALLED_SECONDS
    while await store.read(TASKS_OPEN):
        crew.check()
        await heeded(store)
        heard = len(crew.effects())
        if heard > effects:
            effects, stalled_at = heard, time.monotonic() + STALLED_SECONDS
        assert time.monotonic() < stalled_at, f"nothing happens after {effects} effects and {kills} kills"
        if kills < KILLS and effects >= (kills + 1) * TASKS * len(NAMES) // (KILLS + 1):
            kills += 1
            await killed(crew, server, kills)
        await asyncio.sleep(0.02)
    assert kills > KILLS // 2, f"all was done after {kills} of {KILLS} kills"


@pytest.mark.parametrize("store", STORES["embedded"])
async def test_embedded(store: str, tmp_path: Path) -> None:
    await every_task_ends("embedded", await PLACES[store](tmp_path), tmp_path)


@pytest.mark.parametrize("store", STORES["temporal"])
async def test_temporal(store: str, tmp_path: Path, fragile: TemporalServer) -> None:
    await every_task_ends(fragile.address, await PLACES[store](tmp_path), tmp_path, fragile)


async def every_task_ends(
    runner: str, place: str, folder: Path, server: TemporalServer | None = None
) -> None:
    workers = WORKERS if place.startswith("postgresql") else 1
    async with watched(place) as store:
        tasks, began = await asked(store), time.monotonic()
        async with Crew(folder, (runner, place, system.new_id())).at_work(workers) as crew:
            await seen_through(store, crew, server)
        seconds, told = time.monotonic() - began, crew.effects()
        ends = [await store.get(Task, task.id) for task in tasks]
    assert {end and end.state for end in ends} == {TaskState.DONE}
    assert {str(end and end.saved["effects"]) for end in ends} == {str(list(NAMES))}
    assert set(told) == {f"{task.id}/{name}" for task in tasks for name in NAMES}
    repeats = told.total() - len(told)
    print(  # noqa: T201 - the figures of a full run
        f"\n{TASKS} tasks, {KILLS} kills: {seconds:.1f} s, {TASKS / seconds:.1f} tasks/s, {repeats} repeats"
    )
