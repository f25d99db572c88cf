"""Nobody waits because of somebody else: tenants by turns, cost in proportion, looks spread out."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setpoint.engine.agenda import AGE_SECONDS, Agenda, resync_in
from setpoint.engine.entity import Ref
from setpoint.engine.rows import Lane

A = Ref("zone/a")
URGENCY = {lane: place for place, lane in enumerate(Lane)}


def many(number: int, tenant: str) -> list[Ref]:
    return [Ref(f"zone/{tenant}-{each:06d}") for each in range(number)]


@pytest.mark.parametrize("lane", Lane)
def test_tenants_have_their_turns_one_after_the_other(lane: Lane) -> None:
    agenda = Agenda()
    for tenant, number in (("acme", 6), ("bolt", 2), ("corn", 1)):
        for ref in many(number, tenant):
            agenda.wake(ref, lane, 0.0, tenant)
    turns = [due.tenant for _ in range(9) if (due := agenda.take(0.0)) is not None]
    assert turns == ["acme", "bolt", "corn", "acme", "bolt", "acme", "acme", "acme", "acme"]


class Workers:
    """So many at once, each turn a second long; time passes only here."""

    def __init__(self, agenda: Agenda, number: int, now: float) -> None:
        self.agenda, self.now, self.number = agenda, now, number
        self.under_way = self._taken()

    def turn(self) -> None:
        self.now += 1.0
        for ref in self.under_way:
            self.agenda.done(ref, self.now)
        self.under_way = self._taken()

    def turns_until(self, ref: Ref) -> int:
        for turns in range(100):
            if ref in self.under_way:
                return turns
            self.turn()
        raise AssertionError(f"{ref} waits for ever")

    def _taken(self) -> list[Ref]:
        found = (self.agenda.take(self.now) for _ in range(self.number))
        return [due.ref for due in found if due is not None]


@pytest.mark.parametrize("workers", [1, 4])
@pytest.mark.parametrize("lane", Lane)
def test_a_hundred_thousand_keys_of_a_tenant_delay_the_change_of_another_by_a_turn_of_each_worker(
    lane: Lane, workers: int
) -> None:
    agenda = Agenda()
    for ref in many(100_000, "big"):
        agenda.wake(ref, lane, 0.0, "big")
    busy = Workers(agenda, workers, now=3600.0)
    agenda.wake(A, lane, busy.now, "small")
    assert busy.turns_until(A) <= 1


@pytest.mark.parametrize("backlog", Lane)
@pytest.mark.parametrize("lane", Lane)
def test_an_old_backlog_in_another_lane_holds_nothing_up_for_longer_than_its_lane_allows(
    backlog: Lane, lane: Lane
) -> None:
    agenda = Agenda()
    for ref in many(1_000, "big"):
        agenda.wake(ref, backlog, 0.0, "big")
    busy = Workers(agenda, 1, now=3600.0)
    agenda.wake(A, lane, busy.now, "small")
    allowed = URGENCY[lane] * AGE_SECONDS if backlog is not lane else 0.0
    assert busy.turns_until(A) <= max(1.0, allowed)


def test_a_backlog_in_every_lane_delays_a_single_change_by_one_turn_a_lane() -> None:
    agenda, now = Agenda(), 3600.0
    for number, ref in enumerate(many(4_000, "big")):
        agenda.wake(ref, tuple(Lane)[number % 4], 0.0, "big")
    for _ in range(7):
        assert agenda.take(now) is not None
    agenda.wake(A, Lane.INTERACTIVE, now, "small")
    assert A in [due.ref for _ in range(4) if (due := agenda.take(now)) is not None]


class Counted(str):
    """A key that counts how often any of its sort is hashed or compared."""

    __slots__ = ()
    touched = 0

    def __hash__(self) -> int:
        Counted.touched += 1
        return super().__hash__()

    def __eq__(self, other: object) -> bool:
        Counted.touched += 1
        return super().__eq__(other)

    def __lt__(self, other: str) -> bool:
        Counted.touched += 1
        return super().__lt__(other)


def touches(number: int) -> int:
    """How often keys are touched to wake, take and finish so many of one tenant, beside a second tenant's."""
    agenda, Counted.touched = Agenda(), 0
    for ref in many(number, "big"):
        agenda.wake(Ref(Counted(ref)), Lane.EVENT, 0.0, "big")
    agenda.wake(A, Lane.EVENT, 0.0, "small")
    turns = 0
    while (due := agenda.take(0.0)) is not None:
        agenda.done(due.ref, 0.0)
        turns += 1
    assert turns == number + 1
    return Counted.touched


def test_ten_thousand_keys_cost_ten_times_as_much_as_a_thousand() -> None:
    few = touches(1_000)
    assert few > 1_000
    assert touches(10_000) < 15 * few


@given(st.integers(0, 10**6), st.floats(1.0, 86_400.0), st.floats(0.0, 1e9), st.floats(0.0, 0.999))
def test_the_next_look_comes_within_the_interval(key: int, every: float, now: float, chance: float) -> None:
    wait = resync_in(Ref(f"zone/{key}"), every, now, chance)
    assert every / 4 <= wait <= every * 1.000001


@given(st.integers(0, 10**6), st.lists(st.floats(0.0, 0.999), min_size=3, max_size=20))
def test_looks_that_follow_each_other_are_nearly_an_interval_apart(key: int, chances: list[float]) -> None:
    ref, now, every = Ref(f"zone/{key}"), 5_000.0, 60.0
    for chance in chances[:2]:
        now += resync_in(ref, every, now, chance)
    for chance in chances[2:]:
        wait = resync_in(ref, every, now, chance)
        assert 0.8 * every <= wait <= every * 1.000001
        now += wait


def test_keys_that_were_woken_together_are_looked_at_apart_from_the_next_time_on() -> None:
    every, now = 60.0, 7_000.0
    waits = [resync_in(ref, every, now, 0.5) for ref in many(6_000, "acme")]
    per_second = [sum(int(wait) == second for wait in waits) for second in range(60)]
    assert max(per_second) <= 3 * 6_000 / 60


def test_they_stay_apart_for_good() -> None:
    """However often all of them are woken together: the latest looks are spread over the whole interval."""
    every, chance, now = 60.0, Random(1), 7_000.0  # noqa: S311 - jitter
    looks = dict.fromkeys(many(3_000, "acme"), now)
    for _ in range(5):
        looks = {ref: at + resync_in(ref, every, at, chance.random()) for ref, at in looks.items()}
    places = [at % (every / 1.1) for at in looks.values()]
    assert max(sum(int(place) == second for place in places) for second in range(55)) <= 2 * 3_000 / 55


def test_two_looks_of_one_key_are_never_exactly_an_interval_apart() -> None:
    waits = {resync_in(A, 60.0, 7_000.0, chance / 100) for chance in range(100)}
    assert len(waits) == 100
    assert max(waits) - min(waits) == pytest.approx(0.099 * 60 / 1.1)
