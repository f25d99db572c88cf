"""The wall between tenants on one shared connection: every question shows the tenant that is read for."""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from msgspec.structs import replace

import postgres
from conformance.store_rows import audit, event, plan, puts, recorded, task, zone
from setpoint.engine import store as named
from setpoint.engine.entity import Ref, Scope, State, Status
from setpoint.engine.store import TENANT, Change, Query
from setpoint.storage.postgres import PostgresStore, connection, open_postgres, statements
from setpoint.storage.postgres.tenancy import WALLED, is_walled

TENANTS = ("acme", "beta")
QUERIES = sorted({each.name: each for each in vars(named).values() if isinstance(each, Query)}.items())
REFS = [f"dns_zone/{tenant}" for tenant in TENANTS]
SHOWN_BY_TENANT = "SELECT tablename FROM pg_policies WHERE policyname = 'one_tenant'"


@pytest.fixture
async def shared(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[PostgresStore]:
    """The API's store with one connection for all, on a database with two tenants."""
    url = await postgres.emptied()
    owner = await open_postgres(url, allow_unsafe=True)
    for tenant in TENANTS:
        await owner.commit(rows_of(tenant))
    await owner.close()
    monkeypatch.setattr(connection, "_READERS", 1)
    found = await open_postgres(url, role="api", allow_unsafe=True)
    yield found
    await found.close()


def rows_of(tenant: str) -> Change:
    """A row of every sort that is kept by tenant."""
    ref, scope = Ref(f"dns_zone/{tenant}"), Scope(tenant, "shop")
    declared = replace(zone("1"), ref=ref, scope=scope, name=tenant, owner="file", parent=Ref("host/1"))
    made = puts(
        declared,
        Status(ref=ref, state=State.FAILED, reason="no"),
        plan(f"plan-{tenant}", ref=ref, scope=scope),
        task(f"task-{tenant}", organization=tenant, target=ref),
        replace(recorded(f"pass-{tenant}"), ref=ref, organization=tenant),
    )
    about = {"organization": tenant, "ref": ref}
    return Change(writes=made.writes, events=(event(**about),), audit=(audit(organization=tenant),))


def values_for(question: str, tenant: str) -> Iterator[tuple[str, Any]]:
    """Something for every place of a question, so that it finds what there is of this tenant."""
    ref = f"dns_zone/{tenant}"
    known = {
        "organization": tenant, "ref": ref, "domain": ref, "target": ref, "parent": "host/1", "owner": "file",
        "slot": f"dns_zone|{tenant}/shop|{tenant}", "kind": "dns_zone", "state": "", "unseen": "",
        "limit": 100, "since": 0.0, "before": 1e12, "below": 10**9, "value": "",
        "refs": json.dumps(REFS), "ids": json.dumps(REFS), "keys": json.dumps(REFS),
        "slots": json.dumps([f"dns_zone|{each}/shop|{each}" for each in TENANTS]),
    }  # fmt: skip
    for name in statements.questions()[question].names:
        if name == "after" and question in ("events_after", "audit_page", "audit_back"):
            yield name, 0
        elif name == "value" and "changed" in question:
            yield name, 1e12 if "down" in question else 0.0
        elif name != "end":
            yield name, known.get(name, "~" if "down" in question else "")


async def answer(store: PostgresStore, query: Query[Any], tenant: str) -> list[Any]:
    before = TENANT.set(tenant)
    try:
        return await store.read(query, **dict(values_for(query.name, tenant)))
    finally:
        TENANT.reset(before)


@pytest.mark.parametrize(("name", "query"), QUERIES, ids=[name for name, _ in QUERIES])
async def test_each_question_shows_one_tenant_whoever_asked_before(
    shared: PostgresStore, name: str, query: Query[Any]
) -> None:
    alone = {}
    for tenant in TENANTS:
        await shared._pool.expire_connections()
        alone[tenant] = await answer(shared, query, tenant)
    for tenant in (*TENANTS, *TENANTS):
        # The connection last served the other tenant, by another question.
        found = await answer(shared, query, tenant)
        assert found == alone[tenant]
        others = {each for each in TENANTS if each != tenant}
        if is_walled(statements.questions()[name].sql):
            assert {organization_of(row) for row in found}.isdisjoint(others)


@pytest.mark.parametrize("asked", ["tallies", "declared_page", "plans_page", "events_after", "audit_page"])
async def test_nobody_gets_an_empty_answer_after_another_tenant(shared: PostgresStore, asked: str) -> None:
    query = dict(QUERIES)[asked]
    for tenant in TENANTS * 3:
        assert await answer(shared, query, tenant), f"{asked} shows nothing of {tenant}"


async def test_the_walled_tables_are_those_that_the_database_shows_by_tenant(shared: PostgresStore) -> None:
    async with shared._lent() as session:
        assert {row[0] for row in await session.fetch(SHOWN_BY_TENANT)} == WALLED


def organization_of(row: Any) -> str:
    found: str = row.scope.organization if hasattr(row, "scope") else getattr(row, "organization", "")
    return found
