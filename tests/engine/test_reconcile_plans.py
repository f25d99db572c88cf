"""The plan on record: kept while it says the same, replaced when it grows, gone when it is done or void."""

import pytest

from setpoint.engine import approval as approvals
from setpoint.engine.entity import Ref, State
from setpoint.engine.errors import Rejected
from setpoint.engine.rows import Approval, Mode, PlanState

from .people import approve
from .plant import Plant

FIVE = dict.fromkeys("abcde", 1)
HELD, STALE, DONE = PlanState.HELD, PlanState.STALE, PlanState.DONE


def states(plant: Plant) -> list[PlanState]:
    return [plan.state for plan in plant.plans()]


async def held(plant: Plant, left: int = 1) -> Ref:
    """A shelf of five books of which only so many are still declared: more than half would go."""
    ref = await plant.proven(await plant.shelf(dict(list(FIVE.items())[:left]), found=FIVE))
    await plant.run(ref)
    return ref


async def test_a_held_plan_is_stored_with_its_numbers_and_told_once(plant: Plant) -> None:
    ref = await held(plant)
    [plan] = plant.plans()
    status = await plant.status(ref)
    assert (plan.state, plan.desired, plan.actual, len(plan.actions)) == (HELD, 1, 5, 4)
    assert [hold.guard for hold in plan.holds] == ["delete_budget"]
    assert (status.state, status.plan) == (State.HELD, plan.id)
    assert "4 of 5 would be deleted" in status.reason
    assert "4 to delete" in status.reason
    assert [event.type for event in plant.events()].count("plan.held") == 1


async def test_a_held_plan_stays_the_same_row_while_it_says_the_same(plant: Plant) -> None:
    ref = await held(plant)
    before = plant.plans()
    plant.runtime.pass_by(100)
    await plant.run(ref)
    assert plant.plans() == before


async def test_a_plan_that_grows_is_replaced_by_a_new_one(plant: Plant) -> None:
    ref = await held(plant)
    plant.loop.found["f"] = 1
    await plant.run(ref)
    first, second = plant.plans()
    assert (first.state, second.state, len(second.actions)) == (STALE, HELD, 5)
    assert (await plant.status(ref)).plan == second.id


async def test_a_plan_whose_reason_goes_away_is_stale(plant: Plant) -> None:
    ref = await held(plant)
    await plant.declare("shelf", "novels", books=FIVE)
    await plant.run(ref)
    assert (states(plant), (await plant.status(ref)).plan) == ([STALE], "")


async def test_an_approved_plan_is_carried_out_and_done(plant: Plant) -> None:
    ref = await held(plant)
    agreed = await approve(plant, plant.plans()[0])
    await plant.calm(ref)
    assert (plant.loop.found, states(plant)) == ({"a": 1}, [DONE])
    assert {act.approval for act in plant.acts()} == {agreed.id}
    [spent] = plant.rows(Approval)
    assert sorted(spent.spent) == ["b", "c", "d", "e"]
    assert (await plant.status(ref)).state is State.READY


async def test_approved_deletes_are_not_charged_to_the_hour(plant: Plant) -> None:
    books = dict.fromkeys("abcdefgh", 1)
    ref = await plant.proven(await plant.shelf(dict.fromkeys("ab", 1), found=books))
    await plant.run(ref)
    await approve(plant, plant.plans()[0])
    await plant.calm(ref)
    await plant.declare("shelf", "novels", books={"a": 1})
    await plant.calm(ref)
    assert plant.loop.found == {"a": 1}


async def test_an_approval_does_not_cover_one_delete_more(plant: Plant) -> None:
    ref = await held(plant)
    await approve(plant, plant.plans()[0])
    plant.loop.found["f"] = 1
    await plant.run(ref)
    assert (plant.acts(), states(plant)) == ([], [STALE, HELD])


async def test_an_approval_covers_what_is_left_of_its_plan(plant: Plant) -> None:
    ref = await held(plant)
    await approve(plant, plant.plans()[0])
    del plant.loop.found["e"]
    await plant.calm(ref)
    assert (plant.loop.found, states(plant)) == ({"a": 1}, [DONE])


async def test_a_plan_whose_approval_ran_out_is_held_anew(plant: Plant) -> None:
    ref = await held(plant)
    await plant.switch(Mode.OBSERVE)
    await approve(plant, plant.plans()[0], seconds=60)
    plant.runtime.pass_by(61)
    await plant.run(ref)
    assert (states(plant), plant.acts()) == ([STALE, HELD], [])
    await plant.switch(Mode.RUN, version=2)
    await approve(plant, plant.plans()[1])
    for _ in range(3):
        await plant.calm(ref)
        plant.runtime.pass_by(5)
    assert plant.loop.found == {"a": 1}


async def test_an_approved_delete_that_fails_is_held_anew_and_can_be_approved_again(plant: Plant) -> None:
    ref = await plant.proven(await plant.shelf({}, found={"last": 1}))
    plant.loop.answers = {"last": [Rejected("in use")]}
    await plant.run(ref)
    await approve(plant, plant.plans()[0])
    await plant.run(ref)
    await plant.run(ref)
    assert (states(plant), (await plant.status(ref)).plan) == ([STALE, HELD], plant.plans()[1].id)
    await approve(plant, plant.plans()[1])
    plant.runtime.pass_by(60.0)
    await plant.calm(ref)
    assert plant.loop.found == {}


async def test_an_approved_plan_stays_so_while_it_is_carried_out(plant: Plant) -> None:
    ref = await held(plant)
    await approve(plant, plant.plans()[0])
    plant.loop.answers = {"c": [Rejected("in use")]}
    await plant.run(ref)
    assert states(plant) == [PlanState.APPROVED]
    assert (await plant.status(ref)).state is State.DEGRADED


async def test_a_rejected_plan_stays_held_and_says_by_whom(plant: Plant) -> None:
    ref = await held(plant)
    refusal = approvals.reject(plant.plans()[0], identity="n1", actor="bob", reason="not today", now=0.0)
    await plant.store.commit(refusal)
    await plant.run(ref)
    status = await plant.status(ref)
    assert (states(plant), status.state) == ([PlanState.REJECTED], State.HELD)
    assert status.reason.endswith("; rejected by bob: not today")
    assert status.plan == plant.plans()[0].id


async def test_a_rejected_plan_is_stale_when_the_declaration_changes(plant: Plant) -> None:
    ref = await held(plant)
    plan = plant.plans()[0]
    await plant.store.commit(approvals.reject(plan, identity="n1", actor="bob", reason="no", now=0.0))
    await plant.declare("shelf", "novels", books=FIVE)
    await plant.run(ref)
    assert states(plant) == [STALE]


@pytest.mark.parametrize("mode", [Mode.OBSERVE, Mode.NO_DELETES])
async def test_what_only_a_switch_holds_needs_no_plan_on_record(plant: Plant, mode: Mode) -> None:
    ref = await plant.shelf({"a": 1, "b": 1, "c": 1}, found={"a": 1, "b": 1, "c": 1, "d": 1})
    await plant.switch(mode)
    assert await plant.run(ref) == 5.0
    assert ((await plant.status(ref)).state, plant.plans()) == (State.HELD, [])
