"""The only real clock and the only real ids."""

import time
from itertools import pairwise

import pytest

from setpoint import system


def test_a_clock_that_is_set_anew_moves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    before, real = system.now(), time.time
    for jump in (3600.0, -3600.0):
        monkeypatch.setattr(time, "time", lambda jump=jump: real() + jump)
        assert 0.0 <= system.now() - before < 60.0
        assert system.new_id() < system.new_id()


def test_it_began_at_the_time_of_the_day() -> None:
    assert abs(system.now() - time.time()) < 60.0


def test_ids_rise_and_are_never_given_twice() -> None:
    ids = [system.new_id() for _ in range(10_000)]
    assert all(first < second for first, second in pairwise(ids))
    assert {len(each) for each in ids} == {20}


def test_secrets_are_long_and_never_the_same() -> None:
    assert len({system.new_secret() for _ in range(100)}) == 100
    assert len(system.new_secret()) >= 43
