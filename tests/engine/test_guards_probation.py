"""On a new footing, or after a long silence, the first delete waits for two complete looks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from setpoint.engine.case import Case
from setpoint.engine.guards import judge
from setpoint.engine.ledger import Ledger
from setpoint.engine.limits import HOUR, Limits
from setpoint.engine.remember import next_ledger

from .situations import NOW, ZONE, case, creates, deletes, guards_of, ledger

DAY = 24 * HOUR


class Watch:
    """A domain that somebody looks at now and then, with one delete that is always wanted."""

    def __init__(self, **more: float) -> None:
        self.ledger = Ledger(ref=ZONE)
        self.footing = "first"
        self.now = NOW
        self.interval = more.pop("interval", 60.0)

    def look(self, after: float = 60.0) -> bool:
        """One pass so much later; whether the delete went."""
        self.now += after
        judged = self.case()
        verdict = judge(judged)
        self.ledger = next_ledger(judged, verdict, ())
        return bool(verdict.allowed)

    def case(self) -> Case:
        more = {"footing": self.footing, "interval": self.interval, "now": self.now}
        return case(deletes(1), ledger=self.ledger, **more)

    def until_it_goes(self, every: float) -> int:
        """How many looks it takes."""
        return next(count for count in range(1, 50) if self.look(every))


def test_the_third_look_deletes() -> None:
    watch = Watch()
    assert [watch.look() for _ in range(4)] == [False, False, True, True]


@pytest.mark.parametrize(
    ("gap", "looks"), [(4.9, 4), (5.0, 3), (5.1, 3), (60.0, 3), (HOUR, 3), (HOUR + 1, 4), (DAY, 4)]
)
def test_however_often_it_looks_a_loop_deletes_in_the_end(gap: float, looks: int) -> None:
    assert Watch().until_it_goes(every=gap) == looks


@given(st.floats(1.0, 100 * DAY))
def test_whatever_the_time_between_looks_a_regular_loop_is_let_go_within_ten(gap: float) -> None:
    assert Watch().until_it_goes(every=gap) <= 10


def test_a_loop_that_lives_by_a_long_interval_is_not_silent_between_two_looks() -> None:
    assert Watch(interval=DAY).until_it_goes(every=DAY) == 3


def test_a_plain_restart_holds_nothing() -> None:
    watch = Watch()
    watch.until_it_goes(60.0)
    assert watch.look(0.1)
    assert watch.look(HOUR / 2 - 60)


@pytest.mark.parametrize(("silence", "goes"), [(HOUR - 1, True), (HOUR, True), (HOUR + 1, False)])
def test_longer_than_an_hour_of_silence_is_a_new_footing(silence: float, goes: bool) -> None:
    watch = Watch()
    watch.until_it_goes(60.0)
    watch.ledger = replace(watch.ledger, looked_at=watch.now)
    assert watch.look(silence) == goes
    assert watch.until_it_goes(60.0) == (1 if goes else 2)


def test_after_a_silence_it_says_that_nobody_looked() -> None:
    watch = Watch()
    watch.until_it_goes(60.0)
    watch.now += 2 * HOUR
    assert "(nobody looked for long): 0 of 2" in judge(watch.case()).holds[0].message


@pytest.mark.parametrize(("intervals", "goes"), [(2.9, True), (3.0, True), (3.1, False)])
def test_of_a_slow_loop_three_intervals_are_a_silence(intervals: float, goes: bool) -> None:
    watch = Watch(interval=10 * HOUR)
    watch.until_it_goes(10 * HOUR)
    assert watch.look(intervals * 10 * HOUR) == goes


def test_a_new_footing_begins_probation_anew() -> None:
    watch = Watch()
    watch.until_it_goes(60.0)
    watch.footing = "second"
    hold = judge(watch.case()).holds[0]
    assert hold.message.startswith("on probation (new code, limits or switch): 0 of 2 complete looks")
    assert watch.until_it_goes(60.0) == 3


def test_while_it_rests_a_look_is_written_down_every_half_hour_only() -> None:
    watch = Watch()
    watch.until_it_goes(60.0)
    written = set()
    for _ in range(120):
        watch.look(60.0)
        written.add(watch.ledger.looked_at)
    assert 3 <= len(written) <= 5


@pytest.mark.parametrize(("since", "written"), [(HOUR / 2, False), (HOUR / 2 + 1, True)])
def test_half_an_hour_after_the_last_one_a_look_is_written_down_again(since: float, written: bool) -> None:
    judged = case(ledger=ledger(looked_at=NOW - since))
    assert (next_ledger(judged, judge(judged), ()).looked_at == NOW) == written


def test_a_look_that_came_too_soon_is_not_counted_and_costs_no_write() -> None:
    watch = Watch()
    watch.look()
    before = watch.ledger
    watch.look(4.9)
    assert watch.ledger == before


@pytest.mark.parametrize(("looks", "held"), [(0, True), (1, True), (2, False), (3, False)])
def test_two_looks_are_enough(looks: int, held: bool) -> None:
    judged = case(deletes(1), ledger=ledger(looks=looks))
    assert (guards_of(judged) == ["probation"]) == held


def test_probation_is_about_deletes_nobody_named() -> None:
    fresh = Ledger(ref=ZONE)
    assert guards_of(case(creates(1), ledger=fresh)) == []
    assert guards_of(case(deletes(1, explicit=True), ledger=fresh)) == []
    assert guards_of(case(deletes(1), ledger=fresh, deleting=True)) == []


def test_the_number_of_looks_can_be_set() -> None:
    limits = Limits(probation_looks=5)
    assert guards_of(case(deletes(1), ledger=ledger(looks=4), limits=limits)) == ["probation"]
    assert guards_of(case(deletes(1), ledger=ledger(looks=5), limits=limits)) == []
