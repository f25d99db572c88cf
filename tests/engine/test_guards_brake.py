"""When most acts fail, everything stops but one try now and then, and three good ones let go again."""

import itertools
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from setpoint.engine.case import Case, Tried
from setpoint.engine.doubts.effort import is_braking
from setpoint.engine.guards import judge
from setpoint.engine.limits import HOUR, Limits
from setpoint.engine.plan import Action, Verb
from setpoint.engine.remember import next_ledger
from setpoint.engine.rows import Act, ActState

from .situations import NOW, act, case, creates, deletes, failing, guards_of, ledger, still_wanted, updates

DONE, FAILED, UNKNOWN = ActState.DONE, ActState.FAILED, ActState.UNKNOWN


def history(*states: ActState, last: float = 10.0, verb: Verb = Verb.UPDATE) -> tuple[Act, ...]:
    """Acts a second apart, the last one so long ago."""
    ages = range(len(states) - 1, -1, -1)
    pairs = zip(states, ages, strict=True)
    return tuple(act(f"was-{age}", verb, age=last + age, state=state) for state, age in pairs)


def braked(*states: ActState, **more: float) -> bool:
    recent = history(*states, **more)
    return "failure_brake" in guards_of(case((*creates(2), *still_wanted(recent)), recent=recent))


@pytest.mark.parametrize(
    ("failed", "done", "held"),
    [(10, 0, False), (11, 0, True), (10, 10, False), (11, 9, True), (20, 0, True), (1, 0, False)],
)
def test_more_than_half_of_the_last_twenty_is_too_many(failed: int, done: int, held: bool) -> None:
    assert braked(*[DONE] * done, *[FAILED] * failed) == held


def test_only_the_last_twenty_count() -> None:
    assert not braked(*[FAILED] * 30, *[DONE] * 10)
    assert braked(*[DONE] * 30, *[FAILED] * 11)


def test_only_the_last_hour_counts() -> None:
    assert braked(*[FAILED] * 11, last=HOUR - 11)
    assert not braked(*[FAILED] * 11, last=HOUR)


def test_an_act_without_an_answer_has_not_succeeded() -> None:
    assert braked(*[UNKNOWN] * 6, *[FAILED] * 5)


def test_a_provider_that_asks_to_come_later_is_not_braked() -> None:
    put_off = tuple(replace(each, deferred=True) for each in history(*[FAILED] * 20))
    assert guards_of(case(still_wanted(put_off), recent=put_off)) == []
    failed = history(*[FAILED] * 11, last=60.0)
    others = tuple(replace(each, item=f"late-{each.item}") for each in put_off)
    assert guards_of(case(still_wanted(failed), recent=(*failed, *others))) == ["failure_brake"]


@pytest.mark.parametrize(("good", "held"), [(0, True), (1, True), (2, True), (3, False)])
def test_three_good_ones_in_a_row_let_go(good: int, held: bool) -> None:
    assert braked(*[FAILED] * 17, *[DONE] * good) == held


def test_good_ones_that_are_not_in_a_row_do_not_let_go() -> None:
    assert braked(*[FAILED] * 14, DONE, DONE, FAILED, DONE)


def test_where_nothing_is_to_be_done_nothing_is_braked() -> None:
    assert guards_of(case(recent=history(*[FAILED] * 20))) == []


@pytest.mark.parametrize(("seconds", "tried"), [(29.9, 0), (30.0, 1), (31.0, 1), (600.0, 1)])
def test_one_is_tried_every_thirty_seconds(seconds: float, tried: int) -> None:
    recent = history(*[FAILED] * 12, last=seconds)
    verdict = judge(case((*creates(5), *still_wanted(recent)), recent=recent, ledger=ledger(created=5)))
    assert len(verdict.allowed) == tried
    assert verdict.holds[0].message.startswith("12 of the last 12 keys of this account failed")


def test_the_one_tried_longest_ago_is_tried_next() -> None:
    recent = (*history(*[FAILED] * 12, last=70.0), act("new-00000", Verb.CREATE, age=40.0, state=FAILED))
    verdict = judge(case((*creates(3), *still_wanted(recent)[:-1]), recent=recent))
    assert [action.item for action in verdict.allowed] == ["new-00001"]


