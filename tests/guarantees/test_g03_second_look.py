"""3. Before an absence is acted on, a direct look must agree."""

import pytest

from engine.plant import Plant
from setpoint.engine.entity import Ref
from setpoint.engine.plan import UNKNOWN

from .removal import without

BOOKS = {f"{n:02d}": n for n in range(30)}


async def contradicted(plant: Plant, *, listed: bool) -> Ref:
    """The listing and a direct look disagree: about one that is declared, or one that is not."""
    ref = await plant.shelf(BOOKS)
    if listed:
        await plant.declare("shelf", "novels", books=dict(list(BOOKS.items())[1:]))
        plant.loop.looks = {"00": "changed meanwhile"}
    else:
        plant.loop.looks = {"00": plant.loop.found.pop("00")}
    return ref


def told(plant: Plant) -> int:
    return [event.type for event in plant.events()].count("observation.contradictory")


@pytest.mark.parametrize("listed", [False, True], ids=["listed as gone", "listed as there"])
async def test_where_a_look_disagrees_nothing_is_done_and_it_is_told_once(
    kept: Plant, *, listed: bool
) -> None:
    ref = await contradicted(kept, listed=listed)
    for _ in range(5):
        await kept.run(ref)
        kept.runtime.pass_by(1.0)
    assert (kept.acts(), told(kept)) == ([], 1)


async def test_where_a_look_knows_nothing_nothing_is_done(plant: Plant) -> None:
    ref = await plant.shelf(BOOKS)
    del plant.loop.found["00"]
    plant.loop.looks = {"00": UNKNOWN}
    await plant.run(ref)
    assert plant.acts() == []


async def test_where_a_look_agrees_it_is_done(plant: Plant) -> None:
    ref = await plant.shelf(BOOKS)
    del plant.loop.found["00"]
    await plant.calm(ref)
    assert plant.loop.found == BOOKS


@pytest.mark.parametrize("listed", [False, True], ids=["made twice", "deleted unseen"])
async def test_removed_the_listing_alone_is_believed(
    plant: Plant, monkeypatch: pytest.MonkeyPatch, *, listed: bool
) -> None:
    ref = await contradicted(plant, listed=listed)
    without(monkeypatch, "second_look")
    await plant.run(ref)
    assert [act.item for act in plant.acts()] == ["00"]
