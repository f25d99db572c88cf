"""7. Deletes have a budget across domains and across processes."""

import pytest

from engine.library import nothing
from engine.people import shelves
from engine.plant import Plant
from setpoint.engine.entity import Ref
from setpoint.engine.fleet import Fleet
from setpoint.engine.limits import Limits

from .removal import without

LIMIT = 50


async def test_two_deletes_in_each_of_fifty_domains_stop_at_the_limit(plant: Plant) -> None:
    refs = await shelves(plant, 50)
    for ref in refs:
        await plant.calm(ref)
    assert len(plant.acts()) == Limits().fleet_tenant == LIMIT
    held = [(await plant.status(ref)).reason for ref in refs[25:]]
    assert all("organization acme has 0 of 50 left this hour" in reason for reason in held)


async def race(plant: Plant) -> tuple[Plant, list[Ref]]:
    """Two processes, each about to delete two things in a domain of its own, with room for three in all."""
    plant.limits = Limits(fleet_tenant=3)
    refs = await shelves(plant, 2)
    other = Plant(beside=plant)
    other.limits = plant.limits
    return other, refs


async def test_two_processes_that_judged_at_the_same_moment_do_not_spend_it_twice(kept: Plant) -> None:
    other, (mine, theirs) = await race(kept)
    first = await kept.reconciler.judged(await kept.entity(mine), kept.loop)
    second = await other.reconciler.judged(await other.entity(theirs), other.loop)
    assert (len(first.verdict.allowed), len(second.verdict.allowed)) == (2, 2)
    for process, ref in ((kept, mine), (other, theirs), (kept, mine), (other, theirs)):
        await process.run(ref)
    assert len(kept.acts()) == 2


async def test_what_is_reserved_is_gone_before_the_first_call(kept: Plant) -> None:
    other, (mine, theirs) = await race(kept)

    async def meanwhile() -> None:
        kept.loop.while_acting = nothing
        await other.run(theirs)

    kept.loop.while_acting = meanwhile
    await kept.run(mine)
    assert {act.domain for act in kept.acts()} == {mine}


async def test_removed_every_domain_deletes_within_its_own_limits(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def always(*_: object) -> bool:
        return True

    without(monkeypatch, "fleet_budget")
    monkeypatch.setattr(Fleet, "take", always)
    for ref in await shelves(plant, 50):
        await plant.calm(ref)
    assert len(plant.acts()) == 100
