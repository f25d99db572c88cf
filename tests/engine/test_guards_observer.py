"""Doubts about the observer and about what is meant: mass silence, a lost group, a thing that waits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from setpoint.engine.case import Case
from setpoint.engine.guards import judge
from setpoint.engine.limits import Limits
from setpoint.engine.plan import Action, Plan, Verb
from setpoint.engine.remember import next_ledger

from .situations import case, creates, deletes, guards_of, ledger, looks, updates


def vanished(gone: int, known: int, **more: object) -> Case:
    """So many of those that were there have to be made again."""
    items = tuple(f"new-{n:05d}" for n in range(known))
    return case(
        creates(gone), desired=known, actual=known - gone, ledger=ledger(known=items, wave=50), **more
    )


@pytest.mark.parametrize(
    ("gone", "known", "held"),
    [
        (3, 3, False),
        (4, 4, True),
        (3, 10, False),
        (4, 10, True),
        (4, 19, True),
        (4, 20, False),
        (5, 20, True),
        (20, 100, False),
        (21, 100, True),
        (1_000, 1_000, True),
        (0, 1_000, False),
    ],
)
def test_more_than_a_fifth_and_more_than_three_gone_at_once_is_the_observer(
    gone: int, known: int, held: bool
) -> None:
    assert ("mass_silence" in guards_of(vanished(gone, known))) == held


@given(gone=st.integers(0, 300), known=st.integers(0, 300))
def test_whatever_the_sizes_exactly_the_two_numbers_decide(gone: int, known: int) -> None:
    gone = min(gone, known)
    assert ("mass_silence" in guards_of(vanished(gone, known))) == (gone > 3 and 5 * gone > known)


@pytest.mark.parametrize(
    ("missing", "watched", "held"), [(3, 3, False), (4, 19, True), (4, 20, False), (40, 50, True)]
)
def test_what_vanished_elsewhere_in_the_account_counts_as_well(
    missing: int, watched: int, held: bool
) -> None:
    judged = case(creates(1), ledger=ledger(known=("new-00000",)), vanished=missing, watched=watched)
    assert (guards_of(judged) == ["mass_silence"]) == held


def test_much_that_vanished_elsewhere_holds_nothing_where_nothing_of_ours_is_remade() -> None:
    assert guards_of(case(creates(5), vanished=40, watched=50)) == []


def test_what_was_never_there_may_be_made_in_any_number() -> None:
    verdict = judge(case(creates(1_000), desired=1_000, actual=0))
    assert (verdict.holds, len(verdict.allowed) + verdict.later) == ((), 1_000)


def test_nothing_at_all_is_done_while_the_observer_is_doubted() -> None:
    judged = vanished(40, 100)
    plan = replace(judged.plan, actions=(*judged.plan.actions, *updates(3), *deletes(1)))
    verdict = judge(replace(judged, plan=plan))
    assert verdict.allowed == ()
    assert (
        verdict.holds[0].message == "40 of 100 are gone at once; the observer is doubted, nothing is remade"
    )
    assert len(verdict.holds[0].items) == 40


def test_what_vanished_stays_known_as_vanished_until_it_is_back() -> None:
    judged = vanished(40, 100)
    for _ in range(3):
        judged = replace(judged, ledger=next_ledger(judged, judge(judged), ()))
    assert guards_of(judged) == ["mass_silence"]
    back = replace(judged, plan=replace(judged.plan, actions=(), known=frozenset(judged.ledger.known)))
    assert guards_of(back) == []


def test_the_limits_of_mass_silence_can_be_set() -> None:
    assert guards_of(vanished(40, 100, limits=Limits(vanished_share=0.4))) == []
    assert guards_of(vanished(41, 100, limits=Limits(vanished_share=0.4))) == ["mass_silence"]
    assert guards_of(vanished(5, 5, limits=Limits(vanished_floor=5))) == []


def regrouped(before: dict[str, int], after: dict[str, int], number: int = 1) -> Case:
    judged = case(deletes(number), ledger=ledger(groups=before))
    return replace(judged, plan=replace(judged.plan, groups=after))


@pytest.mark.parametrize(
    ("before", "after", "held"),
    [
        ({"mail": 2}, {}, False),
        ({"mail": 3}, {}, True),
        ({"mail": 3}, {"mail": 0}, True),
        ({"mail": 3}, {"mail": 1}, False),
        ({"mail": 300}, {"web": 300}, True),
        ({"mail": 3, "web": 3}, {"mail": 3, "web": 2}, False),
        ({"mail": 2, "web": 2}, {}, False),
        ({}, {}, False),
        ({}, {"new": 9}, False),
    ],
)
def test_a_declared_group_of_three_or_more_is_not_lost_without_a_person(
    before: dict[str, int], after: dict[str, int], held: bool
) -> None:
    assert (guards_of(regrouped(before, after)) == ["lost_group"]) == held


def test_a_lost_group_where_nothing_would_be_deleted_is_no_doubt() -> None:
    assert guards_of(regrouped({"mail": 9}, {}, number=0)) == []


def test_a_lost_group_holds_creates_as_well_and_names_it() -> None:
    judged = case((*creates(1), *deletes(1)), ledger=ledger(groups={"mail": 5, "web": 4}))
    verdict = judge(judged)
    assert verdict.allowed == ()
    assert verdict.holds[0].message == "nothing of mail, web is declared any more, where 9 were"


def test_a_group_that_is_lost_stays_lost_while_it_is_held() -> None:
    judged = regrouped({"mail": 3}, {})
    after = next_ledger(judged, judge(judged), ())
    assert after.groups == {"mail": 3}


def test_a_group_that_grew_and_shrank_is_remembered_as_it_was_last_accepted() -> None:
    judged = case()
    for groups in ({"mail": 9}, {"mail": 4}, {"mail": 2}):
        judged = case(plan=Plan(desired=100, actual=100, groups=groups), ledger=judged.ledger)
        judged = replace(judged, ledger=next_ledger(judged, judge(judged), ()))
    assert judged.ledger.groups == {"mail": 2}


def test_nothing_is_created_before_what_it_waits_for_and_the_rest_goes_on() -> None:
    verdict = judge(case((*creates(2), *updates(1)), waits_for="zone a, which is PENDING: new", wave=5))
    assert [action.verb for action in verdict.allowed] == [Verb.UPDATE]
    assert verdict.holds[0].message == "waiting for zone a, which is PENDING: new"
    assert verdict.holds[0].items == ("new-00000", "new-00001")


def test_what_waits_goes_when_the_other_is_there() -> None:
    assert judge(case(creates(1), waits_for="")).allowed == creates(1)


def test_who_creates_nothing_waits_for_nobody() -> None:
    assert guards_of(case(updates(1), waits_for="zone a")) == []


@pytest.mark.parametrize("verb", [Verb.PARK, Verb.UPDATE, Verb.REPLACE])
def test_a_look_that_finds_something_else_withholds_whatever_was_to_be_done(verb: Verb) -> None:
    action = Action(verb=verb, item="www", before=1, after=2)
    assert judge(case((action,), looks=looks(www=3))).allowed == ()
    assert judge(case((action,), looks=looks(www=1))).allowed == (action,)
