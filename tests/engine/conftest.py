"""The plant that most of these tests stand in."""

import pytest

from .plant import Plant


@pytest.fixture
async def plant() -> Plant:
    return await Plant().start()
