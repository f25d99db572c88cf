"""The stage that these tests play on."""

import pytest

from .stage import Stage


@pytest.fixture
async def stage() -> Stage:
    return await Stage().set_up()
