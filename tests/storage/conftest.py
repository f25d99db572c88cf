"""The stores that every conformance test runs against."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from setpoint.engine.store import Store
from setpoint.storage.memory import MemoryStore
from setpoint.storage.sqlite import open_sqlite

# The conformance kit is a folder of plain modules beside this one, shared by whoever implements a protocol.
sys.path.insert(0, str(Path(__file__).parent.parent))
for kit in ("rows", "commits", "slots", "together", "queries", "remembered", "history"):
    pytest.register_assert_rewrite(f"conformance.store_{kit}")


@pytest.fixture(params=["memory", "sqlite"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    opened: Store = MemoryStore() if request.param == "memory" else await open_sqlite(tmp_path / "data")
    yield opened
    await opened.close()
