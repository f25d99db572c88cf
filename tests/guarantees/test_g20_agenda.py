"""20. Everybody gets a turn, and how often something failed survives a restart.

Fairness, ageing and jitter are the agenda's: tests/engine/test_agenda.py, test_agenda_fairness.py (one tenant
with 100,000 dirty keys), test_agenda_model.py. Here: failures are counted across processes.
"""

import pytest

from engine.plant import Plant
from setpoint.engine import conclude
from setpoint.engine.agenda import Agenda
from setpoint.engine.entity import Ref
from setpoint.engine.errors import Transient
from setpoint.engine.rows import Lane


async def waits(plant: Plant, restarts: int = 6) -> list[float | None]:
    """How long each of so many processes waits after the one failure that it sees."""
    ref = await plant.shelf({})
    plant.loop.blind = Transient("no answer")
    return [await Plant(beside=plant).run(ref) for _ in range(restarts)]


async def test_failures_are_counted_across_restarts(kept: Plant) -> None:
    assert await waits(kept) == [0.6, 1.1, 2.1, 4.1, 8.1, 16.1]


def test_one_tenants_crowd_does_not_keep_anothers_single_change_waiting() -> None:
    agenda = Agenda()
    for number in range(100_000):
        agenda.wake(Ref(f"shelf/{number}"), Lane.EVENT, 0.0, "crowd")
    agenda.wake(Ref("shelf/mine"), Lane.EVENT, 0.0, "me")
    served = [agenda.take(0.0) for _ in range(3)]
    assert "shelf/mine" in [due.ref for due in served if due]


async def test_removed_every_restart_begins_to_hurry_again(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    remembered = conclude.status_after_error
    monkeypatch.setattr(
        conclude, "status_after_error", lambda *about: conclude.replace(remembered(*about), failures=1)
    )
    assert set(await waits(plant)) == {0.6}
