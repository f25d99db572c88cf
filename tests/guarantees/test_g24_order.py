"""24. What others need is made before them and goes after them; nothing goes before all is built."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.graphs import ITEMS, Graph, closed, graphs
from engine.plant import Plant
from setpoint.engine import guards
from setpoint.engine.errors import Rejected


async def broken_moments(needs: Graph, found: set[str], wanted: set[str], bad: set[str]) -> list[str]:
    """Every item that was there without something it needs, at any moment of a life of some passes."""
    plant = await Plant().start()
    ref = (await plant.declare("stack", "novels", books=dict.fromkeys(sorted(wanted), 1))).ref
    plant.loop.found = dict.fromkeys(found, 1)
    await plant.proven(ref)
    plant.loop.say = {"needs": needs}
    plant.loop.answers = {item: [Rejected("no")] * 2 for item in bad}
    wrong: list[str] = []

    async def moment() -> None:
        there = plant.loop.found.keys()
        wrong.extend(item for item in there for need in needs.get(item, ()) if need not in there)

    plant.loop.while_acting = moment
    for _ in range(8):
        await plant.run(ref)
        await moment()
        plant.runtime.pass_by(40.0)
    return wrong


SOME = st.sets(st.sampled_from(ITEMS))


@settings(max_examples=60)
@given(graphs(), SOME, SOME, SOME)
async def test_in_any_graph_at_no_moment_is_something_there_without_what_it_needs(
    needs: Graph, found: set[str], wanted: set[str], bad: set[str]
) -> None:
    assert await broken_moments(needs, closed(found, needs), closed(wanted, needs), bad) == []


async def test_what_replaces_something_is_there_before_that_goes(plant: Plant) -> None:
    ref = await plant.proven(await plant.shelf({"new": 1, "x": 1}, found={"old": 1, "x": 1}))
    await plant.calm(ref)
    assert [(str(act.verb), act.item) for act in plant.loop.acts] == [("create", "new"), ("delete", "old")]


async def test_no_wave_goes_out_while_the_last_one_is_not_well(plant: Plant) -> None:
    ref = await plant.shelf(dict.fromkeys("abcdefg", 1), found={})
    plant.loop.say = {"unhealthy": frozenset("a")}
    for _ in range(4):
        await plant.run(ref)
    assert list(plant.loop.found) == ["a"]
    plant.loop.say = {}
    await plant.calm(ref)
    assert len(plant.loop.found) == 7


async def test_removed_things_are_made_in_the_order_of_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guards, "arranged", lambda actions, needs: tuple(actions))
    monkeypatch.setattr(guards, "_with_their_needs", lambda wave, building, needs: wave)
    assert await broken_moments({"a": ("b",)}, set(), {"a", "b"}, set()) != []
