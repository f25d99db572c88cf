"""Intent that is empty or much smaller than before is taken for a mistake, however slowly it shrank."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from setpoint.engine.guards import judge
from setpoint.engine.limits import DAY, HOUR
from setpoint.engine.plan import Action, Plan, Verb
from setpoint.engine.remember import next_ledger

from .people import yes
from .situations import NOW, case, creates, deletes, guards_of, ledger


@pytest.mark.parametrize(
    ("desired", "actual", "held"), [(0, 1, True), (0, 10_000, True), (1, 10, False), (0, 0, False)]
)
def test_nothing_declared_while_something_exists_is_held(desired: int, actual: int, held: bool) -> None:
    assert ("empty_intent" in guards_of(case(deletes(1), desired=desired, actual=actual))) == held


def test_an_empty_intent_holds_the_whole_plan() -> None:
    assert judge(case((*creates(1), *deletes(1)), desired=0)).allowed == ()


@pytest.mark.parametrize(
    ("accepted", "desired", "held"),
    [
        (1_000, 1, True),
        (1_000, 799, True),
        (1_000, 800, False),
        (100, 79, True),
        (100, 80, False),
        (16, 12, True),
        (20, 16, False),
        (10, 7, False),
        (10, 6, True),
        (4, 1, False),
        (5, 1, True),
        (50, 60, False),
    ],
)
def test_more_than_a_fifth_and_more_than_three_fewer_is_held(accepted: int, desired: int, held: bool) -> None:
    judged = case(deletes(1), desired=desired, actual=accepted, accepted=accepted)
    assert ("shrunken_intent" in guards_of(judged)) == held


@given(accepted=st.integers(0, 10_000), desired=st.integers(0, 10_000))
def test_shrinking_is_held_by_exactly_the_two_numbers(accepted: int, desired: int) -> None:
    judged = case(deletes(1), desired=desired, actual=10_000, accepted=accepted)
    fewer = accepted - desired
    assert ("shrunken_intent" in guards_of(judged)) == (fewer > 3 and 5 * fewer > accepted)


def test_a_shrunken_intent_holds_creates_as_well() -> None:
    assert judge(case((*creates(1), *deletes(1)), desired=10, accepted=100)).allowed == ()


def test_fewer_declared_with_nothing_to_delete_is_no_reason_to_hold() -> None:
    assert guards_of(case(creates(1), desired=10, accepted=100)) == []


def test_objects_deleted_by_name_are_left_out_of_the_count() -> None:
    asked = tuple(Action(verb=Verb.DELETE, item=f"asked-{n}", before=n, explicit=True) for n in range(30))
    assert guards_of(case((*asked, *deletes(1)), desired=69, accepted=100)) == []


@pytest.mark.parametrize(("asked", "held"), [(10, True), (13, True), (14, False), (20, False)])
def test_each_object_deleted_by_name_is_left_out_once(asked: int, held: bool) -> None:
    named = tuple(Action(verb=Verb.DELETE, item=f"asked-{n}", before=n, explicit=True) for n in range(asked))
    judged = case((*named, *deletes(1)), desired=66, accepted=100)
    assert ("shrunken_intent" in guards_of(judged)) == held


@pytest.mark.parametrize(("age", "held"), [(DAY - 1, True), (DAY, False)])
def test_what_was_accepted_a_day_ago_is_forgotten(age: float, held: bool) -> None:
    judged = case(deletes(1), desired=70, accepted=80, before=((NOW - age, 100),))
    assert ("shrunken_intent" in guards_of(judged)) == held


def test_the_sentence_says_how_many_and_fewer_than_what() -> None:
    hold = judge(case(deletes(1), desired=70, accepted=100)).holds[0]
    assert hold.message == "70 are declared, 30 fewer than the 100 accepted within a day"


class Domain:
    """A set of declared items that shrinks, judged pass after pass with what the guards remember."""

    def __init__(self, size: int) -> None:
        self.ledger = ledger(accepted=size)
        self.now = NOW
        self.size = size

    def shrink(self, to: int, *, explicit: bool = False) -> list[str]:
        """One pass over the smaller set; whatever is deleted was allowed by every other guard."""
        actions = deletes(self.size - to if explicit else 1, explicit=explicit)
        plan = Plan(actions=actions, desired=to, actual=self.size)
        judged = case(plan=plan, ledger=replace(self.ledger, looked_at=self.now), now=self.now)
        verdict = judge(judged)
        self.ledger = next_ledger(judged, verdict, ())
        self.size = to
        return [hold.guard for hold in verdict.holds]

    def wait(self, seconds: float) -> None:
        self.now += seconds


def test_a_slow_boil_is_held_at_the_same_size_as_a_sudden_one() -> None:
    domain = Domain(1_000)
    sizes = iter(range(980, 0, -20))
    held_at = next(size for size in sizes if "shrunken_intent" in domain.shrink(size))
    assert held_at == 780


@given(st.lists(st.integers(1, 99), min_size=1, max_size=30))
def test_within_a_day_no_path_leads_below_four_fifths(steps: list[int]) -> None:
    domain = Domain(1_000)
    smallest = 1_000
    for step in steps:
        size = max(1, domain.ledger.accepted - step)
        if "shrunken_intent" not in domain.shrink(size):
            smallest = min(smallest, size)
        domain.wait(DAY / 31)
    assert smallest >= 800


def test_after_a_day_the_smaller_size_is_the_one_to_compare_with() -> None:
    domain = Domain(1_000)
    assert domain.shrink(810) == []
    domain.wait(DAY - 1)
    assert domain.shrink(700) == ["shrunken_intent"]
    domain.wait(2)
    assert domain.shrink(700) == []


def test_what_is_older_than_a_day_is_not_kept() -> None:
    domain = Domain(1_000)
    for size in (990, 980, 970):
        domain.shrink(size)
        domain.wait(DAY)
    assert [size for _, size in domain.ledger.before] == [980]


def test_growing_again_forgets_nothing_of_the_day() -> None:
    domain = Domain(1_000)
    assert domain.shrink(900) == []
    domain.wait(HOUR)
    assert domain.shrink(950) == []
    assert domain.shrink(799) == ["shrunken_intent"]


def test_a_held_plan_changes_nothing_in_what_was_accepted() -> None:
    domain = Domain(1_000)
    assert domain.shrink(10) == ["shrunken_intent"]
    assert (domain.ledger.accepted, domain.ledger.before) == (1_000, ())


def test_what_was_deleted_by_name_is_not_held_against_a_later_delete() -> None:
    domain = Domain(20)
    assert domain.shrink(10, explicit=True) == []
    domain.wait(HOUR)
    assert domain.shrink(9) == []


def test_what_was_deleted_by_name_does_not_hide_a_slow_boil() -> None:
    domain = Domain(1_000)
    assert domain.shrink(810) == []
    assert domain.shrink(800, explicit=True) == []
    assert [size for _, size in domain.ledger.before] == [990]
    assert domain.shrink(700) == ["shrunken_intent"]


@pytest.mark.parametrize("footing", ["", "new"])
@pytest.mark.parametrize("renames", [1, 2, 3])
def test_an_approved_shrink_is_accepted_before_its_deletes_are_done(footing: str, renames: int) -> None:
    """On probation, or while the vendor is away: a rename is no shrink, and what it makes is made."""
    dropped = deletes(10)
    agreed = yes(dropped, "shrunken_intent", "delete_budget")
    waiting = case(dropped, desired=10, actual=20, accepted=20, footing=footing)
    verdict = judge(waiting, (agreed,))
    assert verdict.approval == agreed.id
    assert bool(verdict.allowed) is not bool(footing)
    remembered = next_ledger(waiting, verdict, ())
    later = case(
        (*creates(renames), *deletes(10 + renames)), desired=10, actual=20, ledger=remembered, footing=footing
    )
    assert "shrunken_intent" not in guards_of(later)
    assert [a.verb for a in judge(later).allowed] == [Verb.CREATE]


def test_an_approval_without_a_delete_accepts_no_shrink() -> None:
    made = creates(2)
    agreed = yes(made, "adoption")
    judged = case(made, desired=10, actual=10, accepted=20)
    remembered = next_ledger(judged, replace(judge(judged), approval=agreed.id), ())
    assert "shrunken_intent" in guards_of(case(deletes(1), desired=10, actual=11, ledger=remembered))
