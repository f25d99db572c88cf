"""21. What keeps failing by itself is tried hourly and costs the others nothing; an outage parks nobody.

That the agenda empties the lane when an account recovers: tests/engine/test_agenda.py.
"""

import pytest

from engine.plant import ACME, Plant
from setpoint.engine import conclude
from setpoint.engine.entity import Ref
from setpoint.engine.errors import Rejected, Transient
from setpoint.engine.limits import HOUR

from .depot import Depot
from .removal import without

KEYS = 10_000
ITEMS = 2_000  # Of one domain: what ten thousand would show takes longer and is no different.


async def pair(plant: Plant) -> tuple[Ref, Ref]:
    """A poison key, and another one that stands for the 9,999 others of its account."""
    await plant.declare("account", "cloud", scope=ACME)
    bad, good = [(await plant.declare("shelf", name, account="cloud")).ref for name in ("bad", "good")]
    return bad, good


async def passes_of_the_poison(plant: Plant, hours: float = 1.0) -> int:
    """How many turns it takes while its account does well elsewhere."""
    bad, good = await pair(plant)
    until, number = plant.runtime.now() + hours * HOUR, 0
    while plant.runtime.now() < until:
        plant.loop.blind = Rejected("poison")
        wait = await plant.run(bad)
        number += 1
        plant.loop.blind = None
        plant.runtime.pass_by(wait or 60.0)
        await plant.run(good)
    return number


async def test_one_poison_key_among_ten_thousand_takes_less_than_a_hundredth_of_their_turns(
    plant: Plant,
) -> None:
    assert await passes_of_the_poison(plant) < KEYS / 100


async def made(plant: Plant, poison: str = "") -> tuple[Depot, int, int]:
    """Many items of one domain; how many calls and passes until all but the poison are there."""
    depot = Depot()
    depot.fails = lambda act: Rejected("poison") if act.item == poison else None
    plant.reconciler.loops["shelf"] = depot  # type: ignore[index]
    books = {f"{n:05d}": n for n in range(ITEMS)}
    ref, passes = (await plant.declare("shelf", "novels", books=books)).ref, 0
    while len(depot.things) < ITEMS - bool(poison) and passes < 200:
        wait = await plant.run(ref)
        passes += 1
        plant.runtime.pass_by(wait or 0.0)
    return depot, len(depot.calls), passes


async def test_one_poison_item_among_many_costs_less_than_a_hundredth_more_calls(plant: Plant) -> None:
    depot, calls, _ = await made(plant, poison="00000")
    assert len(depot.things) == ITEMS - 1
    assert calls < 1.01 * ITEMS


async def test_an_outage_of_the_provider_parks_nobody(plant: Plant) -> None:
    bad, good = await pair(plant)
    for _ in range(40):
        for ref in (bad, good):
            plant.loop.blind = Transient("no answer")
            assert await plant.run(ref) < 61.0  # type: ignore[operator]
            plant.runtime.pass_by(30.0)


async def test_removed_the_poison_takes_its_turn_for_ever(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conclude, "slowed", lambda status, slow: False)
    assert await passes_of_the_poison(plant) > KEYS / 100


async def tries_of_the_poison(plant: Plant) -> int:
    """How often one of three items is tried within the hour after the others were made."""
    depot = Depot()
    depot.fails = lambda act: Rejected("poison") if act.item == "a" else None
    plant.reconciler.loops["shelf"] = depot  # type: ignore[index]
    ref = (await plant.declare("shelf", "novels", books=dict.fromkeys("abc", 1))).ref
    until = plant.runtime.now() + HOUR
    while plant.runtime.now() < until:
        plant.runtime.pass_by(min(60.0, max(10.0, await plant.run(ref) or 0.0)))
    assert len(depot.things) == 2
    return len([act for act in depot.calls if act.item == "a"])


async def test_a_poison_item_is_soon_tried_now_and_then_only(plant: Plant) -> None:
    assert await tries_of_the_poison(plant) < 15


@pytest.mark.parametrize("kept", ["slow_lane", "back_off", ""])
async def test_removed_a_poison_item_is_tried_over_and_over(
    plant: Plant, monkeypatch: pytest.MonkeyPatch, kept: str
) -> None:
    without(monkeypatch, *{"slow_lane", "back_off"} - {kept})
    tries = await tries_of_the_poison(plant)
    assert tries > (30 if kept == "back_off" else 7)
