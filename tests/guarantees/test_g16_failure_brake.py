"""16. Where most acts fail, everything stops but a probe now and then."""

import itertools

import pytest

from engine.plant import Plant
from setpoint.engine.errors import Rejected

from .depot import Depot
from .removal import without

MINUTES = 20


async def at_sixty_percent(plant: Plant, minutes: float = MINUTES) -> list[float]:
    """When calls were made in so many minutes in which three of five fail."""
    depot = Depot()
    depot.fails = lambda act: Rejected("no") if len(depot.calls) % 5 < 3 else None
    plant.reconciler.loops["shelf"] = depot  # type: ignore[index]
    ref = (await plant.declare("shelf", "novels", books={f"{n:03d}": n for n in range(400)})).ref
    until = plant.runtime.now() + 60.0 * minutes
    while plant.runtime.now() < until:
        wait = await plant.run(ref)
        plant.runtime.pass_by(60.0 if wait is None else max(wait, 0.1))
    return [act.began_at for act in depot.calls]


async def test_at_sixty_percent_errors_there_are_at_most_twenty_calls_and_then_probes(plant: Plant) -> None:
    times = await at_sixty_percent(plant)
    probes = [later for earlier, later in itertools.pairwise(times) if later - earlier >= 30.0]
    assert len(times) - len(probes) <= 20
    assert MINUTES / 2 <= len(probes) <= 2 * MINUTES


async def test_removed_calls_go_on_and_on(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "failure_brake", "slow_lane")
    times = await at_sixty_percent(plant, minutes=1)
    fast = [later for earlier, later in itertools.pairwise(times) if later - earlier < 30.0]
    assert len(fast) > 40
