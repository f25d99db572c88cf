"""12. Where a kind can park, what is deleted can come back as the same thing until its time is up."""

from engine.plant import Plant
from setpoint.engine.entity import Ref
from setpoint.engine.ledger import Parked
from setpoint.engine.limits import DAY
from setpoint.engine.plan import Verb

from .depot import Depot

BOOKS = {f"{n:02d}": n for n in range(30)}


async def withdrawn(plant: Plant, *, parks: bool = True) -> tuple[Depot, Ref]:
    """A depot of which one thing is declared no more."""
    depot = Depot()
    depot.stock(**BOOKS)
    depot.parks = parks
    plant.reconciler.loops["shelf"] = depot  # type: ignore[index]
    ref = (await plant.declare("shelf", "novels", books=BOOKS)).ref
    await looked(plant, ref, 3)
    await plant.declare("shelf", "novels", books=dict(list(BOOKS.items())[1:]))
    await looked(plant, ref)
    return depot, ref


async def looked(plant: Plant, ref: Ref, times: int = 1) -> None:
    for _ in range(times):
        await plant.calm(ref)
        plant.runtime.pass_by(5.0)


async def test_declared_again_before_its_time_it_is_the_same_thing(kept: Plant) -> None:
    depot, ref = await withdrawn(kept)
    [before] = depot.named("00")
    assert (before.parked > 0, [row.item for row in kept.rows(Parked)]) == (True, ["00"])
    await kept.declare("shelf", "novels", books=BOOKS)
    await looked(kept, ref)
    [after] = depot.named("00")
    assert (after.id, after.parked, kept.rows(Parked)) == (before.id, 0.0, [])
    assert [act.verb for act in depot.calls] == [Verb.PARK, Verb.UNPARK]


async def test_after_its_time_it_goes(kept: Plant) -> None:
    depot, ref = await withdrawn(kept)
    kept.runtime.pass_by(7 * DAY - 60)
    await looked(kept, ref)
    assert len(depot.named("00")) == 1
    kept.runtime.pass_by(60)
    await looked(kept, ref, 4)
    assert (depot.named("00"), kept.rows(Parked)) == ([], [])


async def test_removed_without_a_park_it_comes_back_as_another_thing(kept: Plant) -> None:
    depot, ref = await withdrawn(kept, parks=False)
    assert depot.named("00") == []
    await kept.declare("shelf", "novels", books=BOOKS)
    await looked(kept, ref)
    assert [thing.id for thing in depot.named("00")] == [31]
