"""Three pens: for each service, PostgreSQL itself refuses to write what belongs to another."""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator
from typing import Any

import asyncpg  # type: ignore[import-untyped]
import pytest
from msgspec.structs import replace

import postgres
from conformance.store_leases import asked
from conformance.store_rows import (
    audit,
    event,
    names,
    one_of_each,
    plan,
    protection,
    puts,
    sign,
    status,
    switch,
    task,
    wake,
    zone,
)
from setpoint.engine.entity import Declared, Ref, Scope, Status
from setpoint.engine.errors import Conflict, Denied
from setpoint.engine.ledger import Protection
from setpoint.engine.rows import Installation, PlanState, Switch, Task, TaskState, Wake
from setpoint.engine.store import (
    AUDIT_PAGE,
    EVENTS_AFTER,
    TASKS_OPEN,
    TENANT,
    WAKES_AFTER,
    Change,
    Drop,
    Expect,
    Put,
)
from setpoint.engine.tables import TABLES
from setpoint.storage.postgres import PostgresStore, open_postgres

PENS: Any = ["api", "worker", "scheduler"]
EVERYBODY = {"installation", "wake"}
WRITES = {
    "api": {
        *EVERYBODY,
        *("acceptance", "account", "approval", "attempt", "cancellation", "claim", "declared", "factors"),
        "letter",
        *(
            "link",
            "past",
            "plan",
            "protection",
            "released",
            "secret",
            "standing",
            "strikes",
            "switch",
            "task",
        ),
        "token",
    },
    "worker": EVERYBODY | {"master", "organization_key", "replica", "secret", "secret_use", "task"},
    "scheduler": {
        *EVERYBODY,
        *(
            "act",
            "approval",
            "budget",
            "claim",
            "declared",
            "ledger",
            "master",
            "parked",
            "pass",
            "past",
            "plan",
        ),
        *("replica", "secret_use", "status", "task"),
    },
}
DROPS = {
    "api": {
        *("acceptance", "account", "attempt", "claim", "declared", "factors", "letter", "link", "past"),
        *(
            "protection",
            "released",
            "secret",
            "secret_use",
            "standing",
            "status",
            "strikes",
            "switch",
            "token",
            "wake",
        ),
    },
    "worker": {*("cancellation", "organization_key", "replica", "secret", "secret_use", "task", "wake")},
    "scheduler": {
        *("act", "attempt", "budget", "claim", "declared", "ledger", "parked", "pass", "past", "replica"),
        *("secret_use", "status", "wake"),
    },
}
PRIVATE = {"factors", "letter", "link", "strikes"}
"""What only the API may even read."""


@pytest.fixture
async def url() -> str:
    return await postgres.emptied()


@pytest.fixture
async def owner(url: str) -> AsyncIterator[PostgresStore]:
    """Whoever may write everything."""
    store = await open_postgres(url, allow_unsafe=True)
    yield store
    await store.close()


@pytest.fixture
async def pen(request: pytest.FixtureRequest, url: str) -> AsyncIterator[PostgresStore]:
    store = await open_postgres(url, role=request.param, allow_unsafe=True)
    yield store
    await store.close()


def holding(*roles: str) -> Any:
    return pytest.mark.parametrize("pen", roles, indirect=True)


async def allowed(store: PostgresStore, change: Change) -> bool:
    try:
        await store.commit(change)
    except Denied as denied:
        return not re.search("permission denied|row-level security", str(denied))
    return True


@pytest.mark.parametrize("role", PENS)
async def test_a_pen_puts_what_is_its_own_and_nothing_else(url: str, role: Any) -> None:
    store = await open_postgres(url, role=role, allow_unsafe=True)
    put = {TABLES[type(row)].name for row in one_of_each() if await allowed(store, puts(row))}
    assert put == WRITES[role]
    for row in one_of_each():
        if role != "api" and TABLES[type(row)].name in PRIVATE:
            continue
        found = await store.get(type(row), getattr(row, TABLES[type(row)].key))
        assert found == (row if TABLES[type(row)].name in put else None)
    await store.close()


@pytest.mark.parametrize("role", PENS)
async def test_a_pen_drops_what_is_its_own_and_nothing_else(
    url: str, owner: PostgresStore, role: Any
) -> None:
    store = await open_postgres(url, role=role, allow_unsafe=True)
    dropped = set()
    for row in one_of_each():
        key = getattr(row, TABLES[type(row)].key)
        await owner.commit(puts(row))
        await allowed(store, Change(writes=(Drop(type(row), key),)))
        if await owner.get(type(row), key) is None:
            dropped.add(TABLES[type(row)].name)
        await owner.commit(Change(writes=(Drop(type(row), key),)))
    await store.close()
    assert dropped == DROPS[role]


@holding("worker", "scheduler")
async def test_what_people_prove_themselves_with_is_read_by_the_api_alone(
    owner: PostgresStore, pen: PostgresStore
) -> None:
    for row in one_of_each():
        table = TABLES[type(row)]
        if table.name in PRIVATE:
            await owner.commit(puts(row))
            with pytest.raises(Denied, match="permission denied"):
                await pen.get(type(row), getattr(row, table.key))


