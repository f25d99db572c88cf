"""Patience: longer after each failure, never for ever, never in step."""

import asyncio
import random

import pytest

from setpoint.storage.patience import Patience


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long each wait was; nobody really waits."""
    found: list[float] = []

    async def sleep(seconds: float) -> None:
        found.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    return found


async def test_the_wait_grows_to_two_seconds_and_starts_anew_after_a_success(slept: list[float]) -> None:
    patience = Patience(random.Random(7))  # noqa: S311 - jitter
    for _ in range(3000):
        patience.failed()
        await patience.wait()
    assert 0 < slept[0] <= 0.05
    assert all(0.9 < seconds <= 2.0 for seconds in slept[10:])
    assert len(set(slept)) > 1000
    patience.succeeded()
    patience.failed()
    await patience.wait()
    assert 0 < slept[-1] <= 0.05


async def test_nobody_waits_before_the_first_failure(slept: list[float]) -> None:
    await Patience(random.Random(7)).wait()  # noqa: S311 - jitter
    assert slept[0] <= 0
