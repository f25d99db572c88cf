"""13. A switch that is committed stops everything at its level: nothing begins after it."""

import asyncio

import pytest
from msgspec.structs import replace

from engine.plant import ACME, SHOP, Plant
from setpoint.engine import gather
from setpoint.engine.entity import Ref, State
from setpoint.engine.errors import Transient
from setpoint.engine.levers import Levers
from setpoint.engine.limits import Limits
from setpoint.engine.rows import Mode
from setpoint.engine.store import Change
from setpoint.storage.memory import MemoryStore

ACTS = 1_000
AFTER = 100


async def queued(plant: Plant, acts: int = ACTS) -> list[tuple[Plant, Ref]]:
    """So many acts in all, in three domains of three processes, all of them in one wave."""
    plants = [plant, *(Plant(beside=plant) for _ in range(2))]
    found = []
    for number, each in enumerate(plants):
        each.limits = Limits(wave_floor=ACTS)
        books = {f"{n:04d}": n for n in range(number, acts, 3)}
        row = await each.declare("shelf", f"shelf-{number}", books=books)
        plant.loop.places[row.ref] = {}
        await plant.put(replace(await plant.ledger(row.ref), created=ACTS))
        found.append((each, row.ref))
    return found


async def stopped(plant: Plant, key: str = "all") -> tuple[int, int]:
    """How many acts had begun when the switch was committed, and how many in the end."""
    work = await queued(plant)
    begun = asyncio.Event()

    async def at_call() -> None:
        await asyncio.sleep(0)
        if len(plant.loop.acts) >= AFTER:
            begun.set()

    plant.loop.while_acting = at_call
    passes = asyncio.gather(*(each.run(ref) for each, ref in work))
    await begun.wait()
    await plant.switch(Mode.STOP, key)
    at_once = len(plant.acts())
    await passes
    return at_once, len(plant.acts())


@pytest.mark.parametrize("key", ["all", "kind:shelf", f"scope:{ACME}", f"scope:{SHOP}"])
async def test_of_a_thousand_acts_on_three_replicas_none_begins_after_the_switch(
    kept: Plant, key: str
) -> None:
    at_once, in_the_end = await stopped(kept, key)
    assert AFTER <= at_once < ACTS / 2
    assert in_the_end == at_once
    assert len(kept.loop.acts) == at_once


async def test_a_domain_can_be_stopped_alone_and_the_others_go_on(kept: Plant) -> None:
    work = await queued(kept, acts=30)
    await kept.switch(Mode.STOP, f"domain:{work[0][1]}")
    await asyncio.gather(*(each.run(ref) for each, ref in work))
    assert {act.domain for act in kept.acts()} == {ref for _, ref in work[1:]}


@pytest.mark.parametrize(
    ("mode", "verbs"), [(Mode.NO_DELETES, ["create"]), (Mode.OBSERVE, []), (Mode.STOP, [])]
)
async def test_each_mode_stops_what_it_names(kept: Plant, mode: Mode, verbs: list[str]) -> None:
    ref = await kept.proven(await kept.shelf({"a": 1, "b": 1, "c": 1}, found={"b": 1, "c": 1, "old": 1}))
    await kept.switch(mode)
    await kept.calm(ref)
    assert [str(act.verb) for act in kept.acts()] == verbs
    assert (await kept.status(ref)).state is State.HELD


async def test_without_a_store_nothing_begins() -> None:
    class Away(MemoryStore):
        away = False

        async def commit(self, change: Change) -> None:
            if self.away:
                raise Transient("the store does not answer")
            await super().commit(change)

    store = Away()
    plant = await Plant(store).start()
    ref = await plant.shelf({"a": 1}, found={})
    store.away = True
    with pytest.raises(Transient):
        await plant.run(ref)
    assert (plant.loop.acts, plant.loop.found) == ([], {})


async def test_removed_what_was_queued_goes_on_after_the_switch(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unread(*_: object) -> Levers:
        return Levers((), ())

    monkeypatch.setattr(gather, "read_levers", unread)
    at_once, in_the_end = await stopped(plant)
    assert (at_once < ACTS / 2, in_the_end) == (True, ACTS)
