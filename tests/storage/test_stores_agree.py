"""For all changes: memory, SQLite and PostgreSQL say the same, and hold the same afterwards."""

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as some

import postgres
from conformance.store_rows import (
    act,
    audit,
    budget,
    event,
    parked,
    plan,
    protection,
    puts,
    recorded,
    refs,
    released,
    status,
    switch,
    task,
    token,
    wake,
    zone,
)
from setpoint.engine import store as queries
from setpoint.engine.entity import Declared, Ref, Scope
from setpoint.engine.errors import Conflict
from setpoint.engine.ledger import Budget, Protection
from setpoint.engine.record import Recorded
from setpoint.engine.rows import Act, ActState, Head, PlanState, Switch, TaskState
from setpoint.engine.store import Change, Drop, Expect, Put, Query, Store
from setpoint.storage.memory import MemoryStore
from setpoint.storage.postgres import open_postgres
from setpoint.storage.sqlite import open_sqlite

MEMORY = next((place for place in (Path("/dev/shm"),) if place.is_dir()), None)  # noqa: S108 - for us alone
FEW = some.sampled_from("123")
DOMAINS = some.sampled_from(["zone/1", "zone/2"])
REFS = some.lists(FEW.map(lambda each: Ref(f"host/{each}")), max_size=3).map(tuple)
SCOPES = some.sampled_from(
    [Scope("acme"), Scope("acme", "shop"), Scope("acme", "shop", "live"), Scope("other")]
)
ZONES = some.builds(
    zone,
    FEW,
    SCOPES,
    name=some.sampled_from("ab"),
    kind=some.sampled_from(["zone", "zone-set", "host"]),
    refs=REFS,
    parent=some.sampled_from([None, Ref("zone/1")]),
    owner=some.sampled_from(["", "git"]),
    generation=some.integers(1, 2),
)
ROWS = some.one_of(
    ZONES,
    some.builds(status, FEW, failures=some.integers(0, 3)),
    some.builds(switch, FEW, version=some.integers(1, 2)),
    some.builds(wake, FEW, some.sampled_from(["zone/1", "zone/2"])),
    some.builds(act, FEW, some.sampled_from(ActState), item=some.just("www"), began_at=some.floats(0, 9)),
    some.builds(plan, FEW, some.sampled_from(PlanState), scope=SCOPES),
    some.builds(task, FEW, some.sampled_from(TaskState), key=some.just("move")),
    some.builds(protection, FEW, DOMAINS),
    some.builds(released, FEW, DOMAINS, at=some.floats(0, 9)),
    some.builds(parked, FEW, DOMAINS, until=some.floats(0, 9)),
    some.builds(budget, FEW, version=some.integers(1, 2)),
    some.builds(recorded, FEW, DOMAINS, at=some.floats(0, 9), deletes=some.integers(0, 2)),
    some.builds(token, FEW, some.just(""), some.sampled_from(["", "host/1"])),
)
DROPS = some.one_of(
    FEW.map(lambda each: Drop(Declared, f"zone/{each}")),
    FEW.map(lambda each: Drop(Act, each)),
    FEW.map(lambda each: Drop(Switch, each)),
    FEW.map(lambda each: Drop(Recorded, each)),
    FEW.map(lambda each: Drop(Protection, f"zone/1|{each}")),
)
EXPECTS = some.one_of(
    FEW.map(lambda each: Expect(Switch, each)),
    FEW.map(lambda each: Expect(Protection, f"zone/1|{each}")),
    FEW.map(lambda each: Expect(Budget, each, "version", 1)),
    some.builds(
        Expect, some.just(Declared), some.just("zone/1"), some.just("generation"), some.integers(1, 2)
    ),
)
ORGANIZATIONS = some.sampled_from(["acme", "other"])
CHANGES = some.builds(
    Change,
    expects=some.lists(EXPECTS, max_size=1).map(tuple),
    writes=some.lists(some.one_of(ROWS.map(Put), DROPS), max_size=4).map(tuple),
    events=some.lists(ORGANIZATIONS.map(lambda each: event("e", each)), max_size=2).map(tuple),
    audit=some.lists(ORGANIZATIONS.map(lambda each: audit("a", each)), max_size=2).map(tuple),
)
SCOPED = [
    {"organization": "", "project": "", "workspace": ""},
    {"organization": "acme", "project": "", "workspace": ""},
    {"organization": "acme", "project": "shop", "workspace": ""},
    {"organization": "acme", "project": "shop", "workspace": "live"},
]
QUESTIONS: list[tuple[Query[Any], dict[str, Any]]] = [
    *((queries.DECLARED_INSIDE, scope) for scope in SCOPED),
    *(
        (queries.DECLARED_PAGE, scope | {"kind": kind, "after": after, "limit": 2})
        for scope in SCOPED
        for kind in ("", "zone", "host")
        for after in ("", "zone/1", "host/2")
    ),
    *(
        (query, scope | {"kind": "", "text": "a", "state": "", "unseen": "", "limit": 9} | start)
        for query, start in (
            (queries.BY_CREATED, {"after": "host/1"}),
            (queries.BY_NAME_DOWN, {"value": "b", "after": "zone/2"}),
            (queries.BY_CHANGED, {"value": -1.0, "after": ""}),
        )
        for scope in SCOPED
    ),
    *((queries.TALLIES, scope) for scope in SCOPED),
    *((queries.DECLARED_REFERRING, {"ref": f"host/{each}"}) for each in "123"),
    (queries.DECLARED_CHILDREN, {"parent": "zone/1"}),
    (queries.DECLARED_OWNED, {"organization": "acme", "owner": "git"}),
    (queries.DECLARED_AT, {"slot": "zone|acme|a"}),
    (queries.STATUSES, {"refs": refs("zone/3", "zone/1")}),
    (queries.WAKES_OF, {"ref": "zone/1"}),
    (queries.WAKES_AFTER, {"after": "1", "limit": 9}),
    (queries.ACTS_OPEN, {"domain": ""}),
    (queries.ACTS_SINCE, {"domain": "zone/1", "since": 4.5}),
    (queries.ACTS_PAGE, {"domain": "zone/1", "after": "3", "limit": 1}),
    *(
        (queries.PLANS_PAGE, {"organization": "acme", "state": s, "after": "", "limit": 9})
        for s in ("", "held")
    ),
    (queries.TASKS_OPEN, {}),
    (queries.TASKS_OF, {"target": "zone/1"}),
    *((queries.EVENTS_AFTER, {"organization": each, "after": 0, "limit": 99}) for each in ("acme", "other")),
    *((queries.AUDIT_PAGE, {"organization": each, "after": 1, "limit": 99}) for each in ("acme", "other")),
    *((queries.AUDIT_BACK, {"organization": each, "after": 3, "limit": 1}) for each in ("acme", "other")),
    (queries.FIRST_EVENT_OF, {"ref": "zone/1"}),
    (queries.EVENTS_OF, {"ref": "zone/1", "limit": 3}),
    (queries.PROTECTIONS_OF, {"domain": "zone/1"}),
    (queries.RELEASED_OF, {"domain": "zone/1"}),
    (queries.PARKED_OF, {"domain": "zone/1"}),
    *((queries.PASSES_PAGE, {"ref": ref, "after": "3", "limit": 2}) for ref in ("", "zone/1")),
    (queries.PASSES_OLDEST, {"before": 4.5, "limit": 2}),
    (queries.PASSES_KEPT, {}),
    (queries.ATTEMPTS_BEFORE, {"before": 4.5, "limit": 2}),
    (queries.TASKS_OVER, {"after": "1", "limit": 2}),
    (queries.QUESTIONS_OVER, {"limit": 2}),
    (queries.PASTS_OF, {"ref": "zone/1", "limit": 2}),
    (queries.PASTS_BEFORE, {"before": 4.5, "limit": 2}),
    (queries.BUDGETS, {}),
    (queries.TOKENS_OF, {"subject": "1"}),
    (queries.TOKENS_OF_PEOPLE, {}),
    (queries.TOKENS_IN, {"organization": "1", "after": "", "limit": 9}),
    (queries.TOKENS_CALLED, {"id": "1"}),
]


async def outcome(store: Store, change: Change) -> str:
    try:
        await store.commit(change)
    except Conflict as conflict:
        return str(conflict)
    return "committed"


async def contents(store: Store) -> list[Any]:
    answers = [await store.read(query, **values) for query, values in QUESTIONS]
    return [*answers, await store.get(Head, "acme"), await store.get(Head, "other")]


@settings(max_examples=10, deadline=None)
@given(some.lists(CHANGES, min_size=1, max_size=12))
async def test_the_stores_cannot_be_told_apart(changes: list[Change]) -> None:
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        there = await open_postgres(await postgres.emptied(), allow_unsafe=True)
        stores: list[Store] = [MemoryStore(), await open_sqlite(Path(folder)), there]
        for change in (puts(zone("1", refs=(Ref("host/1"),))), *changes):
            said = [await outcome(store, change) for store in stores]
            assert said[0] == said[1] == said[2]
        held = [await contents(store) for store in stores]
        for store in stores:
            await store.close()
    assert held[0] == held[1] == held[2]