@holding(*PENS)
async def test_whoever_acts_writes_evidence_events_and_wakes(pen: PostgresStore) -> None:
    await pen.commit(Change(writes=(Put(wake("w1")),), events=(event(),), audit=(audit(),)))
    await pen.commit(Change(writes=(Drop(Wake, "w1"),), events=(event(),), audit=(audit(),)))


@holding(*PENS)
async def test_whoever_comes_first_says_who_we_are(pen: PostgresStore) -> None:
    first = Change((Expect(Installation, "installation"),), (Put(Installation(id="i1")),))
    await pen.commit(first)
    with pytest.raises(Conflict):
        await pen.commit(first)


@holding(*PENS)
async def test_every_pen_can_tell_which_database_it_is_in(pen: PostgresStore, owner: PostgresStore) -> None:
    assert await pen.identity() == await owner.identity()


@pytest.mark.parametrize("role", PENS)
@pytest.mark.parametrize("table", ["audit", "event"])
@pytest.mark.parametrize("does", ["UPDATE {} SET revision = 7", "DELETE FROM {}", "TRUNCATE {}"])
async def test_nobody_changes_what_was_evidence(
    url: str, owner: PostgresStore, role: str, table: str, does: str
) -> None:
    await owner.commit(Change(events=(event(),), audit=(audit(),)))
    session = await asyncpg.connect(url)
    await session.execute(f"SET ROLE setpoint_{role}")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await session.execute(does.format(table))
    await session.close()


@holding("scheduler")
async def test_a_loop_declares_parts_and_never_what_people_declare(
    pen: PostgresStore, owner: PostgresStore
) -> None:
    await owner.commit(puts(zone("1")))
    part = zone("2", parent=Ref("zone/1"))
    expect = Expect(Declared, "zone/2", "generation", 1)
    assert await allowed(pen, puts(part))
    assert await allowed(pen, Change(expects=(expect,), writes=(Put(replace(part, generation=2)),)))
    assert not await allowed(pen, puts(zone("3")))
    assert not await allowed(pen, puts(zone("1", generation=2)))
    assert await allowed(pen, Change(writes=(Drop(Declared, "zone/1"),)))


@holding("scheduler")
async def test_the_scheduler_rests_on_what_it_may_not_write(pen: PostgresStore, owner: PostgresStore) -> None:
    await owner.commit(puts(zone("1"), switch("all"), protection("www")))
    expects = (
        Expect(Declared, "zone/1", "generation", 1),
        Expect(Switch, "all", "version", 1),
        Expect(Switch, "kind:zone"),
        Expect(Protection, "zone/1|www", "domain", "zone/1"),
        Expect(Protection, "zone/1|mail"),
    )
    assert await allowed(pen, Change(expects=expects, writes=(Put(status("1")),)))
    assert not await allowed(pen, puts(switch("all", 2)))
    assert not await allowed(pen, puts(protection("mail")))
    with pytest.raises(Conflict, match="version 2, and has 1"):
        await pen.commit(Change(expects=(Expect(Switch, "all", "version", 2),)))


@pytest.mark.parametrize(
    "does",
    [
        "UPDATE declared SET generation = 9 WHERE parent IS NULL",
        "UPDATE declared SET parent = NULL",
        "UPDATE switch SET version = 9",
        "UPDATE protection SET domain = 'zone/9'",
        "DELETE FROM switch",
        "DELETE FROM protection",
    ],
)
async def test_the_scheduler_changes_nothing_that_people_said_however_it_asks(
    url: str, owner: PostgresStore, does: str
) -> None:
    await owner.commit(puts(zone("1"), zone("2", parent=Ref("zone/1")), switch("all"), protection("www")))
    session = await asyncpg.connect(url)
    await session.execute("SET ROLE setpoint_scheduler")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await session.execute(does)
    await session.close()


@holding("api", "scheduler")
async def test_others_ask_for_a_task_and_never_change_one(pen: PostgresStore, owner: PostgresStore) -> None:
    assert await allowed(pen, puts(task("t1")))
    assert not await allowed(pen, puts(task("t2", TaskState.RUNNING)))
    assert not await allowed(pen, puts(task("t1", TaskState.DONE)))
    assert not await allowed(pen, puts(task("t1", attempts=1)))
    assert await names(owner, TASKS_OPEN) == ["t1"]


@holding("worker")
async def test_the_worker_takes_a_task_to_its_end(pen: PostgresStore, owner: PostgresStore) -> None:
    await owner.commit(puts(task("t1")))
    for state in (TaskState.RUNNING, TaskState.DONE):
        assert await allowed(pen, puts(task("t1", state)))
    assert await owner.get(Task, "t1") == task("t1", TaskState.DONE)


@holding("worker", "scheduler")
async def test_whoever_owns_work_leases_it(pen: PostgresStore) -> None:
    assert len((await pen.lease(asked("a", more=5))).mine) == 5
    assert len((await pen.lease(asked("a", more=5))).mine) == 10


@holding("api")
async def test_the_api_owns_no_work(pen: PostgresStore) -> None:
    with pytest.raises(Denied, match="permission denied"):
        await pen.lease(asked("a", more=5))


