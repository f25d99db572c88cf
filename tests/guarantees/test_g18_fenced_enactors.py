"""18. Who was overtaken begins nothing any more: epoch and generation are checked inside begin."""

from typing import Any

import pytest

from engine.library import nothing
from engine.plant import Plant
from setpoint.engine import journal
from setpoint.engine.entity import Ref
from setpoint.engine.errors import Conflict
from setpoint.engine.rows import Shard
from setpoint.engine.store import Change, Expect

from .removal import without


async def overtaken(plant: Plant) -> tuple[Ref, list[int]]:
    """A process that sleeps past its lease in the middle of a pass, while another does all the work."""
    ref = await plant.shelf({"a": 1, "b": 1}, found={})
    done: list[int] = []

    async def asleep() -> None:
        plant.loop.while_observing = nothing
        await (await plant.taken_over()).calm(ref)
        done.append(len(plant.loop.acts))

    plant.loop.while_observing = asleep
    return ref, done


async def test_a_process_that_wakes_up_after_its_lease_begins_nothing(kept: Plant) -> None:
    ref, done = await overtaken(kept)
    with pytest.raises(Conflict, match="epoch"):
        await kept.run(ref)
    assert (len(kept.loop.acts), done) == (2, [2])
    [epoch] = {act.epoch for act in kept.acts()}
    assert epoch > 1


async def test_removed_it_does_again_what_the_other_has_done(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref, done = await overtaken(plant)

    def careless(expects: tuple[Expect, ...] = (), *more: Any, **named: Any) -> Change:
        return Change(tuple(each for each in expects if each.row is not Shard), *more, **named)

    monkeypatch.setattr(journal, "Change", careless)
    without(monkeypatch, "second_look")
    with pytest.raises(Conflict, match="epoch"):
        await plant.run(ref)
    assert len(plant.loop.acts) > done[0]
