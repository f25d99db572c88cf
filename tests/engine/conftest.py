"""The plant that most of these tests stand in."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from setpoint.storage.sqlite import open_sqlite

from .plant import Plant

# A busy machine is slow, not wrong: how long one example takes says nothing here.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


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
