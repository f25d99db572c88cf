"""An item that keeps failing by itself is tried now and then; an account that is down parks nobody."""

from typing import Any

import pytest
from msgspec.structs import replace

from setpoint.engine.case import Case
from setpoint.engine.guards import judge
from setpoint.engine.ledger import Failing
from setpoint.engine.limits import HOUR, Limits
from setpoint.engine.plan import Verb
from setpoint.engine.remember import next_ledger
from setpoint.engine.rows import Act, ActState

from .situations import NOW, act, case, creates, deletes, failing, guards_of, updates

POISON = "new-00000"
DONE, FAILED = ActState.DONE, ActState.FAILED


def slow(**more: Any) -> Case:
    return case(creates(2), failing={POISON: failing(0, **more.pop("failed", {}))}, wave=2, **more)


@pytest.mark.parametrize(("count", "held"), [(1, False), (7, False), (8, True), (9, True)])
def test_eight_equal_failures_are_enough(count: int, held: bool) -> None:
    assert (guards_of(slow(failed={"count": count})) == ["slow_lane"]) == held


def test_the_rest_goes_on() -> None:
    verdict = judge(slow())
    assert [action.item for action in verdict.allowed] == ["new-00001"]
    assert verdict.holds[0].message == "new-00000 failed 8 times alike (no); tried every 60 min"


def test_the_sentence_is_about_the_first_of_several() -> None:
    known = {"new-00000": failing(0, count=9, said="first"), "new-00001": failing(1, count=8, said="second")}
    hold = judge(case(creates(3), failing=known, wave=3)).holds[0]
    assert hold.message == "new-00000, new-00001 failed 9 times alike (first); tried every 60 min"


def test_the_rest_goes_on_although_the_poison_was_the_last_wave() -> None:
    assert [action.item for action in judge(slow(rolling=(POISON,))).allowed] == ["new-00001"]


def test_nothing_is_taken_away_while_something_cannot_be_built() -> None:
    judged = slow()
    plan = replace(judged.plan, actions=(*judged.plan.actions, *deletes(1)))
    assert [action.verb for action in judge(replace(judged, plan=plan)).allowed] == [Verb.CREATE]


def test_what_is_there_and_cannot_be_changed_keeps_nothing_from_going() -> None:
    judged = case((*updates(1), *deletes(1)), failing={"old-00000": failing(0)})
    assert [action.verb for action in judge(judged).allowed] == [Verb.DELETE]


@pytest.mark.parametrize(("age", "held"), [(HOUR - 1, True), (HOUR, False), (2 * HOUR, False)])
def test_it_is_tried_every_hour(age: float, held: bool) -> None:
    assert (guards_of(slow(failed={"at": NOW - age})) == ["slow_lane"]) == held


@pytest.mark.parametrize(
    "more",
    [
        {"failed": {"alone": False}},
        {"failed": {"intent": "another"}},
        {"recovered": NOW - 60},
        {"recovered": NOW},
        {"released": {POISON: NOW - 60}},
        {"limits": Limits(slow_failures=9)},
        {"limits": Limits(slow_seconds=60.0)},
    ],
    ids=str,
)
def test_what_empties_the_slow_lane(more: dict[str, Any]) -> None:
    assert guards_of(slow(**more)) == []


@pytest.mark.parametrize(
    "more", [{"recovered": NOW - 61}, {"released": {POISON: NOW - 61}}, {"released": {"x": NOW}}]
)
def test_what_came_before_the_last_failure_or_concerns_another_does_not(more: dict[str, Any]) -> None:
    assert guards_of(slow(**more)) == ["slow_lane"]


def remembered(judged: Case, *acts: Act) -> dict[str, Failing]:
    return next_ledger(judged, judge(judged), acts).failing


def failure(n: int = 0, item: str = POISON, **more: Any) -> Act:
    """One failure, so many minutes from now."""
    return act(item, Verb.CREATE, age=-60.0 * n, **({"after": 0, "state": FAILED, "detail": "no"} | more))


