"""The plant that most of these tests stand in."""

import pytest
from hypothesis import HealthCheck, settings

from .plant import Plant

# A busy machine is slow, not wrong: how long one example takes says nothing here.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


@pytest.fixture
async def plant() -> Plant:
    return await Plant().start()
