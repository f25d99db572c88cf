"""The plant that these tests stand in."""

import pytest

from engine.plant import Plant


@pytest.fixture
async def plant() -> Plant:
    return await Plant().start()
