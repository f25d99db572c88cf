"""Dry runs: what a proposal would do, by the same loops and guards, with nothing changed."""

from typing import Any

from engine.plant import ANN, SHOP, Plant
from setpoint.engine.bounds import DRY_RUNS
from setpoint.engine.draft import Declaration
from setpoint.engine.entity import Ref, Scope
from setpoint.engine.errors import Transient
from setpoint.engine.rows import PlanRow, PlanState, Wake
from setpoint.scheduler.rehearsal import Rehearsal

REF = Ref("plan/p1")


def rehearsal(plant: Plant) -> Rehearsal:
    return Rehearsal(
        plant.store,
        plant.kinds,
        plant.runtime,
        plant.reconciler,
        lambda intent: dict.fromkeys(plant.kinds, plant.loop),
    )


async def asked(plant: Plant, *items: Declaration) -> PlanRow:
    """The answer to: what would declaring these do?"""
    rows = await plant.declarer.proposed(items, ANN)
    question = PlanRow(
        id="p1", ref=REF, kind="plan", scope=Scope("acme"), name="p1", state=PlanState.ASKED, proposals=rows
    )
    await plant.put(question, Wake(id="w1", ref=REF, reason="asked for"))
    await rehearsal(plant).answer(REF)
    answer = await plant.store.get(PlanRow, "p1")
    assert answer is not None
    return answer


def shelf(name: str = "novels", **books: Any) -> Declaration:
    return Declaration(kind="shelf", scope=SHOP, name=name, spec={"books": books})


async def test_a_proposal_shows_what_it_would_do_and_does_nothing(plant: Plant) -> None:
    ref = await plant.shelf({"dune": 1})
    before = await plant.entity(ref)
    answer = await asked(plant, shelf(dune=2, emma=1))
    assert (answer.state, answer.note) == (PlanState.SHOWN, "shelf/novels: 1 to create, 1 to update")
    assert [action.item for action in answer.actions] == ["shelf/novels emma", "shelf/novels dune"]
    assert answer.digest != ""
    assert (plant.acts(), plant.loop.found, await plant.entity(ref)) == ([], {"dune": 1}, before)


async def test_of_answers_the_newest_are_kept_and_held_plans_are_none_of_them(plant: Plant) -> None:
    ref = await plant.shelf({"dune": 1})
    held = PlanRow(id="a", ref=ref, kind="shelf", scope=SHOP, name="novels", state=PlanState.HELD)
    older = [
        PlanRow(id=f"b{n:04}", ref=Ref(f"plan/b{n}"), kind="plan", scope=scope, name="b", state=state)
        for n, (scope, state) in enumerate(
            [(Scope("acme"), PlanState.SHOWN)] * (DRY_RUNS.most + 2)
            + [(Scope("beta"), PlanState.SHOWN), (Scope("acme"), PlanState.ASKED)]
        )
    ]
    await plant.put(held, *older)
    answer = await asked(plant, shelf(dune=2))
    left = [row.id for row in plant.plans()]
    assert sorted(left) == sorted(["a", *(row.id for row in older[3:]), answer.id])
    assert answer.proposals == ()


async def test_what_the_guards_would_hold_is_shown(plant: Plant) -> None:
    await plant.shelf({"dune": 1, "emma": 1})
    answer = await asked(plant, shelf())
    assert {hold.guard for hold in answer.holds} == {"empty_intent", "delete_budget", "leaves_nothing"}
    assert answer.holds[0].message.startswith("shelf/novels: nothing is declared")
    assert [plan.state for plan in plant.plans()] == [PlanState.SHOWN]


async def test_something_new_is_judged_as_if_it_were_declared(plant: Plant) -> None:
    answer = await asked(plant, shelf("new", dune=1))
    assert answer.note == "shelf/new: 1 to create"
    assert await plant.intent.named("shelf", SHOP, "new") is None


async def test_a_part_is_judged_with_its_whole_and_the_whole_once(plant: Plant) -> None:
    await plant.shelf({})
    plant.loop.found = {"emma": 1}
    books = [Declaration(kind="book", scope=SHOP, name=name, spec={"shelf": "novels"}) for name in ("a", "b")]
    answer = await asked(plant, *books)
    assert [action.item for action in answer.actions] == ["shelf/novels emma"]


async def test_what_nobody_judges_changes_nothing_outside(plant: Plant) -> None:
    answer = await asked(plant, Declaration(kind="note", scope=SHOP, name="todo", spec={}))
    assert (answer.state, answer.actions, answer.note) == (PlanState.SHOWN, (), "")


async def test_a_domain_that_cannot_be_seen_is_said_and_the_rest_shown(plant: Plant) -> None:
    plant.loop.blind = Transient("no answer")
    answer = await asked(plant, shelf("a", x=1))
    assert (answer.state, answer.note, answer.actions) == (PlanState.SHOWN, "shelf/a: no answer", ())


async def test_nothing_to_do_is_an_answer_too(plant: Plant) -> None:
    plant.loop.found = {"dune": 1}
    answer = await asked(plant, shelf("a", dune=1))
    assert (answer.state, answer.note) == (PlanState.SHOWN, "")


async def test_a_question_is_answered_once(plant: Plant) -> None:
    first = await asked(plant, shelf(dune=1))
    before = plant.contents()
    await rehearsal(plant).answer(REF)
    assert (plant.contents(), await plant.store.get(PlanRow, "p1")) == (before, first)
    assert REF not in plant.wakes()


async def test_a_question_nobody_asked_is_forgotten_with_its_wakes(plant: Plant) -> None:
    await plant.put(Wake(id="w1", ref=Ref("plan/none"), reason="asked for"))
    await rehearsal(plant).answer(Ref("plan/none"))
    assert Ref("plan/none") not in plant.wakes()
