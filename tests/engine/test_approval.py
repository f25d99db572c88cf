"""An approval covers exactly what was shown, once, until it runs out, and waives only what it names."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from setpoint.engine import approval as approvals
from setpoint.engine import consent
from setpoint.engine.entity import Ref, Scope
from setpoint.engine.errors import Conflict
from setpoint.engine.guards import GUARDS, WAIVABLE, judge
from setpoint.engine.plan import Action, Verb, digest
from setpoint.engine.rows import Approval, HoldRow, Lane, PlanRow, PlanState, Wake
from setpoint.engine.store import Change, Expect

from .plant import Plant
from .situations import ALONE, NOW, case, creates, deletes, updates

HELD = PlanState.HELD


def held(actions: tuple[Action, ...], *guards: str, state: PlanState = HELD) -> PlanRow:
    return PlanRow(
        id="p1",
        ref=Ref("shelf/1"),
        kind="shelf",
        scope=Scope("acme"),
        name="novels",
        state=state,
        digest=digest(actions),
        actions=actions,
        holds=tuple(HoldRow(guard=guard, message="so many", withholds="deletes") for guard in guards),
    )


def yes(plan: PlanRow, seconds: float = 3600.0) -> Approval:
    return approvals.granted(plan, identity="y1", actor="ann", reason="ok", times=(NOW, NOW + seconds))


def let_through(actions: tuple[Action, ...], *agreed: Approval, now: float = NOW, **more: Any) -> list[str]:
    """The items that may be destroyed now."""
    verdict = judge(case(actions, **more), consent.live(agreed, now))
    return [action.item for action in verdict.allowed if action.destructive]


ITEMS = st.integers(0, 40)
EVOLVED = st.tuples(st.sets(ITEMS, min_size=11, max_size=41), st.sets(ITEMS, max_size=41), st.sets(ITEMS))


@given(EVOLVED)
def test_a_later_plan_is_covered_exactly_when_its_deletes_are_among_those_approved_unchanged(
    sets: tuple[set[int], set[int], set[int]],
) -> None:
    shown, later, changed = sets
    agreed = yes(held(removals(shown), "delete_budget"))
    after = tuple(replace(a, before="other") if int(a.item) in changed else a for a in removals(later))
    covered = later <= shown and not later & changed
    within_budget = len(later) <= 10
    assert bool(let_through(after, agreed)) == (bool(later) and (covered or within_budget))


def removals(items: set[int]) -> tuple[Action, ...]:
    return tuple(Action(verb=Verb.DELETE, item=f"{item}", before=item) for item in sorted(items))


def test_an_approval_dies_when_the_set_grows_by_one() -> None:
    agreed = yes(held(deletes(20), "delete_budget"))
    assert len(let_through(deletes(20), agreed)) == 20
    assert len(let_through(deletes(19), agreed)) == 19
    assert let_through(deletes(21), agreed) == []


@pytest.mark.parametrize("verb", [Verb.REPLACE, Verb.PARK])
def test_an_approval_of_a_delete_does_not_cover_another_verb(verb: Verb) -> None:
    agreed = yes(held(deletes(20), "delete_budget"))
    assert let_through(tuple(replace(a, verb=verb) for a in deletes(20)), agreed) == []


def test_creates_and_updates_may_come_and_go_under_an_approval() -> None:
    agreed = yes(held((*updates(1), *deletes(20)), "delete_budget"))
    assert len(let_through((*creates(1), *deletes(20)), agreed)) == 20


@pytest.mark.parametrize(("seconds", "covered"), [(3599.0, True), (3600.0, False), (7200.0, False)])
def test_an_approval_runs_out(seconds: float, covered: bool) -> None:
    agreed = yes(held(deletes(20), "delete_budget"))
    assert bool(let_through(deletes(20), agreed, now=NOW + seconds)) == covered


def test_each_item_is_spent_once() -> None:
    agreed = yes(held(deletes(20), "delete_budget"))
    first = deletes(20)[0]
    spent = consent.spend(agreed, first.item)
    assert consent.spent_by([agreed], first) == agreed
    assert consent.spent_by([spent], first) is None
    assert let_through(deletes(20), spent) == []
    assert len(let_through(deletes(20)[1:], spent)) == 19


def test_an_approval_that_is_spent_whole_waives_nothing_any_more() -> None:
    agreed = yes(held(deletes(1), "leaves_nothing"))
    assert consent.live([agreed], NOW) == (agreed,)
    assert consent.live([consent.spend(agreed, "x-00000")], NOW) == ()


def test_only_the_guards_that_were_named_are_waived() -> None:
    agreed = yes(held(deletes(20), "delete_budget"))
    assert let_through(deletes(20), agreed, desired=0) == []
    both = yes(held(deletes(20), "delete_budget", "empty_intent"))
    assert len(let_through(deletes(20), both, desired=0)) == 20


@pytest.mark.parametrize("name", [guard.name for guard in GUARDS if not guard.waivable])
def test_what_is_not_released_by_a_person_is_never_waived(name: str) -> None:
    judged = ALONE[name]
    agreed = yes(held(judged.plan.actions, name, *WAIVABLE))
    assert judge(judged, (agreed,)) == judge(judged)


def test_an_approval_says_when_it_was_given_and_until_when_it_is_good() -> None:
    agreed = yes(held(deletes(1), "delete_budget"), seconds=60.0)
    assert (agreed.created_at, agreed.expires_at) == (NOW, NOW + 60.0)


def test_an_approval_names_only_what_is_destroyed() -> None:
    agreed = yes(held((*creates(2), *deletes(1)), "delete_budget"))
    assert agreed.items == {"x-00000": deletes(1)[0].line}


@pytest.mark.parametrize("state", [state for state in PlanState if state is not HELD])
def test_only_a_held_plan_is_decided(state: PlanState) -> None:
    with pytest.raises(Conflict, match=f"plan p1 is {state}, only a held plan can be approved"):
        yes(held(deletes(1), state=state))
    with pytest.raises(Conflict, match="only a held plan can be rejected"):
        approvals.reject(held(deletes(1), state=state), identity="n1", actor="ann", reason="no", now=NOW)


def test_approving_stores_decision_evidence_event_and_wake_at_once() -> None:
    plan = held(deletes(20), "delete_budget")
    change = approvals.approve(plan, yes(plan))
    assert decided(change) == (PlanState.APPROVED, "ann", "ok")
    assert change.expects == (Expect(PlanRow, "p1", "state", HELD),)
    assert [event.message for event in change.events] == ["20 changes approved by ann: ok"]
    assert [(line.actor, line.action) for line in change.audit] == [("ann", "plan.approved")]
    assert woken(change) == ["shelf/1"]


def test_rejecting_stores_decision_evidence_event_and_wake_at_once() -> None:
    change = approvals.reject(held(deletes(20)), identity="n1", actor="ann", reason="no", now=NOW)
    assert decided(change) == (PlanState.REJECTED, "ann", "no")
    assert [event.type for event in change.events] == ["plan.rejected"]
    assert [line.detail["reason"] for line in change.audit] == ["no"]
    assert woken(change) == ["shelf/1"]


def decided(change: Change) -> tuple[PlanState, str, str]:
    [plan] = [put.row for put in change.writes if isinstance(put.row, PlanRow)]
    return plan.state, plan.decided_by, plan.note


def woken(change: Change) -> list[str]:
    wakes = [put.row for put in change.writes if isinstance(put.row, Wake)]
    assert all(wake.lane is Lane.INTERACTIVE for wake in wakes)
    return [wake.ref for wake in wakes]


async def test_of_two_people_who_decide_at_once_one_is_told(plant: Plant) -> None:
    plan = held(deletes(20), "delete_budget")
    await plant.put(plan)
    await plant.store.commit(approvals.approve(plan, yes(plan)))
    with pytest.raises(Conflict, match="was expected with state 'held', and has 'approved'"):
        await plant.store.commit(approvals.reject(plan, identity="n1", actor="bob", reason="no", now=NOW))
