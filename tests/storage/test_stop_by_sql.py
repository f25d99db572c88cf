"""The statement of the manual that stops everything on PostgreSQL, run as it stands there."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg  # type: ignore[import-untyped]
import pytest

import postgres
from conformance.store_rows import puts, switch
from setpoint.engine.errors import Conflict
from setpoint.engine.rows import Mode, Switch
from setpoint.engine.store import Change, Expect
from setpoint.storage.postgres import PostgresStore, open_postgres

PAGE = Path(__file__).parent.parent.parent / "docs" / "how-to" / "stop-everything.md"


@pytest.fixture
async def url() -> str:
    return await postgres.emptied()


@pytest.fixture
async def store(url: str) -> AsyncIterator[PostgresStore]:
    opened = await open_postgres(url, allow_unsafe=True)
    yield opened
    await opened.close()


async def run(url: str) -> None:
    [statement] = re.findall(r"```text\n(BEGIN;.*?)```", PAGE.read_text(), re.DOTALL)
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


@pytest.mark.parametrize("before", [None, switch("all"), b'{"broken'], ids=["none", "one", "unreadable"])
async def test_no_act_begins_after_the_statement_of_the_manual(
    store: PostgresStore, url: str, before: Switch | bytes | None
) -> None:
    version = 0
    if before is not None:
        await store.commit(puts(switch("all")))
        version = switch("all").version
    if isinstance(before, bytes):
        connection = await asyncpg.connect(url)
        await connection.execute("UPDATE switch SET body = $1", before)
        await connection.close()
    known = Expect(Switch, "all", "version", version) if before is not None else Expect(Switch, "all")
    if not isinstance(before, bytes):
        await store.commit(Change(expects=(known,)))
    await run(url)
    with pytest.raises(Conflict):
        await store.commit(Change(expects=(known,)))
    found = await store.get(Switch, "all")
    assert found is not None
    assert (found.mode, found.version, found.reason) == (Mode.STOP, version + 1, "stopped by SQL")
