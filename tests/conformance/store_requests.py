"""What every store keeps of requests: attempts under their version, and a past of so many generations."""

import pytest

from conformance.store_rows import names, plan, puts, task, zone
from setpoint.engine.entity import Ref, Scope
from setpoint.engine.errors import Conflict
from setpoint.engine.request import PASTS, Attempt, Past, past_of
from setpoint.engine.rows import PlanState, TaskState
from setpoint.engine.store import (
    ATTEMPTS_BEFORE,
    PASTS_BEFORE,
    PASTS_OF,
    QUESTIONS_IN,
    QUESTIONS_OVER,
    TASKS_OVER,
    Change,
    Drop,
    Expect,
    Put,
    Store,
)


def attempt(key: str, until: float = 9.0, version: int = 1) -> Attempt:
    return Attempt(key=key, asked="h", owner="a", until=until, version=version)


def past(identity: str, generation: int) -> Past:
    row = zone(identity, generation=generation, changed_at=float(generation), spec={"n": generation})
    return past_of(row, "changed")


async def test_an_attempt_is_reserved_once_and_moved_by_whoever_holds_its_version(store: Store) -> None:
    first = Change((Expect(Attempt, "k"),), (Put(attempt("k")),))
    await store.commit(first)
    with pytest.raises(Conflict):
        await store.commit(first)
    second = Change((Expect(Attempt, "k", "version", 1),), (Put(attempt("k", version=2)),))
    await store.commit(second)
    with pytest.raises(Conflict):
        await store.commit(second)
    await store.commit(Change(writes=(Drop(Attempt, "k"),)))
    with pytest.raises(Conflict):
        await store.commit(Change((Expect(Attempt, "k", "version", 2),), (Put(attempt("k", version=3)),)))


async def test_attempts_whose_time_is_over_come_oldest_first(store: Store) -> None:
    await store.commit(puts(attempt("a", 3.0), attempt("b", 1.0), attempt("c", 2.0), attempt("d", 5.0)))
    found = await store.read(ATTEMPTS_BEFORE, before=4.0, limit=2)
    assert [row.key for row in found] == ["b", "c"]
    assert await store.read(ATTEMPTS_BEFORE, before=1.0, limit=9) == []


async def test_a_past_comes_newest_first_and_holds_no_more_than_its_ring(store: Store) -> None:
    await store.commit(puts(*(past("1", n) for n in range(1, PASTS + 8)), past("2", 1)))
    found = await store.read(PASTS_OF, ref="zone/1", limit=500)
    assert [row.generation for row in found] == list(range(PASTS + 7, 7, -1))
    assert [row.spec for row in await store.read(PASTS_OF, ref="zone/1", limit=1)] == [{"n": PASTS + 7}]
    assert await store.read(PASTS_OF, ref="zone/none", limit=9) == []


async def test_what_was_declared_before_a_time_comes_oldest_first(store: Store) -> None:
    await store.commit(puts(past("2", 2), past("3", 1), past("3", 9)))
    found = await store.read(PASTS_BEFORE, before=9.0, limit=9)
    assert [(row.ref, row.generation) for row in found] == [("zone/3", 1), ("zone/2", 2)]
    assert len(await store.read(PASTS_BEFORE, before=9.0, limit=1)) == 1


async def test_tasks_that_ended_come_oldest_first(store: Store) -> None:
    states = {"t3": TaskState.DONE, "t1": TaskState.DONE, "t2": TaskState.RUNNING, "t4": TaskState.FAILED}
    await store.commit(puts(*(task(name, state) for name, state in states.items())))
    assert await names(store, TASKS_OVER, after="", limit=9) == ["t1", "t3", "t4"]
    assert await names(store, TASKS_OVER, after="t1", limit=1) == ["t3"]


async def test_plans_that_were_only_asked_for_come_when_they_are_over(store: Store) -> None:
    states = {"p1": PlanState.SHOWN, "p2": PlanState.ASKED, "p3": PlanState.REJECTED}
    asked = [plan(name, state, ref=Ref(f"plan/{name}"), kind="plan") for name, state in states.items()]
    await store.commit(puts(*asked, plan("p4"), plan("p5", PlanState.DONE)))
    assert await names(store, QUESTIONS_OVER, limit=9) == ["p1", "p3"]
    assert await names(store, QUESTIONS_OVER, limit=1) == ["p1"]


async def test_dry_runs_of_one_organization_come_oldest_first_by_their_ids(store: Store) -> None:
    states = {"p2": PlanState.SHOWN, "p1": PlanState.SHOWN, "p3": PlanState.ASKED, "p4": PlanState.REJECTED}
    asked = [plan(name, state, ref=Ref(f"plan/{name}"), kind="plan") for name, state in states.items()]
    other = plan("p0", PlanState.SHOWN, ref=Ref("plan/p0"), kind="plan", scope=Scope("beta"))
    await store.commit(puts(*asked, other, plan("p5"), plan("p6", PlanState.DONE)))
    home = asked[0].organization
    assert await names(store, QUESTIONS_IN, organization=home, state="shown", limit=9) == ["p1", "p2"]
    assert await names(store, QUESTIONS_IN, organization=home, state="shown", limit=1) == ["p1"]
    assert await names(store, QUESTIONS_IN, organization=home, state="asked", limit=9) == ["p3"]
    assert await names(store, QUESTIONS_IN, organization="nobody", state="shown", limit=9) == []
