"""What is on record is kept for thirty days or a gigabyte, and then forgotten, the oldest first."""

from pathlib import Path
from typing import Any

import pytest

import setpoint.scheduler.housekeeping as subject
from conformance.store_rows import plan, puts, task, zone
from engine.fake_runtime import FakeRuntime
from engine.situations import ALONE
from setpoint.engine.entity import Ref, Scope
from setpoint.engine.guards import judge
from setpoint.engine.limits import DAY
from setpoint.engine.record import Recorded, recordable
from setpoint.engine.request import Attempt, past_of
from setpoint.engine.rows import PlanState, TaskState
from setpoint.engine.store import ATTEMPTS_BEFORE, PASSES_PAGE, PASTS_OF, Change, Put, Store
from setpoint.scheduler.housekeeping import Housekeeping
from setpoint.storage.memory import MemoryStore
from setpoint.storage.sqlite import open_sqlite


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


async def test_answers_are_forgotten_after_their_day_and_the_past_after_a_year() -> None:
    store, runtime = MemoryStore(), FakeRuntime()
    now = runtime.now()
    attempts = [Attempt(key=f"{at}", asked="", owner="", until=now + at) for at in (-1.0, 1.0)]
    old = [zone(name, changed_at=now - days * DAY) for name, days in (("old", 366), ("new", 364))]
    rows = (*attempts, *(past_of(row, "declared") for row in old))
    await store.commit(Change(writes=tuple(Put(row) for row in rows)))
    assert await Housekeeping(store, runtime).tidy() == 0.0
    assert [row.key for row in await store.read(ATTEMPTS_BEFORE, before=now + 9, limit=9)] == ["1.0"]
    assert await store.read(PASTS_OF, ref="zone/old", limit=9) == []
    assert len(await store.read(PASTS_OF, ref="zone/new", limit=9)) == 1
    assert await Housekeeping(store, runtime).tidy() is None


@pytest.mark.parametrize("kept", ["memory", "sqlite"])
async def test_an_operation_is_kept_for_thirty_days_after_it_ended(tmp_path: Path, kept: str) -> None:
    store: Store = MemoryStore() if kept == "memory" else await open_sqlite(tmp_path)
    runtime = FakeRuntime()
    ages = {"old": -30 * DAY - 1, "new": -30 * DAY + 1}
    asked = {"kind": "plan", "scope": Scope("acme")}
    rows: list[Any] = [zone("1")]
    for name, age in ages.items():
        at, gone = runtime.now() + age, Ref(f"webhook/1.{name}")
        rows += [task(f"t-{name}", TaskState.DONE, target=gone, changed_at=at)]
        rows += [task(f"o-{name}", TaskState.WAITING, target=gone, changed_at=at)]
        rows += [plan(f"p-{name}", PlanState.SHOWN, ref=Ref(f"plan/{name}"), **asked, changed_at=at)]
    last = task("z", TaskState.FAILED, changed_at=runtime.now() - 99 * DAY)
    await store.commit(puts(*rows, last))
    assert await Housekeeping(store, runtime).tidy() == 0.0
    left = [row.id for row in (*rows[1:], last) if await store.get(type(row), row.id) is not None]
    assert left == ["o-old", "t-new", "o-new", "p-new", "z"]
    assert await Housekeeping(store, runtime).tidy() is None
    await store.close()


async def test_too_much_on_record_loses_the_oldest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    store, runtime = MemoryStore(), FakeRuntime()
    for number in range(5):
        await recorded(store, f"{number}", runtime.now() - 100 + number)
    monkeypatch.setattr(subject, "KEPT_BYTES", 1000)
    monkeypatch.setattr(subject, "AT_ONCE", 2)
    assert await Housekeeping(store, runtime).tidy() == 0.0
    assert await left(store) == ["4", "3", "2"]
