"""Rows of a kilobyte into a store: durable one by one, durable together, or appended to a file."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from io import BufferedWriter
from pathlib import Path
from typing import Final

import msgspec

from bench.tests_path import reachable
from bench.trial import Counts, Trial
from setpoint.engine.entity import Ref, Status, canonical
from setpoint.engine.store import STATUSES, Change, Put, Store

BATCH: Final = 1_000
KILOBYTE: Final = 1_024
CALLERS: Final = 1_000  # Who commit at the same time, each its own row.

Rows = Sequence[Status]
Write = Callable[[Store, Rows], Awaitable[None]]


async def single(store: Store, rows: Rows) -> None:
    """Each row durable before the next is begun."""
    for row in rows:
        await store.commit(Change(writes=(Put(row),)))


async def batched(store: Store, rows: Rows) -> None:
    """Changes of a thousand rows."""
    for first in range(0, len(rows), BATCH):
        await store.commit(Change(writes=tuple(Put(row) for row in rows[first : first + BATCH])))


async def together(store: Store, rows: Rows) -> None:
    """Changes of one row, by a thousand who do not wait for each other."""
    for first in range(0, len(rows), CALLERS):
        await asyncio.gather(*(single(store, [row]) for row in rows[first : first + CALLERS]))


def sqlite_single(size: int) -> Trial:
    return _sqlite(single, size)


def sqlite_batched(size: int) -> Trial:
    return _sqlite(batched, size)


def sqlite_together(size: int) -> Trial:
    return _sqlite(together, size)


def postgres_single(size: int) -> Trial:
    return _postgres(single, size)


def postgres_batched(size: int) -> Trial:
    return _postgres(batched, size)


def postgres_together(size: int) -> Trial:
    return _postgres(together, size)


def file_append(size: int) -> Trial:
    """The floor: encoded rows through a buffer into a file, and one sync at the end."""
    return _file(size, each=False)


def file_synced(size: int) -> Trial:
    """What the disk itself takes: each row is on it before the next is written."""
    return _file(size, each=True)


def _file(size: int, *, each: bool) -> Trial:
    folder = Path(tempfile.mkdtemp(prefix="setpoint-bench-"))
    made = _rows_of(size)

    def run() -> list[Status]:
        rows = next(made)
        with (folder / "rows").open("wb") as file:
            for row in rows:
                file.write(canonical(row))
                if each:
                    _synced(file)
            _synced(file)
        return rows

    def counts(rows: list[Status]) -> Counts:
        return {"rows": (folder / "rows").stat().st_size // len(canonical(rows[0]))}

    return Trial(run, counts, size, close=lambda: shutil.rmtree(folder))


def _synced(file: BufferedWriter) -> None:
    file.flush()
    os.fdatasync(file.fileno())


@dataclass(slots=True)
class Place:
    """A store on an event loop of its own, and how to put it away."""

    runner: asyncio.Runner
    store: Store
    away: list[Callable[[], object]] = field(default_factory=list)

    def close(self) -> None:
        self.runner.run(self.store.close())
        self.runner.close()
        for each in self.away:
            each()


def _sqlite(write: Write, size: int) -> Trial:
    from setpoint.storage.sqlite import open_sqlite  # noqa: PLC0415

    folder, runner = Path(tempfile.mkdtemp(prefix="setpoint-bench-")), asyncio.Runner()
    return _trial(
        Place(runner, runner.run(open_sqlite(folder)), [lambda: shutil.rmtree(folder)]), write, size
    )


def _postgres(write: Write, size: int) -> Trial:
    reachable()
    import postgres  # noqa: PLC0415 - pytest and asyncpg are not everywhere
    from setpoint.storage.postgres import open_postgres  # noqa: PLC0415

    server, runner = postgres.started({}), asyncio.Runner()  # As it comes: fsync and all.
    try:
        runner.run(_answering(postgres, server))
        store = runner.run(open_postgres(server.url()))
    except BaseException:
        server.close()
        raise
    return _trial(Place(runner, store, [server.close]), write, size)


async def _answering(postgres: object, server: object) -> None:
    session = await postgres.admin_of(server)  # type: ignore[attr-defined]
    await session.close()


def _trial(place: Place, write: Write, size: int) -> Trial:
    made = _rows_of(size)

    def run() -> list[Status]:
        rows = next(made)
        place.runner.run(write(place.store, rows))
        return rows

    def counts(rows: list[Status]) -> Counts:
        asked = msgspec.json.encode([row.ref for row in rows]).decode()
        found = place.runner.run(place.store.read(STATUSES, refs=asked))
        wanted = {row.ref: row for row in rows}
        return {"rows": sum(wanted[row.ref] == row for row in found)}

    return Trial(run, counts, size, close=place.close)


def _rows_of(size: int) -> Iterator[list[Status]]:
    """New rows for each run, a kilobyte each as they are kept."""
    run = 0
    while True:
        run += 1
        yield [_row(f"{run:03d}{number:07d}") for number in range(size)]


def _row(number: str) -> Status:
    """What a pass writes about an entity."""

    def made(padding: str) -> Status:
        return Status(
            ref=Ref(f"dns_record/{number}"), reason="at the provider as declared", facts={"x": padding}
        )

    return made("x" * (KILOBYTE - len(canonical(made("")))))
