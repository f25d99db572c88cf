"""How much may be deleted at once and in an hour, from one item to ten thousand."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from setpoint.engine.case import Case
from setpoint.engine.doubts.damage import allowed_deletes, measure_deletes
from setpoint.engine.guards import judge
from setpoint.engine.limits import HOUR, Limits
from setpoint.engine.plan import Action, Verb
from setpoint.engine.rows import Act, ActState

from .situations import act, acts, case, creates, deletes, guards_of, room

SMALL = {1: 1, 2: 1, 3: 2, 4: 2, 5: 3, 6: 3, 7: 3, 8: 3, 9: 3, 10: 3}
LARGE = {
    11: 3,
    19: 3,
    20: 3,
    29: 3,
    30: 3,
    39: 3,
    40: 4,
    70: 7,
    99: 9,
    100: 10,
    101: 10,
    1_000: 10,
    10_000: 10,
}


def withdrawn(number: int, owned: int, spent: int = 0) -> Case:
    """So many of those owned are no longer declared, and so many went within the hour."""
    return case(
        deletes(number), desired=owned - number, actual=owned, accepted=owned - number, recent=acts(spent)
    )


@pytest.mark.parametrize(("owned", "allowed"), (SMALL | LARGE).items())
def test_up_to_the_limit_deletes_need_nobody(owned: int, allowed: int) -> None:
    expected = ["empty_intent", "leaves_nothing"] if allowed == owned else []
    assert guards_of(withdrawn(allowed, owned)) == expected


@pytest.mark.parametrize(("owned", "allowed"), (SMALL | LARGE).items())
def test_one_more_than_the_limit_is_held_and_nothing_drips(owned: int, allowed: int) -> None:
    judged = withdrawn(allowed + 1, owned) if allowed < owned else case(deletes(2), actual=1)
    assert "delete_budget" in guards_of(judged)
    assert judge(judged).allowed == ()


@pytest.mark.parametrize(
    ("number", "owned"), [(9, 9), (10, 10), (2, 2), (1, 1), (999, 1_000), (9_999, 10_000), (40, 40)]
)
def test_deleting_all_or_nearly_all_is_held(number: int, owned: int) -> None:
    verdict = judge(withdrawn(number, owned))
    assert verdict.allowed == ()
    assert verdict.holds != ()


def test_one_of_forty_goes_with_no_person() -> None:
    verdict = judge(withdrawn(1, 40))
    assert (len(verdict.allowed), verdict.holds) == (1, ())


@given(owned=st.integers(1, 10_000), share=st.floats(0.0, 1.0))
def test_whatever_the_size_more_than_ten_or_more_than_half_never_go_alone(owned: int, share: float) -> None:
    number = max(1, round(share * owned))
    allowed = len(judge(withdrawn(number, owned)).allowed)
    assert allowed in (0, number)
    assert allowed <= min(10, max(1, (owned + 1) // 2))
    assert allowed < owned


@given(owned=st.integers(2, 10_000))
def test_whatever_the_size_one_of_several_always_goes(owned: int) -> None:
    assert len(judge(withdrawn(1, owned)).allowed) == 1


@pytest.mark.parametrize(
    ("owned", "spent", "number", "allowed"),
    [
        (100, 10, 10, True),
        (100, 11, 10, False),
        (100, 19, 1, True),
        (100, 20, 1, False),
        (1_000, 20, 1, False),
        (40, 7, 1, True),
        (40, 8, 1, False),
        (8, 2, 3, True),
        (8, 2, 4, False),
        (5, 5, 1, False),
        (9, 2, 1, True),
        (5, 6, 1, False),
        (9, 6, 1, False),
        (20, 1, 2, True),
        (20, 3, 3, True),
        (20, 4, 3, False),
    ],
)
def test_within_an_hour_the_deletes_before_count(owned: int, spent: int, number: int, allowed: bool) -> None:
    assert (guards_of(withdrawn(number, owned, spent)) == []) == allowed


def test_a_small_domain_does_not_drip_away_within_an_hour() -> None:
    left, gone = 10, 0
    while guards_of(withdrawn(1, left, gone)) == []:
        left, gone = left - 1, gone + 1
    assert (left, gone) == (5, 5)


@pytest.mark.parametrize(
    ("spent", "counts"),
    [
        ({}, True),
        ({"verb": Verb.PARK}, True),
        ({"verb": Verb.REPLACE}, True),
        ({"state": ActState.UNKNOWN}, True),
        ({"state": ActState.STARTED}, True),
        ({"age": HOUR - 1}, True),
        ({"age": HOUR}, False),
        ({"state": ActState.FAILED}, False),
        ({"explicit": True}, False),
        ({"approval": "yes"}, False),
        ({"verb": Verb.CREATE}, False),
        ({"verb": Verb.UPDATE}, False),
    ],
)
def test_only_deletes_nobody_asked_for_within_the_hour_are_spent(
    spent: dict[str, object], counts: bool
) -> None:
    recent = tuple(act(f"spent-{n}", **spent) for n in range(20))  # type: ignore[arg-type]
    judged = case(deletes(1), desired=99, accepted=99, recent=recent)
    assert ("delete_budget" in guards_of(judged)) == counts


def test_the_sentence_has_all_the_numbers() -> None:
    hold = judge(withdrawn(11, 100, 3)).holds[0]
    assert hold.message == "11 of 100 would be deleted; the limit is 10 per pass and 20 per hour (3 used)"


def test_however_small_the_share_a_few_may_always_go() -> None:
    limits = Limits(deletes_share=0.01)
    assert guards_of(case(deletes(3), actual=50, limits=limits)) == []
    assert guards_of(case(deletes(4), actual=50, limits=limits)) == ["delete_budget"]
    assert guards_of(case(deletes(2), actual=50, limits=Limits(deletes_ceiling=1))) == ["delete_budget"]
    assert guards_of(case(deletes(2), actual=50, limits=Limits(deletes_floor=1, deletes_share=0.01))) != []


def test_what_is_allowed_never_falls_when_a_domain_grows_by_one() -> None:
    rule = [allowed_deletes(case(actual=owned)) for owned in range(1, 10_001)]
    print(*(f"{size}: {cycle}/{hour}" for size, (cycle, hour) in enumerate(rule[:30], 1)))  # noqa: T201
    for before, after in itertools.pairwise(rule):
        assert after[0] >= before[0]
        assert after[1] >= before[1]
    assert all(cycle <= hour for cycle, hour in rule)


@given(
    limits=st.builds(
        Limits,
        deletes_share=st.floats(0.001, 0.999),
        deletes_ceiling=st.integers(1, 50),
        deletes_floor=st.integers(1, 20),
        small_domain=st.integers(1, 50),
    ),
    owned=st.integers(1, 500),
    spent=st.integers(0, 30),
)
def test_nor_under_other_limits_or_after_deletes_of_the_hour(limits: Limits, owned: int, spent: int) -> None:
    sizes = (case(actual=size, recent=acts(spent), limits=limits) for size in (owned, owned + 1))
    smaller, larger = map(allowed_deletes, sizes)
    assert smaller[0] <= larger[0]
    assert smaller[1] <= larger[1]


def test_one_that_is_replaced_and_one_that_goes_leave_nothing_for_a_while() -> None:
    both = (
        Action(verb=Verb.REPLACE, item="a", before=1, after=2),
        Action(verb=Verb.DELETE, item="b", before=1),
    )
    assert "leaves_nothing" in guards_of(case(both, desired=1, actual=2))
    assert "leaves_nothing" not in guards_of(case(both, desired=1, actual=3))


@pytest.mark.parametrize("verb", [Verb.DELETE, Verb.PARK, Verb.REPLACE])
def test_every_destructive_verb_is_a_delete_to_the_budget(verb: Verb) -> None:
    actions = tuple(Action(verb=verb, item=f"{n}", before=n, after=-n) for n in range(11))
    assert "delete_budget" in guards_of(case(actions))


@pytest.mark.parametrize(
    ("verb", "desired", "actual", "held"),
    [
        (Verb.REPLACE, 1, 1, True),
        (Verb.REPLACE, 2, 2, False),
        (Verb.DELETE, 1, 1, False),
        (Verb.DELETE, 0, 1, True),
        (Verb.PARK, 0, 1, True),
        (Verb.DELETE, 0, 0, True),
        (Verb.DELETE, 1, 2, False),
    ],
)
def test_the_last_one_never_goes_without_a_person(verb: Verb, desired: int, actual: int, held: bool) -> None:
    action = Action(verb=verb, item="last", before=1)
    assert ("leaves_nothing" in guards_of(case((action,), desired=desired, actual=actual))) == held


def test_a_spent_budget_holds_nothing_where_nothing_is_deleted() -> None:
    assert not judge(case(creates(1), desired=5, actual=5, accepted=5, recent=acts(6))).holds


def switched(item: str, times: int) -> tuple[Act, ...]:
    """Made and taken away by ourselves so many times."""
    made = (act(item, Verb.CREATE, age=60.0 * n, after=0) for n in range(2 * times, 0, -2))
    gone = (act(item, age=60.0 * n, before=0) for n in range(2 * times - 1, 0, -2))
    return (*made, *gone)


def test_one_that_comes_and_goes_many_times_is_lost_once() -> None:
    recent = switched("x-00000", 25)
    judged = case(deletes(1), desired=2, actual=3, recent=recent)
    there = replace(judged, plan=replace(judged.plan, known=frozenset({"x-00000", "y", "z"})))
    assert guards_of(there) == []
    lost = replace(judged, plan=replace(judged.plan, actions=deletes(2)[1:], known=frozenset({"x-00001"})))
    assert allowed_deletes(there) == (2, 2)
    assert measure_deletes(lost).allowed == 1


def test_the_fleet_pays_once_an_hour_for_one_that_comes_and_goes() -> None:
    recent = switched("x-00000", 25)
    assert guards_of(case(deletes(1), recent=recent, rooms=room(0), known=("x-00000",))) == []
    assert guards_of(case(deletes(2), recent=recent, rooms=room(0))) == ["fleet_budget"]
