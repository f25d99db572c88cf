"""9. Updates roll out in waves that double, and stop at the first bad one; a replace counts as a delete."""

import pytest

from engine.plant import Plant
from engine.situations import case
from setpoint.engine import guards
from setpoint.engine.conclude import WAVE_SECONDS
from setpoint.engine.errors import Denied, Rejected, Transient
from setpoint.engine.guards import judge
from setpoint.engine.plan import Action, Verb

BOOKS = {f"{n:04d}": n for n in range(1_000)}


async def rolled(plant: Plant, *bad: str, error: Exception | None = None) -> list[int]:
    """The sizes of the waves in which all thousand are updated; some of them may always fail."""
    ref = await plant.shelf(BOOKS)
    await plant.declare("shelf", "novels", books=dict.fromkeys(BOOKS, "new"))
    plant.loop.answers = {item: [error or Rejected("too long")] * 99 for item in bad}
    waves: list[int] = []
    for _ in range(15):
        before = len(plant.loop.acts)
        await plant.run(ref)
        waves.append(len(plant.loop.acts) - before)
    return waves


async def test_an_update_of_a_thousand_goes_out_in_growing_waves(plant: Plant) -> None:
    assert await rolled(plant) == [1, 2, 4, 8, 16, 32, 64, 128, 250, 250, 245, 0, 0, 0, 0]


@pytest.mark.parametrize("error", [Denied("401"), Transient("no route")])
async def test_it_stops_at_the_first_bad_wave(plant: Plant, error: Exception) -> None:
    waves = await rolled(plant, *list(BOOKS)[5:], error=error)
    assert waves[:3] == [1, 2, 4]
    assert waves[3] == 4  # The third was two good ones and two bad: those may have been bad by themselves.
    assert set(waves[4:]) <= {0, 1}
    assert sum(1 for value in plant.loop.found.values() if value == "new") == 5


async def test_a_key_that_fails_by_itself_leaves_its_wave(plant: Plant) -> None:
    waves = await rolled(plant, "0005")
    assert waves[:5] == [1, 2, 4, 4, 8]
    assert sum(1 for value in plant.loop.found.values() if value == "new") == 999


async def test_a_wave_that_is_not_well_yet_is_looked_at_again_in_a_moment(plant: Plant) -> None:
    ref = await plant.shelf(BOOKS)
    await plant.declare("shelf", "novels", books=dict.fromkeys(BOOKS, "new"))
    assert await plant.run(ref) == 0.0
    plant.loop.say = {"unhealthy": frozenset({"0000"})}
    assert await plant.run(ref) == WAVE_SECONDS
    assert len(plant.loop.acts) == 1


@pytest.mark.parametrize(("number", "goes"), [(10, True), (11, False)])
def test_a_replace_counts_as_a_delete(number: int, goes: bool) -> None:
    actions = tuple(Action(verb=Verb.REPLACE, item=f"{n}", before=n, after=-n) for n in range(number))
    assert bool(judge(case(actions)).allowed) == goes


async def test_removed_everything_is_tried_at_once_after_the_first(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guards, "_wave", lambda building, unsure, case: building)
    assert (await rolled(plant))[0] == 1_000
