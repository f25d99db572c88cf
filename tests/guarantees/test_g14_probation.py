"""14. On a new footing nothing is deleted before two complete looks, counted across processes."""

import pytest

from engine.plant import Plant
from setpoint.engine.entity import Ref
from setpoint.engine.limits import HOUR

from .removal import without

BOOKS = {f"{n:02d}": n for n in range(30)}


async def misread(plant: Plant) -> Ref:
    """An upgrade of the adapter that reads one id wrongly: a thing nobody knows seems to be there."""
    ref = await plant.shelf(BOOKS)
    plant.code = "upgraded"
    plant.loop.found["00x"] = 0
    return ref


async def runs(plant: Plant, ref: Ref, number: int, gap: float) -> list[int]:
    """How many deletes there were after each of so many runs, each in a process of its own."""
    counted = []
    for _ in range(number):
        process = Plant(beside=plant)
        process.code = plant.code
        await process.calm(ref)
        counted.append(len(plant.acts()))
        plant.runtime.pass_by(gap)
    return counted


async def test_an_adapter_that_misreads_an_id_after_an_upgrade_is_held(kept: Plant) -> None:
    ref = await misread(kept)
    await kept.calm(ref)
    assert kept.acts() == []
    reason = (await kept.status(ref)).reason
    assert "on probation" in reason
    assert "0 of 2 complete looks before the first delete" in reason


@pytest.mark.parametrize("gap", [5.0, 600.0, HOUR])
async def test_a_run_from_cron_deletes_on_its_third_run(kept: Plant, gap: float) -> None:
    ref = (await kept.declare("shelf", "novels", books=dict(list(BOOKS.items())[1:]))).ref
    kept.loop.found = dict(BOOKS)
    assert await runs(kept, ref, 4, gap) == [0, 0, 1, 1]


async def test_a_run_every_day_deletes_in_the_end(kept: Plant) -> None:
    ref = (await kept.declare("shelf", "novels", books=dict(list(BOOKS.items())[1:]))).ref
    kept.loop.found = dict(BOOKS)
    assert (await runs(kept, ref, 6, 24 * HOUR))[-1] == 1


async def test_a_plain_restart_holds_nothing(kept: Plant) -> None:
    ref = await kept.shelf(BOOKS)
    await kept.declare("shelf", "novels", books=dict(list(BOOKS.items())[1:]))
    assert await runs(kept, ref, 1, 0.0) == [1]


async def test_removed_what_was_misread_is_deleted_at_once(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = await misread(plant)
    without(monkeypatch, "probation")
    await plant.calm(ref)
    assert [act.item for act in plant.acts()] == ["00x"]
