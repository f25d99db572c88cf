"""22. Two engines with opposite intents stop; neither writes what the other keeps undoing."""

import pytest

from engine.plant import Plant
from setpoint.engine.entity import Ref, State

from .removal import without

ROUNDS = 200


async def opponents() -> list[tuple[Plant, Ref]]:
    """Two installations, each with a store of its own, which want different things of one world."""
    first = await Plant().start()
    second = await Plant().start()
    second.loop.found = first.loop.found = {"dune": {"text": "first", "place": 1}}
    second.loop.there = first.loop.there  # type: ignore[method-assign]
    sides = []
    for plant, text in ((first, "first"), (second, "second")):
        row = await plant.declare("shelf", "novels", books={"dune": {"text": text, "place": 1}})
        sides.append((plant, row.ref))
    return sides


async def fought(sides: list[tuple[Plant, Ref]], rounds: int = ROUNDS) -> list[int]:
    """How many acts each of them made, looking in turns every minute."""
    for _ in range(rounds):
        for plant, ref in sides:
            await plant.run(ref)
        for plant, _ in sides:
            plant.runtime.pass_by(60.0)
    return [len(plant.acts()) for plant, _ in sides]


async def test_two_engines_with_opposite_intents_both_stop_and_say_so() -> None:
    sides = await opponents()
    assert max(await fought(sides)) <= 3
    plant, ref = min(sides, key=lambda side: side[0].loop.found["dune"]["text"] == "first")
    states = [await each.status(ref) for each, ref in sides]
    assert any(
        status.state is State.HELD and "another writer keeps changing text of dune" in status.reason
        for status in states
    )
    assert (plant.loop.found["dune"]["place"], ref) == (1, ref)


async def test_what_they_do_not_fight_about_is_still_written() -> None:
    sides = await opponents()
    await fought(sides, rounds=10)
    held = [side for side in sides if (await side[0].status(side[1])).state is State.HELD]
    plant, ref = held[0]
    text = (await plant.entity(ref)).spec.books["dune"]["text"]
    await plant.declare("shelf", "novels", books={"dune": {"text": text, "place": 2}})
    await plant.calm(ref)
    assert plant.loop.found["dune"]["place"] == 2
    assert plant.loop.found["dune"]["text"] != text


async def test_removed_they_fight_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "contested")
    monkeypatch.setattr("setpoint.engine.doubts.effort.contests", lambda case: {})
    assert min(await fought(await opponents())) > 50
