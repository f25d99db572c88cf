"""4. A pass reads one snapshot of intent; a write during the pass changes nothing in it."""

from typing import Any

import pytest

from engine.library import nothing
from engine.plant import Plant
from setpoint.engine import journal
from setpoint.engine.entity import Declared, Ref
from setpoint.engine.errors import Transient
from setpoint.engine.store import Change, Expect


async def edited_meanwhile(plant: Plant) -> Ref:
    """A shelf that lacks one book, and whose declaration asks for another one while it is looked at."""
    ref = await plant.shelf({"old": 1}, found={})

    async def edit() -> None:
        plant.loop.while_observing = nothing
        await plant.declare("shelf", "novels", books={"new": 1})

    plant.loop.while_observing = edit
    return ref


async def test_a_write_during_a_pass_changes_nothing_in_that_pass_and_stops_its_acts(kept: Plant) -> None:
    ref = await edited_meanwhile(kept)
    await kept.run(ref)
    assert (kept.acts(), (await kept.status(ref)).generation) == ([], 1)
    await kept.calm(ref)
    assert kept.loop.found == {"new": 1}


async def test_what_was_planned_carries_the_generation_it_was_planned_for(kept: Plant) -> None:
    ref = await kept.shelf({"a": 1}, found={})
    await kept.calm(ref)
    assert {act.generation for act in kept.acts()} == {1}


async def test_where_a_source_cannot_be_read_nothing_is_sealed_and_nothing_planned(plant: Plant) -> None:
    ref = await plant.shelf({"a": 1}, found={"b": 1})
    plant.loop.blind = Transient("the store of declarations does not answer")
    await plant.run(ref)
    assert (plant.acts(), plant.plans()) == ([], [])


async def test_removed_an_act_of_the_old_intent_begins_after_the_new_one(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = await edited_meanwhile(plant)

    def careless(expects: tuple[Expect, ...] = (), *more: Any, **named: Any) -> Change:
        return Change(tuple(each for each in expects if each.row is not Declared), *more, **named)

    monkeypatch.setattr(journal, "Change", careless)
    await plant.run(ref)
    assert [act.item for act in plant.loop.acts] == ["old"]
