"""Moments and stretches of time as sentences use them."""

import pytest

from setpoint.engine.moments import clock, span

NOON = 1_794_744_000.0  # 2026-11-15 12:00:00 UTC


@pytest.mark.parametrize(
    ("at", "words"),
    [
        (NOON - 58_778, "2026-11-14 19:40 UTC"),
        (NOON + 2.5, "12:00:02 UTC"),
        (NOON + 12 * 3600 - 1, "23:59:59 UTC"),
        (NOON + 12 * 3600, "2026-11-16 00:00 UTC"),
        (NOON + 7 * 86_400, "2026-11-22 12:00 UTC"),
    ],
)
def test_a_moment_that_is_not_today_has_its_date(at: float, words: str) -> None:
    assert clock(at, NOON) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-3.0, "0 s"),
        (2.6, "3 s"),
        (119.0, "119 s"),
        (120.0, "2 min"),
        (7_199.0, "119 min"),
        (7_200.0, "2 h"),
        (172_799.0, "47 h"),
        (172_800.0, "2 days"),
    ],
)
def test_a_stretch_of_time_is_said_in_the_largest_unit_that_says_enough(seconds: float, words: str) -> None:
    assert span(seconds) == words
