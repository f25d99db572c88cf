"""One installation for all attacks of a session, on PostgreSQL too where SETPOINT_ATTACK=full says so."""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import postgres

from .kit import Installation, hetzner, on_postgres, on_sqlite

STORES = ("sqlite", "postgres") if os.environ.get("SETPOINT_ATTACK") == "full" else ("sqlite",)


@pytest.fixture(scope="session", params=STORES)
def installation(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Installation]:
    """Shared by all tests: each makes organizations of its own."""
    folder = tmp_path_factory.mktemp("installation")
    if request.param == "sqlite":
        with on_sqlite(folder) as found:
            yield found
    else:
        with on_postgres(folder, asyncio.run(postgres.database())) as found:
            yield found


@pytest.fixture
def cloud(tmp_path: Path) -> Iterator[str]:
    """A simulated cloud of its own."""
    with hetzner(tmp_path) as url:
        yield url
