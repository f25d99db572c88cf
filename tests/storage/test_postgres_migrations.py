"""The migrator on PostgreSQL: up once, one step down, and hands off what is not for this code."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg  # type: ignore[import-untyped]
import pytest

import postgres
from conformance.store_queries import inside
from conformance.store_rows import names, puts, wake, zone
from setpoint.engine.errors import Denied, Rejected, Transient
from setpoint.engine.store import BY_CHANGED, WAKES_AFTER
from setpoint.engine.tables import TABLES
from setpoint.storage.migration import steps_in
from setpoint.storage.postgres import down, open_postgres, pending, up
from setpoint.storage.postgres.migrate import MIGRATIONS

BEFORE_WALKS = 11
KNOWN = steps_in(MIGRATIONS)
SCHEMA = """
SELECT table_name, column_name, data_type, collation_name, is_nullable FROM information_schema.columns
WHERE table_schema = 'public' ORDER BY 1, 2
"""
INDEXES = "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1"
GRANTS = """
SELECT grantee, table_name, privilege_type FROM information_schema.table_privileges
WHERE grantee LIKE 'setpoint%' AND table_schema = 'public' ORDER BY 1, 2, 3
"""
POLICIES = "SELECT tablename, policyname, roles, cmd, qual, with_check FROM pg_policies ORDER BY 1, 2"


@pytest.fixture
async def empty() -> AsyncIterator[str]:
    url = await postgres.database(migrated=False)
    yield url
    await postgres.drop(url)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """The real migrations and one more, which adds a table."""
    folder = tmp_path / "migrations"
    shutil.copytree(MIGRATIONS, folder)
    text = "CREATE TABLE note (id text PRIMARY KEY);\n-- down:\nDROP TABLE note;\n"
    (folder / f"{len(KNOWN) + 1:04}_notes.sql").write_text(text)
    return folder


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[Any]:
    session = await asyncpg.connect(url)
    yield session
    await session.close()


async def tables(url: str) -> set[str]:
    async with connected(url) as session:
        rows = await session.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    return {name for (name,) in rows}


async def everything(url: str) -> list[list[Any]]:
    async with connected(url) as session:
        return [await session.fetch(sql) for sql in (SCHEMA, INDEXES, GRANTS, POLICIES)]


async def test_the_plan_is_shown_without_touching_anything(empty: str) -> None:
    assert await pending(empty) == KNOWN
    assert await tables(empty) == set()


async def test_opening_brings_the_schema_up_to_date(empty: str) -> None:
    store = await open_postgres(empty, allow_unsafe=True)
    await store.commit(puts(wake("w1")))
    assert await names(store, WAKES_AFTER, after="", limit=9) == ["w1"]
    await store.close()
    assert await pending(empty) == ()
    assert await up(empty) == ()


async def test_every_step_goes_down_to_nothing_and_up_again(empty: str) -> None:
    assert await up(empty) == KNOWN
    first = await everything(empty)
    steps = []
    while (step := await down(empty)) is not None:
        steps.append(step)
    assert tuple(reversed(steps)) == KNOWN
    assert await tables(empty) == {"schema_version"}
    assert await up(empty) == KNOWN
    assert await everything(empty) == first


async def test_a_step_is_added_to_a_database_with_data_and_taken_back(empty: str, source: Path) -> None:
    store = await open_postgres(empty, allow_unsafe=True)
    await store.commit(puts(wake("w1")))
    assert [step.name for step in await pending(empty, source)] == ["notes"]
    assert [step.name for step in await up(empty, source)] == ["notes"]
    assert "note" in await tables(empty)
    taken = await down(empty, source)
    assert taken is not None
    assert taken.name == "notes"
    assert "note" not in await tables(empty)
    assert await names(store, WAKES_AFTER, after="", limit=9) == ["w1"]
    await store.close()


async def test_what_was_there_before_is_found_by_its_words_and_when_it_changed(empty: str) -> None:
    store = await open_postgres(empty, allow_unsafe=True)
    old = zone("old", name="Old", labels={"Team": "Blog"}, changed_at=3.5)
    await store.commit(puts(old))
    await store.close()
    while len(KNOWN) - len(await pending(empty)) > BEFORE_WALKS:
        await down(empty)
    store = await open_postgres(empty, allow_unsafe=True)
    asked = inside(old.scope) | {"kind": "", "text": "team=blog", "state": "", "unseen": "", "limit": 9}
    assert await store.read(BY_CHANGED, **asked, value=3.4, after="") == [old]
    await store.close()


async def test_of_many_who_start_at_once_each_step_is_taken_once(empty: str, source: Path) -> None:
    taken = await asyncio.gather(*(up(empty, source) for _ in range(6)))
    assert sorted(step.number for steps in taken for step in steps) == list(range(1, len(KNOWN) + 2))


async def test_a_schema_newer_than_the_code_is_refused_and_left_alone(empty: str, source: Path) -> None:
    await up(empty, source)
    newest = len(KNOWN)
    for attempt in (open_postgres, pending, down):
        with pytest.raises(
            Rejected, match=f"has schema {newest + 1}, and this setpoint knows up to {newest}"
        ):
            await attempt(empty)
    assert "note" in await tables(empty)


async def test_a_step_that_fails_changes_nothing_and_says_which(empty: str, source: Path) -> None:
    number = len(KNOWN) + 2
    broken = "CREATE TABLE half (id text);\nOOPS;\n-- down:\nSELECT 1;\n"
    (source / f"{number:04}_broken.sql").write_text(broken)
    with pytest.raises(Rejected, match=f"step {number:04}_broken failed, nothing was changed: syntax error"):
        await up(empty, source)
    assert "half" not in await tables(empty)
    assert [step.name for step in await pending(empty, source)] == ["broken"]


async def test_a_database_of_something_else_is_refused(empty: str) -> None:
    async with connected(empty) as session:
        await session.execute("CREATE TABLE recipes (name text)")
    with pytest.raises(Rejected, match="is one of something else: it has recipes"):
        await open_postgres(empty, allow_unsafe=True)
    assert await tables(empty) == {"recipes"}


async def test_a_step_does_not_wait_long_for_a_table_in_use(empty: str, source: Path) -> None:
    await up(empty)
    text = "ALTER TABLE wake ADD COLUMN more text;\n-- down:\nALTER TABLE wake DROP COLUMN more;\n"
    (source / f"{len(KNOWN) + 1:04}_notes.sql").write_text(text)
    async with connected(empty) as session, session.transaction():
        await session.execute("SELECT FROM wake")
        with pytest.raises(
            Transient, match="failed, nothing was changed: canceling statement due to lock timeout"
        ):
            await up(empty, source)


async def test_somebody_who_may_not_migrate_is_told_who_may(empty: str) -> None:
    async with connected(empty) as session:
        await session.execute("CREATE ROLE bob LOGIN")
        try:
            with pytest.raises(Denied, match="let the owner of the database run `setpoint migrate`"):
                await open_postgres(empty.replace("postgres@", "bob@"), allow_unsafe=True)
        finally:
            await session.execute("DROP ROLE bob")


async def test_every_table_has_the_columns_its_row_promises() -> None:
    async with connected(await postgres.emptied()) as session:
        columns = await session.fetch(SCHEMA)
    for table in TABLES.values():
        found = [column for name, column, *_ in columns if name == table.name]
        assert sorted(found) == sorted([table.key, *table.columns, "body"])
    collations = {collation for _, _, kind, collation, _ in columns if kind == "text"}
    assert collations == {"C", None}
    assert {name for name, _, kind, order, _ in columns if kind == "text" and order is None} == {
        "schema_version"
    }
