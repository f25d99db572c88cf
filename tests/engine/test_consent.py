"""One approval alone covers; it dies when the set grows, is spent once, runs out, and is checked at use."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from setpoint.engine import approval as approvals
from setpoint.engine import consent
from setpoint.engine.entity import Ref, Scope, State
from setpoint.engine.errors import Denied
from setpoint.engine.explain import why
from setpoint.engine.guards import WAIVABLE, judge
from setpoint.engine.limits import HOUR, Limits
from setpoint.engine.plan import Action, Plan
from setpoint.engine.record import Recorded
from setpoint.engine.rows import Act, Approval, HoldRow, PlanRow, PlanState

from .people import approve, held, yes
from .plant import Plant
from .situations import NOW, case, creates, deletes, ledger, updates

ANNS = PlanRow(
    id="p", ref=Ref("zone/1"), kind="zone", scope=Scope(), name="z", state=PlanState.HELD, author="ann"
)
BUDGET = HoldRow(guard="delete_budget", message="so many", withholds="deletes")


def test_two_halves_are_not_one_yes() -> None:
    twenty = deletes(20)
    halves = (yes(twenty[:10], "delete_budget"), yes(twenty[10:], "delete_budget"))
    assert consent.covering(halves, Plan(actions=twenty), (BUDGET,)) is None
    assert judge(case(twenty), halves).allowed == ()
    whole = yes(twenty, "delete_budget")
    assert consent.covering((*halves, whole), Plan(actions=twenty), (BUDGET,)) == whole


def test_the_reasons_of_two_are_not_added_up() -> None:
    twenty = deletes(20)
    first, second = yes(twenty, "delete_budget"), yes(twenty, "empty_intent")
    assert judge(case(twenty, desired=0), (first, second)).allowed == ()
    assert len(judge(case(twenty, desired=0), (yes(twenty, "delete_budget", "empty_intent"),)).allowed) == 20


def test_what_a_hold_names_is_asked_about_although_it_destroys_nothing() -> None:
    judged = case(creates(40), ledger=ledger(known=tuple(a.item for a in creates(40)), wave=40))
    assert judge(judged, (yes(deletes(1), "mass_silence"),)).allowed == ()
    assert len(judge(judged, (yes(creates(40), "mass_silence"),)).allowed) == 25
    assert judge(judged, (yes(creates(39), "mass_silence"),)).allowed == ()


def test_what_a_person_asked_for_by_name_needs_no_approval_beside_it() -> None:
    named = replace(deletes(21)[20], explicit=True)
    agreed = yes(deletes(20), "delete_budget")
    assert len(judge(case((*deletes(20), named)), (agreed,)).allowed) == 21
    assert not consent.outgrown(agreed, Plan(actions=(*deletes(20), named)))


@pytest.mark.parametrize(
    ("plan", "outgrown"),
    [
        (deletes(20), False),
        (deletes(19), False),
        ((), False),
        ((*updates(9), *deletes(20)), False),
        (deletes(21), True),
        ((replace(deletes(1)[0], before="changed"),), True),
    ],
    ids=["the same", "less", "nothing", "more that is built", "one more", "one that changed"],
)
def test_an_approval_is_outgrown_by_anything_destructive_it_did_not_name(
    plan: tuple[Action, ...], outgrown: bool
) -> None:
    assert consent.outgrown(yes(deletes(20)), Plan(actions=plan)) == outgrown


@pytest.mark.parametrize(
    ("more", "alive"),
    [
        ({}, True),
        ({"expires_at": NOW + 0.1}, True),
        ({"expires_at": NOW}, False),
        ({"died": "grown"}, False),
        ({"spent": ("x-00000",)}, True),
        ({"spent": ("x-00000", "x-00001")}, False),
    ],
    ids=str,
)
def test_what_makes_an_approval_live(more: dict[str, Any], alive: bool) -> None:
    assert bool(consent.live((yes(deletes(2), **more),), NOW)) == alive


def test_the_person_who_asked_approves_only_where_nobody_else_could() -> None:
    approvals.check_second_person(ANNS, "ann", frozenset())
    with pytest.raises(Denied, match="ann asked for this, so somebody else approves it: bob"):
        approvals.check_second_person(ANNS, "ann", frozenset({"bob"}))


def test_nobody_alone_agrees_to_what_they_asked_for_of_something_protected() -> None:
    with pytest.raises(Denied, match="is protected and ann asked for this alone: give somebody else"):
        approvals.check_second_person(ANNS, "ann", frozenset(), protected=True)


def test_the_first_three_who_could_approve_are_named() -> None:
    with pytest.raises(Denied, match=r"somebody else approves it: bob, cem, dee$"):
        approvals.check_second_person(ANNS, "ann", frozenset({"bob", "cem", "dee", "eve"}))


async def test_an_approval_that_the_plan_outgrew_stays_dead_when_it_shrinks_again(kept: Plant) -> None:
    ref = await held(kept)
    await approve(kept, kept.plans()[0])
    kept.loop.found["extra"] = 1
    await kept.run(ref)
    del kept.loop.found["extra"]
    for _ in range(3):
        await kept.run(ref)
    [dead] = kept.rows(Approval)
    assert (kept.acts(), dead.died) == ([], "something is to be destroyed that it did not name")


async def test_an_approver_who_lost_the_right_meanwhile_is_refused_at_use(kept: Plant) -> None:
    ref = await held(kept)
    await approve(kept, kept.plans()[0])

    async def nobody(approver: str, scope: Scope) -> bool:
        return False

    journal = replace(kept.journal, entitled=nobody)
    kept.reconciler = replace(kept.reconciler, journal=journal)
    await kept.run(ref)
    status = await kept.status(ref)
    assert (kept.acts(), status.state) == ([], State.HELD)
    assert status.reason == "ann may no longer approve this; waiting: 6 to delete"


async def test_an_approval_that_runs_out_in_the_middle_of_a_pass_begins_nothing_more(kept: Plant) -> None:
    ref = await held(kept)
    await approve(kept, kept.plans()[0])

    async def slow() -> None:
        kept.runtime.pass_by(0.4 * HOUR)

    kept.loop.while_acting = slow
    assert await kept.run(ref) == 0.1
    assert [act.item for act in kept.acts()] == ["00", "01", "02"]


async def test_side_by_side_every_part_of_an_approval_is_spent(kept: Plant) -> None:
    books = {f"{n:02d}": n for n in range(8)}
    row = await kept.declare("stack", "pile", books=books)
    kept.loop.found = dict(books)
    await kept.proven(row.ref)
    kept.loop.found.clear()
    await kept.run(row.ref)
    await approve(kept, kept.plans()[0])
    await kept.calm(row.ref)
    [agreed] = kept.rows(Approval)
    assert kept.loop.found == books
    assert sorted(agreed.spent) == sorted(act.item for act in kept.acts() if act.approval)
    assert len(agreed.spent) > 4


STEPS = st.one_of(
    st.tuples(st.just("withdraw"), st.integers(0, 19)),
    st.tuples(st.just("redeclare"), st.integers(0, 19)),
    st.tuples(st.just("change"), st.integers(0, 19)),
    st.tuples(st.just("approve"), st.just(0)),
    st.tuples(st.just("wait"), st.sampled_from([60, 3000])),
)


@settings(max_examples=60)
@given(st.lists(STEPS, min_size=5, max_size=40))
async def test_however_plans_evolve_nothing_goes_but_what_one_person_saw_or_nobody_need_see(
    steps: list[tuple[str, int]],
) -> None:
    plant = await Plant().start()
    plant.limits = Limits(deletes_ceiling=1)
    books = {f"{n:02d}": n for n in range(20)}
    ref = await plant.shelf(books)
    wanted = dict(books)
    for verb, number in steps:
        item = f"{number:02d}"
        if verb == "withdraw":
            wanted.pop(item, None)
        elif verb == "redeclare":
            wanted[item] = plant.loop.found.get(item, number)
        elif verb == "change":
            plant.loop.found |= {key: 100 + value for key, value in plant.loop.found.items() if key == item}
        elif verb == "approve":
            await approve_all(plant)
        else:
            plant.runtime.pass_by(number)
        await plant.declare("shelf", "novels", books=wanted)
        for _ in range(3):
            await checked_pass(plant, ref)


async def approve_all(plant: Plant) -> None:
    for plan in plant.plans():
        if plan.state is PlanState.HELD:
            await approve(plant, plan)


async def checked_pass(plant: Plant, ref: Ref) -> None:
    """One pass, and what must hold of every delete in it."""
    before = {agreed.id: agreed for agreed in plant.rows(Approval)}
    known = {act.id for act in plant.acts()}
    await plant.run(ref)
    acts = [act for act in plant.acts() if act.id not in known and act.after is None]
    for agreed in {act.approval for act in acts}:
        check_agreed(before.get(agreed), [act for act in acts if act.approval == agreed], plant)
    spent = [item for agreed in plant.rows(Approval) for item in agreed.spent]
    assert all(spent.count(item) <= len([a for a in plant.acts() if a.item == item]) for item in spent)


def check_agreed(agreed: Approval | None, acts: list[Act], plant: Plant) -> None:
    last = max(plant.rows(Recorded), key=lambda row: row.id)
    asking = {hold.guard for hold in judge(last.case).holds} & WAIVABLE
    if agreed is None:
        assert not asking
        return
    planned = {a.item: a.line for a in last.case.plan.actions if a.destructive}
    assert asking <= set(agreed.waives)
    assert planned.items() <= agreed.items.items()
    assert agreed.expires_at > plant.runtime.now()
    assert not agreed.died
    assert not {act.item for act in acts} & set(agreed.spent)


def test_what_an_approval_leaves_out_stays_held_however_little_it_is() -> None:
    twenty = deletes(20)
    part = consent.only(yes(twenty, "delete_budget"), frozenset(a.item for a in twenty[:12]))
    left = consent.left_out((part,), Plan(actions=twenty))
    verdict = judge(case(twenty, left=left), (part,))
    assert [a.item for a in verdict.allowed] == [a.item for a in twenty[:12]]
    assert [hold.guard for hold in verdict.holds] == ["left_out"]
    rest = twenty[12:]
    later = judge(case(rest, left=consent.left_out((part,), Plan(actions=rest))), ())
    assert (later.allowed, [hold.guard for hold in later.holds]) == ((), ["left_out"])
    second = yes(rest, "left_out", created_at=NOW + 1)
    assert consent.left_out((second, part), Plan(actions=rest)) == frozenset()
    assert len(judge(case(rest, left=frozenset(a.item for a in rest)), (second,)).allowed) == len(rest)


def test_a_yes_to_some_says_nothing_about_what_is_left_once_they_are_gone_by_themselves() -> None:
    twenty = deletes(20)
    part = consent.only(yes(twenty, "delete_budget"), frozenset({twenty[0].item}))
    assert consent.covering((part,), Plan(actions=twenty[1:]), (BUDGET,)) is None
    assert not consent.outgrown(part, Plan(actions=twenty[1:]))
    assert consent.outgrown(part, Plan(actions=deletes(21)))


async def test_nothing_is_held_for_a_person_while_the_chosen_part_waits_for_probation(kept: Plant) -> None:
    ref = await held(kept)
    [plan] = kept.plans()
    chosen = frozenset(action.item for action in plan.actions[:2])
    now = kept.runtime.now()
    agreed = approvals.granted(plan, identity="y2", actor="ann", reason="ok", times=(now, now + HOUR))
    await kept.store.commit(approvals.approve(plan, consent.only(agreed, chosen)))
    kept.code = "second"
    await kept.run(ref)
    status, rest = (await kept.entity(ref)).status, len(plan.actions) - 2
    assert status.state is State.PENDING
    assert status.reason.startswith("approved: 2 to delete; on probation (new code, limits or switch): ")
    assert f"; left out, and asked about when that is done: {plan.actions[2].item}, " in status.reason
    assert [row.state for row in kept.plans()] == [PlanState.APPROVED]
    told = await why(kept.store, kept.kinds, await kept.entity(ref), kept.runtime.now())
    assert (told["situation"], told["next"]) == ("converging", [])
    about = await why(kept.store, kept.kinds, await kept.entity(ref), kept.runtime.now(), min(chosen))
    assert about["sentence"].startswith(f"{min(chosen)} is to be deleted, but on probation")
    for _ in range(3):
        kept.runtime.pass_by(10.0)
        await kept.run(ref)
    assert (await kept.entity(ref)).status.state is State.HELD
    [again] = [row for row in kept.plans() if row.state is PlanState.HELD]
    assert len(again.actions) == rest


async def test_the_rest_of_a_plan_is_asked_about_anew_when_the_chosen_part_is_done(kept: Plant) -> None:
    ref = await held(kept)
    [plan] = kept.plans()
    chosen = frozenset(action.item for action in plan.actions[:2])
    now = kept.runtime.now()
    agreed = approvals.granted(plan, identity="y2", actor="ann", reason="ok", times=(now, now + HOUR))
    await kept.store.commit(approvals.approve(plan, consent.only(agreed, chosen)))
    for _ in range(3):
        await kept.run(ref)
    states = {row.state: row for row in kept.plans()}
    assert states[PlanState.DONE].agreed == tuple(sorted(chosen))
    assert {action.item for action in states[PlanState.HELD].actions} == {
        action.item for action in plan.actions[2:]
    }
    assert "left_out" in [hold.guard for hold in states[PlanState.HELD].holds]
