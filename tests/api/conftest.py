"""Two worlds: the API alone for each test, and one that the tests of a module share."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from .kit import Api, settled, still


@pytest.fixture
async def api(tmp_path: Path) -> AsyncIterator[Api]:
    """The API alone, with everything declared that the examples name."""
    async with still(tmp_path) as api:
        assert (await api.declare(*settled())).status == 200
        yield api


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Api]:
    """The same for tests that leave each other alone by using names of their own."""
    async with still(tmp_path_factory.mktemp("shared")) as api:
        assert (await api.declare(*settled())).status == 200
        yield api
