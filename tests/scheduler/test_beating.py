"""A scheduler's own sign of life: how its loops fare, and how many wait."""

import pytest

from engine.fake_runtime import START
from engine.plant import SHOP, Plant
from setpoint.api.loops import SILENT_SECONDS, shown_pulse, told_by
from setpoint.drive.ownership import Ownership
from setpoint.drive.pulse import LOOKED, LOOKED_SECONDS, PULSE, Pulse
from setpoint.engine.agenda import Agenda
from setpoint.engine.entity import Ref
from setpoint.engine.rows import Lane, Sign
from setpoint.engine.store import signs_of
from setpoint.engine.tenure import numbered
from setpoint.scheduler import beating
from setpoint.scheduler.beating import Beating
from setpoint.storage.memory import MemoryStore

HOME = Ref(f"{PULSE}/{numbered('scheduler', 0)}")


def heart(plant: Plant, agenda: Agenda) -> Beating:
    pulse = Pulse()
    pulse.passed(("shelf", SHOP), 0.25, START, failed=False)
    return Beating(plant.store, plant.runtime.now, pulse, agenda, plant.ownership)


async def beaten(plant: Plant, agenda: Agenda) -> None:
    """While somebody looks."""
    await plant.store.sign((Sign(ref=LOOKED, at=plant.runtime.now()),))
    await heart(plant, agenda).beat()


async def told(plant: Plant) -> Sign:
    return (await signs_of(plant.store, (HOME,)))[HOME]


async def test_last_pass_durations_and_who_is_due_are_told_by_kind_and_place(plant: Plant) -> None:
    agenda = Agenda()
    refs = [(await plant.declare("shelf", f"s{n}")).ref for n in range(3)]
    for ref in refs:
        agenda.wake(ref, Lane.EVENT, START)
    await beaten(plant, agenda)
    (found,) = told_by([await told(plant)], plant.runtime.now()).values()
    assert (found.kind, found.at, found.due, set(found.queue)) == ("shelf", START, 3, set(refs))
    shown = shown_pulse(found)
    assert 0.22 < shown["p50"] == shown["p99"] < 0.28


async def test_who_waits_beyond_those_that_are_looked_up_is_estimated(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beating, "COUNTED", 2)
    agenda = Agenda()
    for n in range(6):
        agenda.wake((await plant.declare("shelf", f"s{n}")).ref, Lane.EVENT, START)
    await beaten(plant, agenda)
    (found,) = told_by([await told(plant)], plant.runtime.now()).values()
    assert (found.due, len(found.queue)) == (6, 2)


async def test_nothing_is_told_while_nothing_is_ours(plant: Plant) -> None:
    nobody = Ownership(MemoryStore(), "scheduler", "idle", lambda: 0.0)
    alone = heart(plant, Agenda())
    await plant.store.sign((Sign(ref=LOOKED, at=plant.runtime.now()),))
    await Beating(plant.store, alone.now, alone.pulse, alone.agenda, nobody).beat()
    assert await signs_of(plant.store, (HOME,)) == {}


async def test_a_silent_scheduler_and_its_older_shard_are_not_counted(plant: Plant) -> None:
    await beaten(plant, Agenda())
    sign = await told(plant)
    moved = Sign(ref=Ref("pulse/scheduler/007"), at=sign.at - 1.0, facts=sign.facts)
    once, twice = told_by([sign], sign.at), told_by([sign, moved], sign.at)
    assert once == twice
    assert told_by([sign], sign.at + SILENT_SECONDS) == {}


async def test_when_nobody_looks_nothing_is_written(plant: Plant) -> None:
    await heart(plant, Agenda()).beat()
    assert await signs_of(plant.store, (HOME,)) == {}
    await plant.store.sign((Sign(ref=LOOKED, at=plant.runtime.now() - LOOKED_SECONDS),))
    await heart(plant, Agenda()).beat()
    assert await signs_of(plant.store, (HOME,)) == {}
