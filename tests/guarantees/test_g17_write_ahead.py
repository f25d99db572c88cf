"""17. Every act is on record before its call and after it: whoever dies in between leaves no twin behind.

Real processes are killed at the same points by the chaos tests.
"""

import pytest
from msgspec.structs import replace

from engine.plant import Plant
from setpoint.drive.fail_points import POINTS
from setpoint.engine.entity import Ref, State
from setpoint.engine.errors import Transient
from setpoint.engine.rows import Act, ActState

from .depot import Depot, Thing

BOOKS = {f"{n:02d}": n for n in range(6)}
LAG = 8.0


class Killed(BaseException):
    """As kill -9 leaves it: nothing after this point is done."""


class LaggingDepot(Depot):
    """What was made is listed only a while later, and most creates are never answered."""

    def __init__(self, plant: Plant) -> None:
        super().__init__()
        self.now = plant.runtime.now
        self.born: dict[int, float] = {}
        self.fails = lambda act: Transient("no answer", landed=True) if act.item > "00" else None

    def page_of(self, number: int) -> list[Thing]:
        for thing in self.things.values():
            self.born.setdefault(thing.id, self.now())
        return [t for t in super().page_of(number) if self.now() >= self.born[t.id] + LAG]


async def declared(plant: Plant) -> tuple[LaggingDepot, Ref]:
    depot = LaggingDepot(plant)
    plant.reconciler.loops["shelf"] = depot  # type: ignore[index]
    return depot, (await plant.declare("shelf", "novels", books=BOOKS)).ref


def process(plant: Plant, depot: Depot, point: str = "", turn: int = 0) -> Plant:
    """Another process on the same store, which dies when it comes to this point for this time."""
    left = [turn]

    def reached(name: str) -> None:
        left[0] -= name == point
        if name == point and left[0] < 0:
            raise Killed

    after = Plant(beside=plant)
    parts = {name: replace(getattr(after.reconciler, name), reached=reached) for name in ("journal", "door")}
    after.reconciler = replace(after.reconciler, loops={"shelf": depot}, **parts)
    return after


async def worked(plant: Plant, ref: Ref, passes: int = 60) -> None:
    for _ in range(passes):
        wait = await plant.run(ref)
        plant.runtime.pass_by(min(wait or 2.0, 2.0))


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("turn", [0, 1, 3])
async def test_whoever_is_killed_at_any_point_leaves_one_of_each_and_all_of_them_tracked(
    kept: Plant, point: str, turn: int
) -> None:
    depot, ref = await declared(kept)
    with pytest.raises(Killed):
        await worked(process(kept, depot, point, turn), ref)
    await worked(process(kept, depot), ref)
    assert sorted(thing.item for thing in depot.things.values()) == sorted(BOOKS)
    assert {thing.mark for thing in depot.things.values()} <= {act.id for act in kept.acts()}
    assert not [act for act in kept.acts() if act.open]
    assert (await kept.status(ref)).state is State.READY


async def test_an_open_act_stops_its_item_and_nothing_else(kept: Plant) -> None:
    depot, ref = await declared(kept)
    with pytest.raises(Killed):
        await kept_at(kept, depot, ref)
    [waiting] = [act for act in kept.acts() if act.state is ActState.STARTED]
    after = process(kept, depot)
    await after.run(ref)
    assert waiting.item not in [act.item for act in depot.calls[1:]]


async def kept_at(plant: Plant, depot: Depot, ref: Ref) -> None:
    await worked(process(plant, depot, "call.after"), ref)


async def test_removed_without_the_row_before_the_call_something_is_made_twice(plant: Plant) -> None:
    depot, ref = await declared(plant)
    with pytest.raises(Killed):
        await worked(process(plant, depot, "call.after"), ref)
    await plant.drop(*(act for act in plant.rows(Act) if act.state is ActState.STARTED))
    await worked(process(plant, depot), ref)
    assert len(depot.named("00")) == 2