def test_what_is_to_be_built_is_tried_before_what_is_to_go() -> None:
    recent = history(*[FAILED] * 12, last=40.0)
    verdict = judge(case((*still_wanted(recent), *deletes(2)), recent=recent))
    assert [action.item for action in verdict.allowed] == ["was-11"]


def test_what_needs_nothing_else_is_tried_before_what_does() -> None:
    recent = history(*[FAILED] * 12, last=40.0)
    judged = case(
        (*creates(3), *still_wanted(recent)),
        recent=recent,
        needs={"new-00000": ("new-00001",), "new-00001": ("new-00002",)},
    )
    assert [action.item for action in judge(judged).allowed] == ["new-00002"]


def test_while_it_brakes_a_delete_is_tried_only_where_all_is_built() -> None:
    recent = history(*[FAILED] * 12, last=40.0, verb=Verb.PARK)
    explicit = tuple(replace(each, explicit=True) for each in (*deletes(2), *still_wanted(recent)))
    assert [action.item for action in judge(case(explicit, recent=recent)).allowed] == ["x-00000"]


def test_of_what_is_to_go_that_which_nothing_needs_is_tried_first() -> None:
    needs = {"x-00001": ("x-00000",), "x-00002": ("x-00001",)}
    recent = history(*[FAILED] * 12, last=40.0, verb=Verb.PARK)
    explicit = tuple(replace(each, explicit=True) for each in (*deletes(3), *still_wanted(recent)))
    assert [a.item for a in judge(case(explicit, recent=recent, needs=needs)).allowed] == ["x-00002"]


def gone(number: int, recent: tuple[Act, ...], **more: object) -> Case:
    """So many deletes that a person asked for, beside those that failed."""
    asked = tuple(replace(each, explicit=True) for each in (*deletes(number), *still_wanted(recent)))
    return case(asked, recent=recent, **more)


def test_what_something_else_withholds_does_not_use_up_a_try() -> None:
    judged = gone(2, history(*[FAILED] * 12, last=40.0, verb=Verb.PARK), protected=frozenset({"x-00000"}))
    assert [action.item for action in judge(judged).allowed] == ["x-00001"]
    recent = history(*[FAILED] * 12, last=40.0)
    judged = case((*creates(2), *still_wanted(recent)), recent=recent, failing={"new-00000": failing(0)})
    assert [action.item for action in judge(judged).allowed] == ["new-00001"]


def test_what_cannot_go_without_something_withheld_does_not_use_up_a_try_either() -> None:
    recent = history(*[FAILED] * 12, last=40.0)
    needs = {"new-00000": ("new-00001",)}
    known = {"new-00001": failing(1)}
    judged = case((*creates(3), *still_wanted(recent)), recent=recent, needs=needs, failing=known)
    assert [action.item for action in judge(judged).allowed] == ["new-00002"]
    recent = history(*[FAILED] * 12, last=40.0, verb=Verb.PARK)
    judged = gone(3, recent, needs={"x-00000": ("x-00001",)}, protected=frozenset({"x-00000"}))
    assert [action.item for action in judge(judged).allowed] == ["x-00002"]


@pytest.mark.parametrize(
    ("number", "others", "held"), [(11, 0, True), (1, 0, False), (6, 5, True), (6, 4, False), (0, 11, True)]
)
def test_keys_of_the_whole_account_count(number: int, others: int, held: bool) -> None:
    recent = history(*[FAILED] * number)
    elsewhere = tuple(Tried(f"zone/2|{n}", NOW - 5.0, failed=True) for n in range(others))
    judged = case((*creates(1), *still_wanted(recent)), recent=recent, others=elsewhere)
    assert ("failure_brake" in guards_of(judged)) == held


def test_many_tries_of_one_key_are_one_failure() -> None:
    recent = tuple(act("new-00000", Verb.CREATE, age=10.0 + n, state=FAILED, after=0) for n in range(50))
    assert "failure_brake" not in guards_of(case(creates(5), recent=recent))


@pytest.mark.parametrize(
    "cleared",
    [
        lambda judged: replace(judged, plan=replace(judged.plan, actions=creates(1))),
        lambda judged: replace(judged, plan=replace(judged.plan, actions=_declared_anew(judged))),
        lambda judged: replace(judged, released={a.item: NOW for a in judged.plan.actions}),
        lambda judged: replace(judged, recovered=NOW),
    ],
    ids=["no longer declared", "declared otherwise", "released", "the account came back"],
)
def test_what_takes_keys_out_of_the_brake(cleared: Callable[[Case], Case]) -> None:
    recent = history(*[FAILED] * 20)
    judged = case(still_wanted(recent), recent=recent)
    assert "failure_brake" in guards_of(judged)
    assert "failure_brake" not in guards_of(cleared(judged))


