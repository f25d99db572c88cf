"""How loops fare: counted in little room, and told of by quantiles."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setpoint.drive.pulse import MOST_KEPT, MOST_PLACES, Beat, Pulse, counted, merged, quantile
from setpoint.engine.entity import Ref, Scope

SHOP = Scope("acme", "shop")
HOSTS = ("host", SHOP)


def test_the_last_pass_and_the_last_that_failed_are_known_by_place() -> None:
    pulse = Pulse()
    pulse.passed(HOSTS, 0.1, 10.0, failed=True)
    pulse.passed(HOSTS, 0.1, 20.0, failed=False)
    pulse.passed(("host", Scope("acme", "lab")), 0.1, 30.0, failed=False)
    found = {(beat.kind, beat.scope): (beat.at, beat.failed_at) for beat in pulse.beats()}
    assert found == {HOSTS: (20.0, 10.0), ("host", Scope("acme", "lab")): (30.0, 0.0)}


def test_where_there_are_too_many_places_the_quietest_is_forgotten() -> None:
    pulse = Pulse()
    for number in range(MOST_PLACES):
        pulse.passed(("host", Scope("acme", str(number))), 0.1, float(number), failed=False)
    pulse.passed(("host", Scope("acme", "0")), 0.1, 1e6, failed=False)
    pulse.passed(HOSTS, 0.1, 1e6, failed=False)
    left = {beat.scope.project for beat in pulse.beats()}
    assert len(left) == MOST_PLACES
    assert "1" not in left
    assert {"0", "shop"} <= left


@given(st.lists(st.floats(0.002, 300.0), min_size=1, max_size=200), st.sampled_from([0.5, 0.9, 0.99]))
def test_a_quantile_is_right_within_an_eighth(took: list[float], share: float) -> None:
    spread: dict[int, int] = {}
    for seconds in took:
        spread = counted(spread, seconds)
    ranked = sorted(took)
    exact = ranked[max(0, next(n for n in range(1, len(took) + 1) if n >= share * len(took)) - 1)]
    assert quantile(spread, share) == pytest.approx(exact, rel=0.125)


def test_what_took_long_an_hour_ago_is_outweighed_by_what_is_quick_now() -> None:
    spread: dict[int, int] = {}
    for _ in range(MOST_KEPT):
        spread = counted(spread, 30.0)
    for _ in range(3 * MOST_KEPT):
        spread = counted(spread, 0.01)
    median = quantile(spread, 0.5)
    assert median is not None
    assert median < 0.02
    assert sum(spread.values()) <= MOST_KEPT


def test_nothing_counted_has_no_quantile() -> None:
    assert quantile({}, 0.5) is None


def test_what_two_processes_tell_of_one_place_is_one_row() -> None:
    one = Beat(kind="host", scope=SHOP, at=5.0, spread={3: 1}, due=2, queue=(Ref("host/1"),))
    other = Beat(kind="host", scope=SHOP, at=9.0, failed_at=4.0, spread={3: 1, 8: 2}, due=1)
    assert merged((one, other)) == {
        HOSTS: Beat(
            kind="host", scope=SHOP, at=9.0, failed_at=4.0, spread={3: 2, 8: 2}, due=3, queue=(Ref("host/1"),)
        )
    }
