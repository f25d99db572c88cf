"""5. Much less declared than was accepted within a day is held, at once or little by little."""

import pytest
from msgspec.structs import replace

from engine.plant import Plant
from engine.situations import case, deletes
from setpoint.engine.entity import State
from setpoint.engine.guards import judge
from setpoint.engine.limits import Limits
from setpoint.engine.remember import next_ledger

from .removal import without

GENEROUS = Limits(deletes_ceiling=10_000, deletes_share=0.99, fleet_tenant=10_000, fleet_installation=10_000)
"""Nothing but the shrink guard stands in the way."""


async def test_of_a_thousand_declared_999_removed_is_held(plant: Plant) -> None:
    books = {f"{n:04d}": n for n in range(1_000)}
    ref = await plant.shelf(books)
    await plant.declare("shelf", "novels", books={"0000": 0})
    await plant.calm(ref)
    status = await plant.status(ref)
    assert (len(plant.loop.found), status.state) == (1_000, State.HELD)
    assert status.reason.startswith("1 are declared, 999 fewer than the 1000 accepted within a day")


def boiled(passes: int) -> int:
    """How many are left when 19 % of what is left is withdrawn at each pass, five minutes apart."""
    judged = case(desired=1_000, actual=1_000, accepted=1_000, limits=GENEROUS)
    left = 1_000
    for _ in range(passes):
        wanted = left - int(0.19 * left)
        plan = replace(judged.plan, actions=deletes(left - wanted), desired=wanted, actual=left)
        judged = replace(judged, plan=plan, now=judged.now + 300.0)
        judged = replace(judged, ledger=replace(judged.ledger, looked_at=judged.now))
        verdict = judge(judged)
        judged = replace(judged, ledger=next_ledger(judged, verdict, ()))
        left -= len(verdict.allowed)
    return left


def test_nineteen_percent_at_a_time_is_held_as_well() -> None:
    assert boiled(20) == 810


def test_removed_little_by_little_nearly_all_of_it_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "shrunken_intent")
    assert boiled(20) < 50