@holding(*PENS)
async def test_signs_of_life_are_the_pen_of_the_api(
    pen: PostgresStore, request: pytest.FixtureRequest
) -> None:
    if request.node.callspec.params["pen"] == "api":
        await pen.sign([sign("1", 1.0)])
        await pen.sign([sign("1", 2.0)])
    else:
        with pytest.raises(Denied, match=r"permission denied|row-level security"):
            await pen.sign([sign("1", 1.0)])


@holding(*PENS)
async def test_the_pulse_of_loops_is_the_pen_of_the_scheduler(
    pen: PostgresStore, request: pytest.FixtureRequest
) -> None:
    beat = replace(sign("1", 1.0), ref=Ref("pulse/scheduler/000"))
    if request.node.callspec.params["pen"] == "scheduler":
        await pen.sign([beat])
        await pen.sign([replace(beat, at=2.0)])
    else:
        with pytest.raises(Denied, match=r"permission denied|row-level security"):
            await pen.sign([beat])


@holding("api")
async def test_what_the_api_lets_go_at_once_takes_its_status_along(
    pen: PostgresStore, owner: PostgresStore
) -> None:
    await owner.commit(puts(zone("1"), status("1")))
    assert await allowed(pen, Change(writes=(Drop(Declared, "zone/1"), Drop(Status, "zone/1"))))


@holding("scheduler")
async def test_a_member_without_the_right_fails_alone(pen: PostgresStore) -> None:
    changes = [puts(wake("a")), puts(switch("all")), puts(wake("b"))]
    outcomes = await asyncio.gather(*map(pen.commit, changes), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [type(None), Denied, type(None)]
    assert await names(pen, WAKES_AFTER, after="", limit=9) == ["a", "b"]


async def test_a_login_takes_on_only_the_pen_it_was_given(url: str, owner: PostgresStore) -> None:
    session = await asyncpg.connect(url)
    await session.execute("CREATE ROLE alice LOGIN; GRANT setpoint_worker TO alice")
    try:
        login = url.replace("postgres@", "alice@")
        with pytest.raises(Denied, match='permission denied to set role "setpoint_scheduler"'):
            await open_postgres(login, role="scheduler", allow_unsafe=True)
        store = await open_postgres(login, role="worker", allow_unsafe=True)
        assert await allowed(store, puts(task("t1")))
        assert not await allowed(store, puts(status("1")))
        await store.close()
    finally:
        await session.execute("DROP ROLE alice")
        await session.close()


@holding("api")
async def test_what_is_read_for_one_tenant_shows_no_other(owner: PostgresStore, pen: PostgresStore) -> None:
    """A second wall: the database itself keeps other tenants out of sight, whatever the query says."""
    acme, other = zone("1"), replace(zone("2"), scope=Scope("other"), name="two")
    tenant = replace(zone("3"), kind="organization", scope=Scope(), name="acme")
    lines = Change(
        writes=(*(Put(row) for row in (acme, other, tenant)), Put(task("t1", organization="other"))),
        events=(event(), event(organization="other")),
        audit=(audit(), audit(organization="other")),
    )
    await owner.commit(lines)
    before = TENANT.set("acme")
    try:
        assert await pen.get(Declared, acme.ref) == acme
        assert await pen.get(Declared, tenant.ref) == tenant
        assert await pen.get(Declared, other.ref) is None
        assert await pen.get(Task, "t1") is None
        assert await pen.read(EVENTS_AFTER, organization="other", after=0, limit=9) == []
        assert await pen.read(AUDIT_PAGE, organization="other", after=0, limit=9) == []
        assert len(await pen.read(EVENTS_AFTER, organization="acme", after=0, limit=9)) == 1
    finally:
        TENANT.reset(before)
    assert await pen.get(Declared, other.ref) == other
    assert len(await pen.read(AUDIT_PAGE, organization="other", after=0, limit=9)) == 1


@holding("worker", "scheduler")
async def test_the_other_services_look_after_every_tenant(owner: PostgresStore, pen: PostgresStore) -> None:
    await owner.commit(puts(zone("1")))
    before = TENANT.set("other")
    try:
        assert await pen.get(Declared, zone("1").ref) == zone("1")
    finally:
        TENANT.reset(before)


@holding("scheduler")
async def test_the_scheduler_forgets_only_operations_that_ended(
    pen: PostgresStore, owner: PostgresStore
) -> None:
    asked = {"kind": "plan", "scope": Scope("acme"), "name": "q"}
    rows = (
        task("open"),
        task("over", TaskState.DONE),
        plan("held"),
        plan("asked", PlanState.ASKED, ref=Ref("plan/asked"), **asked),
        plan("shown", PlanState.SHOWN, ref=Ref("plan/shown"), **asked),
    )
    await owner.commit(puts(*rows))
    for row in rows:
        with contextlib.suppress(Denied):
            await pen.commit(Change(writes=(Drop(type(row), row.id),)))
    assert [each.id for each in rows if await owner.get(type(each), each.id)] == ["open", "held", "asked"]
