"""19. Nothing destructive outside the set that was shown; two planners apply the union of theirs once."""

import pytest

from engine.library import nothing
from engine.people import approve
from engine.plant import Plant
from setpoint.engine import consent
from setpoint.engine.entity import Ref
from setpoint.engine.errors import Missing
from setpoint.engine.plan import Verb

BOOKS = {f"{n:02d}": n for n in range(30)}


async def two_planners(plant: Plant) -> tuple[Plant, Ref]:
    """Two processes on one shelf; while the first one acts, the second sees one more that is not declared."""
    ref = await plant.shelf(BOOKS)
    plant.loop.found |= {"a": 1, "b": 1}
    other = Plant(beside=plant)

    async def meanwhile() -> None:
        plant.loop.while_acting = nothing
        plant.loop.found["c"] = 1
        await other.run(ref)

    plant.loop.while_acting = meanwhile
    return other, ref


async def test_two_planners_with_overlapping_plans_apply_their_union_once(kept: Plant) -> None:
    other, ref = await two_planners(kept)
    for process in (kept, other, kept, other):
        await process.run(ref)
    assert kept.loop.found == BOOKS
    done = [act.item for act in kept.loop.acts]
    assert (sorted(set(done)), len(done) - len(set(done)) <= 1) == (["a", "b", "c"], True)


async def test_what_one_has_deleted_is_done_for_the_other_as_well(kept: Plant) -> None:
    _, ref = await two_planners(kept)
    kept.loop.while_acting = nothing
    kept.loop.answers = {"a": [Missing("it is gone")]}
    await kept.run(ref)
    assert {(act.item, str(act.state)) for act in kept.acts()} == {("a", "done"), ("b", "done")}


async def shown(plant: Plant) -> Ref:
    """A held plan to delete six, which was approved; then a seventh is seen that nobody was shown."""
    ref = await plant.shelf(BOOKS)
    plant.loop.found |= {f"extra-{n}": n for n in range(6)}
    await plant.run(ref)
    await approve(plant, plant.plans()[0])
    plant.loop.found["not-shown"] = 1
    return ref


async def test_a_plan_with_one_more_than_was_shown_is_accepted_in_no_part(kept: Plant) -> None:
    ref = await shown(kept)
    await kept.run(ref)
    assert kept.acts() == []


async def test_a_part_of_what_was_shown_may_go(kept: Plant) -> None:
    ref = await shown(kept)
    del kept.loop.found["not-shown"]
    del kept.loop.found["extra-0"]
    await kept.run(ref)
    assert sorted(act.item for act in kept.acts()) == [f"extra-{n}" for n in range(1, 6)]


async def test_removed_what_was_not_shown_goes_with_the_rest(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = await shown(plant)
    monkeypatch.setattr(consent, "_unspent", lambda approval, action: action.verb is Verb.DELETE)
    await plant.run(ref)
    assert "not-shown" not in plant.loop.found
