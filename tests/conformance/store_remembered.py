"""What every store answers about the guards' memory: by domain, by time, and never more than it was asked."""

from collections.abc import Callable
from typing import Any

import pytest

from conformance.store_rows import (
    budget,
    names,
    one_of_each,
    parked,
    protection,
    puts,
    recorded,
    released,
    token,
)
from setpoint.engine.entity import Scope
from setpoint.engine.errors import Conflict
from setpoint.engine.ledger import Budget, Parked, Protection, Released
from setpoint.engine.record import Kept, Recorded, replayed
from setpoint.engine.store import (
    BUDGETS,
    PARKED_OF,
    PASSES_KEPT,
    PASSES_OLDEST,
    PASSES_PAGE,
    PROTECTIONS_OF,
    RELEASED_OF,
    TOKENS_CALLED,
    TOKENS_IN,
    TOKENS_OF,
    TOKENS_OF_PEOPLE,
    Change,
    Drop,
    Expect,
    Put,
    Query,
    Store,
)
from setpoint.engine.tables import TABLES
from setpoint.engine.token import Token


def test_there_is_a_row_of_every_table_to_try_a_store_with() -> None:
    tried = {TABLES[type(row)].name for row in one_of_each()}
    assert {table.name for table in TABLES.values()} - tried == {"head"}


async def items(store: Store, query: Query[Any], domain: str) -> list[str]:
    return [row.item for row in await store.read(query, domain=domain)]


@pytest.mark.parametrize(
    ("row", "query", "kind"),
    [
        (protection, PROTECTIONS_OF, Protection),
        (released, RELEASED_OF, Released),
        (parked, PARKED_OF, Parked),
    ],
    ids=["protection", "released", "parked"],
)
async def test_what_is_known_of_items_is_found_by_domain_and_forgotten_by_key(
    store: Store, row: Callable[..., Any], query: Query[Any], kind: type[Any]
) -> None:
    await store.commit(puts(row("www"), row("mail"), row("ftp", "zone/2")))
    assert await items(store, query, "zone/1") == ["mail", "www"]
    assert await items(store, query, "zone/2") == ["ftp"]
    await store.commit(Change(writes=(Drop(kind, "zone/1|www"),)))
    assert await items(store, query, "zone/1") == ["mail"]
    assert await items(store, query, "zone/none") == []


async def test_what_is_protected_cannot_be_expected_to_be_free(store: Store) -> None:
    free = Change(expects=(Expect(Protection, "zone/1|www"),))
    await store.commit(free)
    await store.commit(puts(protection("www")))
    with pytest.raises(Conflict):
        await store.commit(free)


async def test_a_budget_is_written_by_whoever_read_it_last(store: Store) -> None:
    await store.commit(puts(budget("installation", version=1)))
    second = budget("installation", version=2, count=5)
    seen = Change(expects=(Expect(Budget, "installation", "version", 1),), writes=(Put(second),))
    await store.commit(seen)
    with pytest.raises(Conflict, match="version"):
        await store.commit(seen)
    assert await store.get(Budget, "installation") == second


async def test_a_first_budget_is_written_once(store: Store) -> None:
    first = Change(expects=(Expect(Budget, "tenant:acme"),), writes=(Put(budget("tenant:acme")),))
    await store.commit(first)
    with pytest.raises(Conflict):
        await store.commit(first)


async def test_all_budgets_come_by_key(store: Store) -> None:
    await store.commit(puts(budget("tenant:b"), budget("installation"), budget("tenant:a")))
    assert [row.key for row in await store.read(BUDGETS)] == ["installation", "tenant:a", "tenant:b"]


async def test_passes_come_newest_first_of_one_ref_or_of_all(store: Store) -> None:
    await store.commit(puts(recorded("r1"), recorded("r3"), recorded("r2", "zone/2"), recorded("r4")))
    assert await names(store, PASSES_PAGE, ref="zone/1", after="", limit=2) == ["r4", "r3"]
    assert await names(store, PASSES_PAGE, ref="zone/1", after="r3", limit=9) == ["r1"]
    assert await names(store, PASSES_PAGE, ref="", after="", limit=9) == ["r4", "r3", "r2", "r1"]
    assert await names(store, PASSES_PAGE, ref="", after="r2", limit=9) == ["r1"]
    assert await names(store, PASSES_PAGE, ref="zone/none", after="", limit=9) == []


async def test_the_oldest_passes_are_those_from_before_a_time(store: Store) -> None:
    times = {"r1": 30.0, "r2": 10.0, "r3": 20.0, "r4": 20.0}
    await store.commit(puts(*(recorded(identity, at=at) for identity, at in times.items())))
    assert await names(store, PASSES_OLDEST, before=20.0, limit=9) == ["r2"]
    assert await names(store, PASSES_OLDEST, before=30.5, limit=3) == ["r2", "r3", "r4"]
    assert await names(store, PASSES_OLDEST, before=0.0, limit=9) == []


async def test_how_much_is_on_record_follows_what_comes_and_goes(store: Store) -> None:
    assert await store.read(PASSES_KEPT) == [Kept(passes=0, bytes=0)]
    await store.commit(puts(recorded("r1"), recorded("r2", deletes=5)))
    [both] = await store.read(PASSES_KEPT)
    await store.commit(Change(writes=(Drop(Recorded, "r2"),)))
    [one] = await store.read(PASSES_KEPT)
    assert (both.passes, one.passes) == (2, 1)
    assert 500 < one.bytes < both.bytes - one.bytes


@pytest.mark.parametrize("deletes", [1, 5])
async def test_a_pass_that_was_stored_replays_to_what_was_decided(store: Store, deletes: int) -> None:
    await store.commit(puts(recorded("r1", deletes=deletes)))
    found = await store.get(Recorded, "r1")
    assert found is not None
    assert replayed(found) == found.verdict


async def test_credentials_are_found_by_their_subject(store: Store) -> None:
    await store.commit(puts(token("ann", "b"), token("ann", "a"), token("bob"), token("web-1", ref="host/1")))
    assert [row.hash for row in await store.read(TOKENS_OF, subject="ann")] == ["a", "b"]
    assert await store.read(TOKENS_OF, subject="eve") == []
    people = await store.read(TOKENS_OF_PEOPLE)
    assert [row.subject for row in people] == ["ann", "ann", "bob"]


async def test_a_credential_that_changes_hands_is_found_by_its_new_subject(store: Store) -> None:
    await store.commit(puts(token("ann", "a")))
    await store.commit(puts(token("bob", "a")))
    assert await store.read(TOKENS_OF, subject="ann") == []
    assert len(await store.read(TOKENS_OF, subject="bob")) == 1


async def test_tokens_of_an_organization_come_in_pages_newest_first_and_by_their_names(store: Store) -> None:
    given = [
        Token(hash=f"{9 - n}", subject="ann", role="auditor", id=f"t{n}", scope=Scope("acme"))
        for n in range(4)
    ]
    elsewhere = Token(hash="x", subject="bob", role="owner", id="t9", scope=Scope("other"))
    await store.commit(puts(*given, elsewhere, token("agent web-1", ref="agent/1")))
    assert [t.id for t in await store.read(TOKENS_IN, organization="acme", after="", limit=3)] == [
        *("t3", "t2", "t1")
    ]
    assert [t.id for t in await store.read(TOKENS_IN, organization="acme", after="t1", limit=3)] == ["t0"]
    assert await store.read(TOKENS_IN, organization="", after="", limit=9) == []
    assert await store.read(TOKENS_CALLED, id="t9") == [elsewhere]
    assert await store.read(TOKENS_CALLED, id="") == []
