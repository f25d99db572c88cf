"""28. Intent and drift converge by looking; events are only hints.

With the real agenda and a virtual clock: tests/drive/test_events_are_hints.py.
"""

import pytest

from engine.library import EVERY
from engine.plant import Plant
from setpoint.engine.entity import Ref, State
from setpoint.engine.rows import Wake

BOOKS = dict.fromkeys("abcdefg", 1)


async def converged(plant: Plant, ref: Ref, *, deaf: bool, times: int = 1) -> float:
    """Seconds until it is READY again at its newest generation; `deaf`: no event is ever delivered."""
    began = plant.runtime.now()
    if deaf:
        plant.runtime.pass_by(EVERY)
    for _ in range(50):
        waits = [await plant.run(ref) for _ in range(times)]
        status = await plant.status(ref)
        if status.state is State.READY and status.generation == (await plant.entity(ref)).generation:
            break
        plant.runtime.pass_by(min(wait if wait is not None else EVERY for wait in waits))
    return plant.runtime.now() - began


async def changed(plant: Plant) -> Ref:
    ref = await plant.shelf(BOOKS)
    plant.loop.acts.clear()
    await plant.declare("shelf", "novels", books=dict.fromkeys("abcdefg", 2))
    return ref


@pytest.mark.parametrize("deaf", [True, False])
async def test_with_every_event_lost_a_change_converges_within_one_interval(
    kept: Plant, *, deaf: bool
) -> None:
    ref = await changed(kept)
    if deaf:
        await kept.drop(*kept.rows(Wake))
    assert await converged(kept, ref, deaf=deaf) <= EVERY
    assert set(kept.loop.found.values()) == {2}


async def test_each_event_ten_times_causes_the_same_acts(plant: Plant) -> None:
    once = await Plant().start()
    await converged(once, await changed(once), deaf=False)
    await converged(plant, await changed(plant), deaf=False, times=10)
    assert [act.item for act in plant.loop.acts] == [act.item for act in once.loop.acts] == list(BOOKS)


async def test_how_long_it_took_is_counted(plant: Plant) -> None:
    ref = await changed(plant)
    plant.runtime.pass_by(7.0)
    await plant.calm(ref)
    assert ("converged", "shelf", 7.0) in plant.meter.told
    plant.loop.found["a"] = "drifted"
    await plant.run(ref)
    plant.runtime.pass_by(3.0)
    await plant.run(ref)
    assert ("put_back", "shelf", 3.0) in plant.meter.told


async def test_removed_without_the_interval_a_lost_event_is_a_lost_change(plant: Plant) -> None:
    ref = await changed(plant)
    await plant.drop(*plant.rows(Wake))
    plant.runtime.pass_by(1_000 * EVERY)
    assert plant.loop.acts == []
    assert (await plant.status(ref)).generation == 1
