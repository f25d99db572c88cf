"""The chain of evidence: whoever edits, drops, swaps or cuts a line is found out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from setpoint.engine.audit import broken_at, chained
from setpoint.engine.rows import Audit

from .plant import Plant

LINES = st.lists(st.sampled_from(["intent.declared", "act.done"]), min_size=3, max_size=8)


def chain(actions: list[str]) -> list[Audit]:
    entries: list[Audit] = []
    for number, action in enumerate(actions, 1):
        line = Audit(organization="acme", actor="ann", action=action, ref="a/1", at=1.0, detail={"x": number})
        entries.append(chained(line, revision=number, previous=entries[-1].hash if entries else ""))
    return entries


@given(LINES)
def test_an_untouched_chain_is_whole(lines: list[str]) -> None:
    entries = chain(lines)
    assert broken_at(entries) is None
    assert broken_at(entries[2:], previous=entries[1].hash) is None


@given(LINES, st.data())
def test_an_edited_line_breaks_the_chain_there(lines: list[str], data: st.DataObject) -> None:
    entries = chain(lines)
    place = data.draw(st.integers(0, len(entries) - 1))
    field, value = data.draw(
        st.sampled_from(
            [("actor", "eve"), ("action", "other action"), ("ref", "b/2"), ("at", 2.0), ("detail", {"x": -1})]
        )
    )
    entries[place] = replace(entries[place], **{field: value})
    assert broken_at(entries) == entries[place].revision


@given(LINES, st.data())
def test_a_line_edited_and_sealed_again_breaks_the_one_after_it(
    lines: list[str], data: st.DataObject
) -> None:
    entries = chain(lines)
    place = data.draw(st.integers(0, len(entries) - 2))
    edited = replace(entries[place], actor="eve")
    entries[place] = chained(edited, revision=edited.revision, previous=edited.previous)
    assert broken_at(entries) == entries[place + 1].revision


@given(LINES, st.data())
def test_a_dropped_line_breaks_the_chain(lines: list[str], data: st.DataObject) -> None:
    entries = chain(lines)
    place = data.draw(st.integers(0, len(entries) - 2))
    del entries[place]
    assert broken_at(entries) == entries[place].revision


@given(LINES, st.data())
def test_swapped_lines_break_the_chain(lines: list[str], data: st.DataObject) -> None:
    entries = chain(lines)
    place = data.draw(st.integers(0, len(entries) - 2))
    entries[place], entries[place + 1] = entries[place + 1], entries[place]
    assert broken_at(entries) == entries[place].revision


@given(LINES, st.data())
def test_a_chain_that_was_cut_does_not_end_where_its_head_says(lines: list[str], data: st.DataObject) -> None:
    entries = chain(lines)
    head = entries[-1].hash
    left = entries[: data.draw(st.integers(0, len(entries) - 1))]
    assert broken_at(left) is None
    assert [line.hash for line in left][-1:] != [head]


def test_a_chain_without_its_beginning_is_broken_at_once() -> None:
    entries = chain(["a", "b", "c"])
    assert broken_at(entries[1:]) == 2


async def test_everything_the_engine_writes_is_one_chain(plant: Plant) -> None:
    ref = await plant.shelf({"dune": 1, "emma": 2}, found={})
    await plant.calm(ref)
    assert len(plant.audit()) > 5
    assert broken_at(plant.audit()) is None


@pytest.mark.parametrize("place", [0, 3, -1])
async def test_what_the_engine_wrote_cannot_be_edited_unseen(plant: Plant, place: int) -> None:
    ref = await plant.shelf({"dune": 1, "emma": 2}, found={})
    await plant.calm(ref)
    lines = list(plant.audit())
    lines[place] = replace(lines[place], actor="nobody")
    assert broken_at(lines) == lines[place].revision
