"""Who is due: held against a naive model, and a few stories told one by one."""

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from setpoint.engine.agenda import AGE_SECONDS, SLOT_SECONDS, Agenda
from setpoint.engine.entity import Ref
from setpoint.engine.rows import Lane

KEYS = st.sampled_from([Ref(f"zone/{name}") for name in "abcdef"])
LANES = st.sampled_from(Lane)
URGENCY = {lane: place for place, lane in enumerate(Lane)}


class Model:
    """The same promises, in the slowest and plainest way: three lists, searched whole."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Ref, Lane, float]] = []
        self.timers: dict[Ref, int] = {}
        self.running: dict[Ref, Lane | None] = {}

    def wake(self, ref: Ref, lane: Lane, now: float) -> None:
        if ref in self.running:
            known = self.running[ref]
            self.running[ref] = lane if known is None else min(lane, known, key=URGENCY.__getitem__)
            return
        held = next((entry for entry in self.waiting if entry[0] == ref), None)
        if held is None or URGENCY[lane] < URGENCY[held[1]]:
            self.waiting = [entry for entry in self.waiting if entry != held]
            self.waiting.append((ref, lane, now))

    def at(self, ref: Ref, when: float) -> None:
        slot = int(when / SLOT_SECONDS) + 1
        self.timers[ref] = min(slot, self.timers.get(ref, slot))

    def ripen(self, now: float) -> None:
        due = sorted((slot, ref) for ref, slot in self.timers.items() if slot * SLOT_SECONDS <= now)
        for _, ref in due:
            del self.timers[ref]
            self.wake(ref, Lane.RESYNC, now)

    def take(self, now: float) -> Ref | None:
        self.ripen(now)
        if not self.waiting:
            return None
        places = {entry: place for place, entry in enumerate(self.waiting)}

        def turn(entry: tuple[Ref, Lane, float]) -> tuple[Any, ...]:
            _, lane, since = entry
            return URGENCY[lane] - (now - since) / AGE_SECONDS, URGENCY[lane], places[entry]

        chosen = min(self.waiting, key=turn)
        self.waiting.remove(chosen)
        self.running[chosen[0]] = None
        return chosen[0]

    def done(self, ref: Ref, now: float) -> None:
        again = self.running.pop(ref)
        if again is not None:
            self.wake(ref, again, now)


class AgendaAgainstModel(RuleBasedStateMachine):
    """Whatever happens in whatever order, both name the same key next."""

    def __init__(self) -> None:
        super().__init__()
        self.agenda, self.model = Agenda(), Model()
        self.now = 1000.0
        self.woken: set[Ref] = set()

    @rule(seconds=st.sampled_from([0.01, 0.05, 0.5, 3.0, 60.0]))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds

    @rule(ref=KEYS, lane=LANES)
    def something_wakes(self, ref: Ref, lane: Lane) -> None:
        self.agenda.wake(ref, lane, self.now)
        self.model.wake(ref, lane, self.now)
        self.woken.add(ref)

    @rule(ref=KEYS, seconds=st.sampled_from([0.0, 0.02, 0.3, 5.0]))
    def a_timer_is_set(self, ref: Ref, seconds: float) -> None:
        self.agenda.at(ref, self.now + seconds)
        self.model.at(ref, self.now + seconds)

    @rule()
    def one_is_taken(self) -> None:
        running = set(self.model.running)
        taken = self.agenda.take(self.now)
        assert taken == self.model.take(self.now)
        assert taken is None or taken not in running
        self.woken.discard(taken)

    @precondition(lambda self: self.model.running)
    @rule(data=st.data())
    def a_pass_ends(self, data: st.DataObject) -> None:
        ref = data.draw(st.sampled_from(sorted(self.model.running)))
        self.agenda.done(ref, self.now)
        self.model.done(ref, self.now)

    @invariant()
    def both_count_the_same(self) -> None:
        assert len(self.agenda) == len(self.model.waiting)
        slots = self.model.timers.values()
        assert self.agenda.next_at() == (min(slots) * SLOT_SECONDS if slots else None)

    @invariant()
    def no_wake_is_lost(self) -> None:
        waiting = {entry[0] for entry in self.model.waiting}
        again = {ref for ref, lane in self.model.running.items() if lane is not None}
        assert self.woken <= waiting | again

    def teardown(self) -> None:
        """Everything that waits gets its turn, each once."""
        for ref in list(self.model.running):
            self.agenda.done(ref, self.now)
            self.model.done(ref, self.now)
        left = {entry[0] for entry in self.model.waiting}
        taken = [self.agenda.take(self.now - 1) for _ in left]
        assert set(taken) == left


AgendaAgainstModel.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
TestAgendaAgainstModel = AgendaAgainstModel.TestCase

A, B, C = Ref("zone/a"), Ref("zone/b"), Ref("zone/c")


def test_one_key_has_one_pass_at_a_time_and_runs_again_if_woken_meanwhile() -> None:
    agenda = Agenda()
    agenda.wake(A, Lane.EVENT, 0.0)
    assert agenda.take(0.0) == A
    agenda.wake(A, Lane.RETRY, 0.0)
    agenda.wake(A, Lane.INTERACTIVE, 0.0)
    assert agenda.take(0.0) is None
    agenda.done(A, 0.0)
    assert [agenda.take(0.0), agenda.take(0.0)] == [A, None]


def test_the_earlier_of_two_timers_wins() -> None:
    agenda = Agenda()
    for when in (10.0, 5.0, 20.0):
        agenda.at(A, when)
    assert [agenda.take(4.9), agenda.take(5.1), agenda.next_at()] == [None, A, None]
    agenda.done(A, 5.1)
    assert (agenda.take(30.0), agenda.next_at()) == (None, None)


def test_a_timer_never_rings_early_and_at_most_one_slot_late() -> None:
    agenda = Agenda()
    agenda.at(A, 7.0)
    due = agenda.next_at()
    assert due is not None
    assert 7.0 <= due < 7.0 + 1.01 * SLOT_SECONDS


def test_a_timer_that_rings_during_its_own_pass_runs_it_again() -> None:
    agenda = Agenda()
    agenda.wake(A, Lane.EVENT, 0.0)
    agenda.take(0.0)
    agenda.at(A, 1.0)
    assert agenda.take(2.0) is None
    agenda.done(A, 2.0)
    assert agenda.take(2.0) == A


@pytest.mark.parametrize(("first", "second"), [(Lane.RESYNC, Lane.INTERACTIVE), (Lane.RETRY, Lane.EVENT)])
def test_the_more_urgent_lane_goes_first(first: Lane, second: Lane) -> None:
    agenda = Agenda()
    agenda.wake(A, first, 0.0)
    agenda.wake(B, second, 0.1)
    assert [agenda.take(0.2), agenda.take(0.2)] == [B, A]


def test_a_key_that_is_woken_more_urgently_moves_up_and_never_down() -> None:
    agenda = Agenda()
    agenda.wake(A, Lane.EVENT, 0.0)
    agenda.wake(B, Lane.RESYNC, 0.0)
    agenda.wake(B, Lane.INTERACTIVE, 0.0)
    agenda.wake(B, Lane.RESYNC, 0.0)
    assert len(agenda) == 2
    assert [agenda.take(0.0), agenda.take(0.0)] == [B, A]


def test_the_least_urgent_is_served_however_much_is_urgent() -> None:
    agenda = Agenda()
    agenda.wake(A, Lane.RESYNC, 0.0)
    taken: list[Ref | None] = []
    for step in range(100):
        now = step * 0.1
        agenda.wake(Ref(f"host/{step}"), Lane.INTERACTIVE, now)
        taken.append(agenda.take(now))
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
        taken.append(agenda.take(now))
    assert A in taken


def test_what_asked_to_be_looked_at_again_goes_before_what_is_merely_due() -> None:
    agenda = Agenda()
    agenda.at(A, 1.0)
    agenda.at(B, 1.0, Lane.RETRY)
    assert (agenda.take(2.0), agenda.take(2.0)) == (B, A)
