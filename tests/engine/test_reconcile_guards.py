"""The guards in real passes: what they hold, when they let go, and what is told meanwhile."""

from typing import Any

import pytest

from setpoint.engine.entity import Ref, State
from setpoint.engine.errors import Conflict, Rejected
from setpoint.engine.ledger import Protection, item_key
from setpoint.engine.limits import HOUR, Limits
from setpoint.engine.release import protect, release, unprotect
from setpoint.engine.rows import Mode

from .people import BOOKS, decision, shrunk, usual
from .plant import ANN, Plant


async def looks(plant: Plant, ref: Ref, number: int, gap: float = 5.0) -> list[int]:
    """How many acts there were after each of so many passes."""
    counted = []
    for _ in range(number):
        await plant.calm(ref)
        counted.append(len(plant.acts()))
        plant.runtime.pass_by(gap)
    return counted


async def test_after_a_change_of_the_adapter_the_third_look_deletes(kept: Plant) -> None:
    ref = await shrunk(kept)
    kept.code = "second"
    assert await looks(kept, ref, 4) == [0, 0, 1, 1]


async def test_after_a_change_of_limits_the_third_look_deletes(plant: Plant) -> None:
    ref = await shrunk(plant)
    plant.limits = Limits(shrink_floor=4)
    assert await looks(plant, ref, 4) == [0, 0, 1, 1]


async def test_after_a_resume_the_third_look_deletes(plant: Plant) -> None:
    ref = await shrunk(plant)
    await plant.switch(Mode.STOP)
    await looks(plant, ref, 5)
    await plant.switch(Mode.RUN, version=2)
    assert await looks(plant, ref, 4) == [0, 0, 1, 1]


async def test_a_plain_restart_holds_nothing(kept: Plant) -> None:
    ref = await shrunk(kept)
    after = Plant(beside=kept)
    assert await looks(after, ref, 1) == [1]


async def test_editing_declared_values_never_starts_probation(plant: Plant) -> None:
    ref = await plant.shelf(BOOKS)
    await plant.declare("shelf", "novels", books=BOOKS | {"00": "edited"})
    await plant.calm(ref)
    await plant.declare("shelf", "novels", books=dict(list(BOOKS.items())[1:]))
    await plant.calm(ref)
    assert "00" not in plant.loop.found


async def test_on_probation_it_looks_again_when_the_next_look_counts(plant: Plant) -> None:
    ref = await shrunk(plant)
    plant.code, plant.limits = "second", Limits(probation_gap=7.0)
    assert await plant.run(ref) == 7.0
    assert (await plant.status(ref)).reason.startswith("on probation (new code, limits or switch)")


async def test_after_a_long_silence_deletes_wait_and_then_go(plant: Plant) -> None:
    ref = await shrunk(plant)
    plant.runtime.pass_by(2 * HOUR)
    assert await looks(plant, ref, 3) == [0, 0, 1]


async def test_a_protection_set_after_the_judgement_refuses_the_act(kept: Plant) -> None:
    ref = await shrunk(kept)
    entity = await kept.entity(ref)
    [action] = (await kept.reconciler.judged(entity, kept.loop)).verdict.allowed
    mandate = await kept.mandate(ref)
    await kept.store.commit(protect(await decision(kept, ref, "00")))
    with pytest.raises(Conflict, match="protection"):
        await kept.journal.begin(mandate, action)
    assert kept.acts() == []


async def test_what_is_protected_outlives_its_declaration_and_goes_when_a_person_lets_it(kept: Plant) -> None:
    ref = await kept.shelf(BOOKS)
    await kept.store.commit(protect(await decision(kept, ref, "00")))
    await kept.declare("shelf", "novels", books=dict(list(BOOKS.items())[1:]))
    assert await looks(kept, ref, 3) == [0, 0, 0]
    status = await kept.status(ref)
    assert (status.state, status.reason) == (State.HELD, "protected, so not deleted: 00 (1 to delete)")
    await kept.store.commit(unprotect(await decision(kept, ref, "00")))
    assert await looks(kept, ref, 1) == [1]
    assert [line.action for line in kept.audit() if line.actor == "bob"] == [
        "item.protected",
        "item.unprotected",
    ]


async def test_what_is_protected_outlives_the_deletion_of_its_domain(plant: Plant) -> None:
    ref = await plant.shelf({"dune": 1, "emma": 2})
    await plant.store.commit(protect(await decision(plant, ref, "emma")))
    await plant.declarer.delete(ref, ANN)
    await looks(plant, ref, 3)
    assert plant.loop.found == {"emma": 2}
    assert "protected, so not deleted: emma" in (await plant.status(ref)).reason


async def test_a_person_who_decides_about_an_item_leaves_evidence_an_event_and_a_wake(plant: Plant) -> None:
    ref = await plant.shelf({"dune": 1})
    for verb in (protect, unprotect, release):
        await plant.store.commit(verb(await decision(plant, ref, "dune")))
    assert [line.detail for line in plant.audit()[-3:]] == [{"item": "dune", "reason": "because"}] * 3
    assert [event.message for event in plant.events()[-2:]] == [
        "dune unprotected by bob: because",
        "dune released by bob: because",
    ]
    assert plant.wakes()[ref] == "item.released"
    assert await plant.store.get(Protection, item_key(ref, "dune")) is None


