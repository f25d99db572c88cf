"""The plant that most of these tests stand in."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from setpoint.storage.sqlite import open_sqlite

from .plant import Plant


@pytest.fixture
async def plant() -> Plant:
    return await Plant().start()


@pytest.fixture(params=["memory", "sqlite"])
async def kept(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Plant]:
    """A plant in memory, and one on disk: for what the store has a part in."""
    if request.param == "memory":
        yield await Plant().start()
        return
    store = await open_sqlite(tmp_path / "data")
    yield await Plant(store, folder=tmp_path / "data").start()
    await store.close()
