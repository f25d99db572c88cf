"""What is on record is kept for thirty days or a gigabyte, and then forgotten, the oldest first."""

import pytest

import setpoint.scheduler.housekeeping as subject
from engine.fake_runtime import FakeRuntime
from engine.situations import ALONE
from setpoint.engine.entity import Ref
from setpoint.engine.guards import judge
from setpoint.engine.limits import DAY
from setpoint.engine.record import Recorded, recordable
from setpoint.engine.store import PASSES_PAGE, Change, Put
from setpoint.scheduler.housekeeping import Housekeeping
from setpoint.storage.memory import MemoryStore


async def recorded(store: MemoryStore, identity: str, at: float) -> None:
    case = ALONE["empty_intent"]
    row = Recorded(
        id=identity,
        ref=Ref("zone/1"),
        kind="zone",
        name="one",
        organization="acme",
        at=at,
        case=recordable(case),
        verdict=judge(case),
    )
    await store.commit(Change(writes=(Put(row),)))


async def left(store: MemoryStore) -> list[str]:
    return [row.id for row in await store.read(PASSES_PAGE, ref="", after="", limit=100)]


async def test_a_pass_is_kept_for_thirty_days() -> None:
    store, runtime = MemoryStore(), FakeRuntime()
    await recorded(store, "old", runtime.now() - 30 * DAY - 1)
    await recorded(store, "new", runtime.now() - 30 * DAY + 1)
    assert await Housekeeping(store, runtime).tidy() == 0.0
    assert await left(store) == ["new"]
    assert await Housekeeping(store, runtime).tidy() is None


async def test_too_much_on_record_loses_the_oldest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    store, runtime = MemoryStore(), FakeRuntime()
    for number in range(5):
        await recorded(store, f"{number}", runtime.now() - 100 + number)
    monkeypatch.setattr(subject, "KEPT_BYTES", 1000)
    monkeypatch.setattr(subject, "AT_ONCE", 2)
    assert await Housekeeping(store, runtime).tidy() == 0.0
    assert await left(store) == ["4", "3", "2"]