async def test_an_unusual_plan_is_told_before_the_first_act_of_it(kept: Plant) -> None:
    ref = await usual(kept, 2, 2, 2, 2, 2)
    await kept.declare("shelf", "novels", books=dict.fromkeys(BOOKS, "edited"))
    told: list[tuple[int, bool, bool]] = []

    async def at_the_first_call() -> None:
        event = any(event.type == "plan.unusual" for event in kept.events())
        told.append((len(kept.acts()), event, ("unusual", "shelf") in kept.meter.told))

    kept.loop.while_acting = at_the_first_call
    await kept.run(ref)
    assert told == [(1, True, True)]
    await kept.calm(ref)
    [paged] = [event.revision for event in kept.events() if event.type == "plan.unusual"]
    assert paged < min(line.revision for line in kept.audit() if line.action == "act.started")


async def test_what_an_unusual_plan_destroys_waits_for_a_person(plant: Plant) -> None:
    ref = await usual(plant, 2, 2, 2, 2, 2)
    await plant.declare("shelf", "novels", books=dict.fromkeys(list(BOOKS)[2:], "edited"))
    await plant.calm(ref)
    status = await plant.status(ref)
    assert ("00" in plant.loop.found, plant.loop.found["02"]) == (True, "edited")
    assert (
        status.reason == "30 changes where 2 are usual; a person was told (2 to delete)"
        or "usual" in status.reason
    )


async def fought(plant: Plant, theirs: Any, times: int) -> Ref:
    """A shelf whose one book somebody else changes back so often, each time after we changed it."""
    ref = await plant.shelf({"dune": {"text": "ours", "place": 1}})
    for _ in range(times):
        plant.loop.found["dune"] = {**plant.loop.found["dune"], **theirs}
        await plant.calm(ref)
        plant.runtime.pass_by(60.0)
    plant.loop.found["dune"] = {**plant.loop.found["dune"], **theirs}
    return ref


async def test_a_field_that_another_writer_keeps_is_left_alone_and_the_rest_is_written(plant: Plant) -> None:
    ref = await fought(plant, {"text": "theirs"}, times=3)
    await plant.declare("shelf", "novels", books={"dune": {"text": "ours", "place": 2}})
    await plant.calm(ref)
    assert plant.loop.found["dune"] == {"text": "theirs", "place": 2}
    status = await plant.status(ref)
    assert status.state is State.HELD
    assert status.reason.startswith("another writer keeps changing text of dune; ours was undone 3 times")


async def test_a_contest_ends_by_another_intent(plant: Plant) -> None:
    ref = await fought(plant, {"text": "theirs"}, times=3)
    await plant.calm(ref)
    await plant.declare("shelf", "novels", books={"dune": {"text": "new", "place": 1}})
    await plant.calm(ref)
    assert plant.loop.found["dune"]["text"] == "new"


async def test_a_contest_ends_by_a_release_and_not_by_itself(plant: Plant) -> None:
    ref = await fought(plant, {"text": "theirs"}, times=3)
    for _ in range(30):
        await plant.calm(ref)
        plant.runtime.pass_by(HOUR / 2)
    assert len(plant.acts()) == 3
    await plant.store.commit(release(await decision(plant, ref, "dune")))
    await plant.calm(ref)
    assert plant.loop.found["dune"]["text"] == "ours"


async def test_a_contradiction_is_told_once_although_something_else_is_held_too(plant: Plant) -> None:
    ref = await plant.shelf(BOOKS)
    await plant.declare("shelf", "novels", books=dict(list(BOOKS.items())[6:]))
    del plant.loop.found["29"]
    plant.loop.looks = {"29": 29}
    for _ in range(5):
        await plant.run(ref)
        plant.runtime.pass_by(1.0)
    assert [event.type for event in plant.events()].count("observation.contradictory") == 1


async def test_a_bad_item_is_put_aside_and_the_others_are_done(plant: Plant) -> None:
    ref = await plant.shelf(dict.fromkeys("abcdefgh", 1), found={})
    plant.loop.answers = {"a": [Rejected("too long")] * 1_000}
    for _ in range(60):
        plant.runtime.pass_by(await plant.run(ref) or 60.0)
    assert sorted(plant.loop.found) == list("bcdefgh")
    status = await plant.status(ref)
    assert status.state is State.DEGRADED
    assert status.reason.startswith("1 of 8 cannot be changed: a failed ")
    assert len([act for act in plant.acts() if act.item == "a"]) < 15


async def test_a_bad_item_that_never_answers_is_put_aside_too(plant: Plant) -> None:
    ref = await plant.shelf(dict.fromkeys("abcdefgh", 1), found={})
    plant.loop.answers = {"a": [Conflict("perhaps")] * 1_000}
    for _ in range(600):
        plant.runtime.pass_by(await plant.run(ref) or 60.0)
    assert sorted(plant.loop.found) == list("bcdefgh")
    assert len([act for act in plant.acts() if act.item == "a"]) < 40