def failed_in_turn(*acts: Act, **more: Any) -> Failing | None:
    """What is remembered after passes in each of which one of these acts ended."""
    known: dict[str, Failing] = {}
    for each in acts:
        known = remembered(case(creates(2), failing=known, now=each.ended_at, **more), each)
    return known.get(POISON)


def test_equal_failures_are_counted_and_numbers_in_them_do_not_matter() -> None:
    found = failed_in_turn(*(failure(n, detail=f"request {n}: no") for n in range(1, 4)))
    assert found is not None
    assert (found.count, found.said, found.since, found.at) == (3, "request 3: no", NOW + 60, NOW + 180)


@pytest.mark.parametrize(
    "last", [failure(3, detail="other"), failure(3, after=1)], ids=["another reason", "another intent"]
)
def test_another_failure_begins_anew(last: Act) -> None:
    found = failed_in_turn(failure(1), failure(2), last)
    assert found is not None
    assert (found.count, found.since) == (1, NOW + 180)


def test_a_success_ends_it() -> None:
    assert failed_in_turn(failure(1), failure(2), failure(3, state=DONE)) is None


def test_an_act_without_an_answer_neither_counts_nor_ends_it() -> None:
    found = failed_in_turn(failure(1), failure(2, state=ActState.UNKNOWN), failure(3))
    assert found is not None
    assert found.count == 2


def test_a_failure_that_a_look_found_out_counts_once() -> None:
    judged = case(creates(2), recent=(failure(1), failure(2)), now=NOW + 180)
    found = remembered(judged)
    assert found[POISON].count == 2
    assert remembered(replace(judged, ledger=replace(judged.ledger, failing=found)))[POISON].count == 2


@pytest.mark.parametrize(
    ("others", "alone"),
    [
        ((), False),
        ((failure(1.5, "new-00001", state=DONE),), True),
        ((failure(0.5, "new-00001", state=DONE),), False),
        ((failure(1.5, "new-00001"),), False),
        ((failure(1.5, POISON, state=ActState.UNKNOWN),), False),
    ],
    ids=["nobody", "between", "before", "failed as well", "itself"],
)
def test_a_failure_is_its_own_if_others_did_well_since_the_one_before(
    others: tuple[Act, ...], alone: bool
) -> None:
    known = {POISON: failing(0, at=NOW + 60, alone=False)}
    judged = case(creates(2), recent=others, now=NOW + 120, failing=known)
    assert remembered(judged, failure(2))[POISON].alone == alone


@pytest.mark.parametrize(("elsewhere", "alone"), [(NOW + 59, False), (NOW + 60, False), (NOW + 61, True)])
def test_what_the_account_does_elsewhere_counts_as_others(elsewhere: float, alone: bool) -> None:
    known = {POISON: failing(0, at=NOW + 60, alone=False)}
    judged = case(creates(2), elsewhere=elsewhere, now=NOW + 120, failing=known)
    assert remembered(judged, failure(2))[POISON].alone == alone


def test_what_was_once_found_to_be_its_own_failure_stays_so() -> None:
    judged = case(creates(2), now=NOW + 2 * HOUR, failing={POISON: failing(0)})
    assert remembered(judged, failure(120))[POISON].alone


def test_in_an_outage_nobody_is_parked_and_after_it_nobody_either() -> None:
    found = failed_in_turn(*(failure(n) for n in range(1, 20)))
    assert found is not None
    assert (found.count, found.alone) == (19, False)
    judged = case(
        creates(2), failing={POISON: found}, recent=(failure(20, "new-00001", state=DONE),), now=NOW + 1300
    )
    assert guards_of(judged) == []


def test_what_is_no_longer_planned_is_forgotten() -> None:
    assert remembered(case(updates(1), failing={POISON: failing(0)})) == {}
    assert remembered(case(failing={POISON: failing(0)})) == {}


@pytest.mark.parametrize("more", [{"recovered": NOW}, {"released": {POISON: NOW}}])
def test_what_was_let_go_is_counted_from_one_again(more: dict[str, Any]) -> None:
    judged = case(
        creates(2), failing={POISON: failing(0, at=NOW)}, recent=(failure(0),), now=NOW + 60, **more
    )
    assert remembered(judged, failure(1))[POISON].count == 1
