"""Who is due, in a few stories told one by one."""

import pytest

from setpoint.engine.agenda import AGE_SECONDS, SLOT_SECONDS, Agenda, Due
from setpoint.engine.entity import Ref
from setpoint.engine.rows import Lane

A, B = Ref("zone/a"), Ref("zone/b")


def taking(agenda: Agenda, now: float) -> Ref | None:
    due = agenda.take(now)
    return None if due is None else due.ref


def test_one_key_has_one_pass_at_a_time_and_runs_again_if_woken_meanwhile() -> None:
    agenda = Agenda()
    agenda.wake(A, Lane.EVENT, 0.0)
    assert taking(agenda, 0.0) == A
    agenda.wake(A, Lane.RETRY, 0.0)
    agenda.wake(A, Lane.INTERACTIVE, 0.0)
    assert taking(agenda, 0.0) is None
    agenda.done(A, 0.0)
    assert [taking(agenda, 0.0), taking(agenda, 0.0)] == [A, None]


def test_the_earlier_of_two_timers_wins() -> None:
    agenda = Agenda()
    for when in (10.0, 5.0, 20.0):
        agenda.at(A, when)
    assert [taking(agenda, 4.9), taking(agenda, 5.1), agenda.next_at()] == [None, A, None]
    agenda.done(A, 5.1)
    assert (taking(agenda, 30.0), agenda.next_at()) == (None, None)


def test_a_timer_never_rings_early_and_at_most_one_slot_late() -> None:
    agenda = Agenda()
    agenda.at(A, 7.0)
    due = agenda.next_at()
    assert due is not None
    assert 7.0 <= due < 7.0 + 1.01 * SLOT_SECONDS


def test_a_timer_that_rings_during_its_own_pass_runs_it_again() -> None:
    agenda = Agenda()
    agenda.wake(A, Lane.EVENT, 0.0)
    assert taking(agenda, 0.0) == A
    agenda.at(A, 1.0)
    assert taking(agenda, 2.0) is None
    agenda.done(A, 2.0)
    assert taking(agenda, 2.0) == A


@pytest.mark.parametrize(("first", "second"), [(Lane.RESYNC, Lane.INTERACTIVE), (Lane.RETRY, Lane.EVENT)])
def test_the_more_urgent_lane_goes_first(first: Lane, second: Lane) -> None:
    agenda = Agenda()
    agenda.wake(A, first, 0.0)
    agenda.wake(B, second, 0.1)
    assert [taking(agenda, 0.2), taking(agenda, 0.2)] == [B, A]


def test_a_key_that_is_woken_more_urgently_moves_up_and_never_down() -> None:
    agenda = Agenda()
    agenda.wake(A, Lane.EVENT, 0.0)
    agenda.wake(B, Lane.RESYNC, 0.0)
    agenda.wake(B, Lane.INTERACTIVE, 0.0)
    agenda.wake(B, Lane.RESYNC, 0.0)
    assert len(agenda) == 2
    assert [taking(agenda, 0.0), taking(agenda, 0.0)] == [B, A]


def test_the_least_urgent_is_served_however_much_is_urgent() -> None:
    agenda = Agenda()
    agenda.wake(A, Lane.RESYNC, 0.0)
    taken: list[Ref | None] = []
    for step in range(100):
        now = step * 0.1
        agenda.wake(Ref(f"host/{step}"), Lane.INTERACTIVE, now)
        taken.append(taking(agenda, now))
    assert A in taken
    assert taken.index(A) * 0.1 <= 3 * AGE_SECONDS + 0.2


def test_an_overload_of_urgent_work_starves_nobody() -> None:
    agenda = Agenda()
    agenda.wake(A, Lane.RESYNC, 0.0)
    taken: list[Ref | None] = []
    for step in range(200):
        now = step * 0.1
        for each in range(2):
            agenda.wake(Ref(f"host/{step}.{each}"), Lane.INTERACTIVE, now)
        taken.append(taking(agenda, now))
    assert A in taken


def test_what_asked_to_be_looked_at_again_goes_before_what_is_merely_due() -> None:
    agenda = Agenda()
    agenda.at(A, 1.0)
    agenda.at(B, 1.0, Lane.RETRY)
    assert (taking(agenda, 2.0), taking(agenda, 2.0)) == (B, A)


def test_what_is_taken_says_its_lane_and_whose_it_is() -> None:
    agenda = Agenda()
    agenda.wake(A, Lane.INTERACTIVE, 0.0, "acme")
    agenda.at(B, 1.0, Lane.RETRY, "bolt")
    assert agenda.take(0.0) == Due(A, Lane.INTERACTIVE, "acme")
    assert agenda.take(2.0) == Due(B, Lane.RETRY, "bolt")


def test_whose_a_key_is_is_remembered_from_a_timer_a_queue_and_a_pass() -> None:
    agenda = Agenda()
    agenda.at(A, 9.0, Lane.RESYNC, "acme")
    agenda.wake(A, Lane.EVENT, 0.0)
    agenda.wake(A, Lane.INTERACTIVE, 0.0)
    assert agenda.take(0.0) == Due(A, Lane.INTERACTIVE, "acme")
    agenda.wake(A, Lane.EVENT, 0.0)
    agenda.done(A, 0.0)
    assert agenda.take(0.0) == Due(A, Lane.EVENT, "acme")
