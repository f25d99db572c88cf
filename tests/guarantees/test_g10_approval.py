"""10. An approval covers exactly what was shown, once, for the reasons named, until it runs out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.people import approve, held, yes
from engine.plant import Plant
from engine.situations import NOW, case
from setpoint.engine import consent
from setpoint.engine.guards import judge
from setpoint.engine.limits import HOUR
from setpoint.engine.plan import Action, Plan, Verb
from setpoint.engine.rows import Approval, PlanState

ITEMS = st.sets(st.integers(0, 30))


def removal(items: set[int], changed: set[int]) -> tuple[Action, ...]:
    return tuple(
        Action(verb=Verb.DELETE, item=f"{n}", before="changed" if n in changed else n) for n in sorted(items)
    )


@given(shown=st.sets(st.integers(0, 30), min_size=11), plans=st.lists(st.tuples(ITEMS, ITEMS), max_size=6))
def test_however_a_plan_evolves_it_is_covered_exactly_while_all_of_it_was_shown(
    shown: set[int], plans: list[tuple[set[int], set[int]]]
) -> None:
    agreed = yes(removal(shown, set()), "delete_budget")
    gone: set[int] = set()
    dead = False
    for wanted, changed in plans:
        later = removal(wanted - gone, changed)
        asks = len(later) > 10
        dead = dead or not (wanted - gone <= shown and not (wanted - gone) & changed)
        verdict = judge(case(later), consent.live((agreed,), NOW))
        assert (verdict.approval == agreed.id) == (asks and not dead)
        assert (len(verdict.allowed) == len(later)) == (not asks or not dead)
        if consent.outgrown(agreed, Plan(actions=later)):
            agreed = replace(agreed, died="grown")
        for action in later if verdict.approval else ():
            agreed = consent.spend(agreed, action.item)
            gone.add(int(action.item))


async def test_it_names_what_was_seen_why_who_and_until_when(kept: Plant) -> None:
    await held(kept)
    [plan] = kept.plans()
    agreed = await approve(kept, plan)
    [stored] = kept.rows(Approval)
    assert stored == agreed
    assert (stored.digest, stored.waives, stored.approver) == (plan.digest, ("delete_budget",), "ann")
    assert stored.items == {action.item: action.line for action in plan.actions}
    assert stored.expires_at == kept.runtime.now() + HOUR


async def test_one_delete_more_asks_again_and_nothing_goes(kept: Plant) -> None:
    ref = await held(kept)
    await approve(kept, kept.plans()[0])
    kept.loop.found["extra"] = 1
    await kept.run(ref)
    assert kept.acts() == []
    assert [plan.state for plan in kept.plans()] == [PlanState.STALE, PlanState.HELD]


async def test_what_is_approved_is_recorded_and_not_charged(kept: Plant) -> None:
    ref = await held(kept)
    agreed = await approve(kept, kept.plans()[0])
    await kept.calm(ref)
    assert {act.approval for act in kept.acts()} == {agreed.id}
    approved = [line for line in kept.audit() if line.detail.get("approval") == agreed.id]
    assert len(approved) == 2 * len(kept.acts()) == 12


async def test_removed_an_approval_of_some_lets_all_of_it_go(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = await held(plant)
    await approve(plant, plant.plans()[0])
    plant.loop.found["extra"] = 1
    monkeypatch.setattr(consent, "covering", lambda approvals, plan, holds: next(iter(approvals), None))
    await plant.run(ref)
    assert len(plant.acts()) == 7
