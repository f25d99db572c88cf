"""23. Each provider account is governed: what a vendor allows is used and not overrun.

The governor itself: tests/providers/test_governor.py (6,000 records at 5 calls/s: no 429 after warm-up, at
least 95 % used), test_governor_rules.py, test_governor_sockets.py. Here: a pass comes back when told to.
"""

import pytest

from engine.plant import Plant
from setpoint.engine.errors import Transient


@pytest.mark.parametrize("seconds", [0.5, 42.0, 3_600.0])
async def test_a_pass_that_was_sent_away_comes_back_when_it_was_told_to(plant: Plant, seconds: float) -> None:
    ref = await plant.shelf({})
    plant.loop.blind = Transient("slow down", retry_after=seconds)
    assert await plant.run(ref) == seconds
    assert plant.loop.acts == []


async def test_removed_without_that_word_it_comes_back_too_soon(plant: Plant) -> None:
    ref = await plant.shelf({})
    plant.loop.blind = Transient("slow down")
    assert await plant.run(ref) < 2.0  # type: ignore[operator]