def _declared_anew(judged: Case) -> tuple[Action, ...]:
    return tuple(replace(action, after="another") for action in judged.plan.actions)


def test_an_hour_is_not_more_than_an_hour() -> None:
    for age, held in ((HOUR - 0.1, True), (HOUR, False)):
        recent = tuple(act(f"{n}", Verb.UPDATE, age=age, state=FAILED) for n in range(11))
        assert ("failure_brake" in guards_of(case(still_wanted(recent), recent=recent))) == held


class Troubled:
    """A domain at a provider that fails, in which time passes as the engine would let it."""

    def __init__(self, number: int, fails: Callable[[int, str], bool]) -> None:
        self.left = list(updates(number))
        self.fails = fails  # How often it was called before, and the item -> whether it fails.
        self.ledger = ledger()
        self.acts: list[Act] = []
        self.now = NOW
        self.tries: list[tuple[float, str]] = []

    def run(self, seconds: float, pause: float = 5.0) -> None:
        """Passes for so long; a brake that falls ends one, as in the engine."""
        until = self.now + seconds
        while self.left and self.now < until:
            judged = self.case()
            verdict = judge(judged)
            done = [ended for action in verdict.allowed if (ended := self._tried(action))]
            self.ledger = next_ledger(judged, verdict, done)
            self.now += pause

    def case(self) -> Case:
        recent = tuple(a for a in self.acts if a.began_at > self.now - HOUR)
        return case(self.left, ledger=replace(self.ledger, looked_at=self.now), recent=recent, now=self.now)

    def _tried(self, action: Action) -> Act | None:
        failing = self.acts and self.acts[-1].began_at == self.now and self.acts[-1].state is FAILED
        if failing and is_braking(self.case()):
            return None
        failed = self.fails(len(self.acts), action.item)
        self.tries.append((self.now, action.item))
        ended = act(action.item, Verb.UPDATE, age=NOW - self.now, state=FAILED if failed else DONE)
        ended = replace(
            ended, after=action.after, fault="item" if failed else "", detail="down" if failed else ""
        )
        self.acts.append(ended)
        if not failed:
            self.left.remove(action)
        return ended


def test_at_a_provider_that_is_down_at_most_twenty_calls_are_made_and_then_probes() -> None:
    world = Troubled(100, lambda count, item: True)
    world.run(1_000.0)
    probes = world.tries[11:]
    assert 15 <= len(probes) <= 1_000 / 30
    assert all(later[0] - earlier[0] >= 30.0 for earlier, later in itertools.pairwise(probes))
    assert len({item for _, item in probes}) > 20


def test_at_sixty_percent_errors_at_most_twenty_calls_are_made_and_then_probes() -> None:
    world = Troubled(400, lambda count, item: count % 5 < 3)
    world.run(600.0, pause=1.0)
    times = [at for at, _ in world.tries]
    fast = [later for earlier, later in itertools.pairwise(times) if later - earlier < 30.0]
    assert len(fast) < 20
    assert len(times) - len(fast) >= 600 / 30 - 3


@settings(max_examples=20)
@given(st.integers(0, 60))
def test_however_long_an_outage_lasts_everything_is_done_after_it(failures: int) -> None:
    world = Troubled(30, lambda count, item: count < failures)
    world.run(4_000.0)
    assert world.left == []


def test_one_bad_item_does_not_keep_the_others_from_being_done() -> None:
    world = Troubled(100, lambda count, item: item == "old-00000")
    world.run(1_500.0)
    assert [action.item for action in world.left] == ["old-00000"]


def test_the_numbers_of_the_brake_can_be_set() -> None:
    limits = Limits(brake_window=4, brake_share=0.25, brake_good=1)
    recent = history(DONE, FAILED, FAILED)
    judged = case(still_wanted(recent), recent=recent, limits=limits)
    assert guards_of(judged) == ["failure_brake"]
    recent = history(FAILED, FAILED, DONE)
    assert guards_of(case(still_wanted(recent), recent=recent, limits=limits)) == []
