"""The stage that these tests play on."""

import pytest

from kinds.stage import Stage


@pytest.fixture
async def stage() -> Stage:
    return await Stage().set_up()
