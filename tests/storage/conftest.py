"""The stores that every conformance test runs against."""

import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

import postgres
from setpoint.engine.store import Store
from setpoint.storage.memory import MemoryStore
from setpoint.storage.postgres import open_postgres
from setpoint.storage.sqlite import open_sqlite


@pytest.fixture(params=["memory", "sqlite", "postgres"])
async def store(request: pytest.FixtureRequest, quick_folder: Path) -> AsyncIterator[Store]:
    opened = await OPENED[request.param](quick_folder)
    yield opened
    await opened.close()


@pytest.fixture
def quick_folder() -> Iterator[Path]:
    """In memory where the system has such a place: nobody pulls the plug on these tests."""
    memory = Path("/dev/shm")  # noqa: S108 - made by tempfile, for us alone
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield Path(folder)


async def in_memory(_: Path) -> Store:
    return MemoryStore(time.time)


async def in_sqlite(folder: Path) -> Store:
    return await open_sqlite(folder / "data")


async def in_postgres(_: Path) -> Store:
    return await open_postgres(await postgres.emptied(), allow_unsafe=True)


OPENED = {"memory": in_memory, "sqlite": in_sqlite, "postgres": in_postgres}
