"""A row that cannot be read, in every table and broken in every way: it is nobody else's trouble."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import cast

import asyncpg  # type: ignore[import-untyped]
import pytest

import postgres
from conformance.store_rows import one_of_each, puts, zone
from setpoint.engine.entity import Declared
from setpoint.engine.errors import Transient
from setpoint.engine.rows import Shard
from setpoint.engine.store import (
    DECLARED_ALL,
    DECLARED_CHILDREN,
    DECLARED_OF,
    SHARDS_OF,
    Change,
    Expect,
    Lease,
    Put,
    Store,
    listed,
)
from setpoint.engine.tables import TABLES
from setpoint.storage.postgres import open_postgres
from setpoint.storage.quarantine import Unreadable, told_of
from setpoint.storage.sqlite import open_sqlite

BODIES = {
    "truncated": b'{"broken',
    "empty": b"",
    "another type": b"[]",
    "wrong field": b'{"ref": 7, "id": {}, "key": [], "hash": 1, "account": [], "organization": 3, "kind": 1}',
    "nul": b"\0\0\0\0",
    "not utf-8": b"\xff\xfe{}",
}
Spoil = Callable[[str, str, str, bytes], Awaitable[None]]
ROWS = {TABLES[type(row)].name: row for row in one_of_each() if type(row) in TABLES}


@pytest.fixture(params=["sqlite", "postgres"])
async def opened(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[tuple[Store, Spoil]]:
    """A store, and how a body in it is overwritten behind its back."""
    if request.param == "sqlite":
        store: Store = await open_sqlite(tmp_path)

        async def spoil(table: str, column: str, key: str, body: bytes) -> None:
            with closing(sqlite3.connect(tmp_path / "setpoint.db")) as database, database:
                database.execute(f"UPDATE {table} SET body = ? WHERE {column} = ?", (body, key))  # noqa: S608
    else:
        url = await postgres.emptied()
        store = await open_postgres(url, allow_unsafe=True)

        async def spoil(table: str, column: str, key: str, body: bytes) -> None:
            connection = await asyncpg.connect(url)
            await connection.execute(f"UPDATE {table} SET body = $1 WHERE {column} = $2", body, key)  # noqa: S608
            await connection.close()

    yield store, spoil
    await store.close()


@pytest.mark.parametrize("name", ROWS)
async def test_of_every_table_a_broken_row_is_told_and_others_go_on(
    opened: tuple[Store, Spoil], name: str
) -> None:
    store, spoil = opened
    row = ROWS[name]
    table = TABLES[type(row)]
    key = cast("str", getattr(row, table.key))
    await store.commit(puts(row))
    for how, body in BODIES.items():
        await spoil(table.name, table.key, key, body)
        with pytest.raises(Unreadable, match=f"of table {table.name} cannot be read; next: setpoint check"):
            await store.get(type(row), key)
        column = next((each for each in table.columns if each != "slot"), "")
        if column:
            with pytest.raises(Transient):
                await store.commit(Change(expects=(Expect(type(row), key, column, 1),)))
        await store.commit(puts(zone(f"{name}-{how}".replace(" ", "-"), name=f"{name}{how}")))
        assert told_of()[table.name] >= 1
    await store.commit(puts(row))
    assert await store.get(type(row), key) is not None


async def test_a_sweep_goes_on_without_it_and_no_page_is_short(opened: tuple[Store, Spoil]) -> None:
    store, spoil = opened
    rows = [zone(f"{number:02d}", name=f"z{number}", parent="zone/00") for number in range(10)]
    await store.commit(puts(*rows))
    for number in (0, 3, 4, 9):
        await spoil("declared", "ref", f"zone/{number:02d}", b'{"broken')
    seen: list[str] = []
    after = ""
    while page := await store.read(DECLARED_ALL, after=after, limit=3):
        seen += [row.ref for row in page]
        after = page[-1].ref
        if len(page) < 3:
            break
    assert seen == [f"zone/{number:02d}" for number in (1, 2, 5, 6, 7, 8)]


async def test_what_decides_something_is_not_answered_without_it(opened: tuple[Store, Spoil]) -> None:
    store, spoil = opened
    rows = [zone(f"{number}", name=f"z{number}", parent="zone/0") for number in range(3)]
    await store.commit(puts(*rows))
    await spoil("declared", "ref", "zone/2", b"{}")
    with pytest.raises(Unreadable, match="the row zone/2 of table declared"):
        await store.read(DECLARED_CHILDREN, parent="zone/0")
    with pytest.raises(Unreadable):
        await store.read(DECLARED_OF, refs=listed(["zone/1", "zone/2"]))
    assert [row.ref for row in await store.read(DECLARED_OF, refs=listed(["zone/1"]))] == ["zone/1"]


async def test_a_commit_beside_a_broken_row_is_not_taken_down_with_it(opened: tuple[Store, Spoil]) -> None:
    store, spoil = opened
    await store.commit(puts(zone("1")))
    await spoil("declared", "ref", "zone/1", b"[]")
    rests = Change(expects=(Expect(Declared, "zone/1", "generation", 1),))

    outcomes = await asyncio.gather(
        store.commit(rests), store.commit(puts(zone("2", name="b"))), return_exceptions=True
    )
    assert isinstance(outcomes[0], Transient)
    assert outcomes[1] is None


async def test_work_whose_shard_cannot_be_read_is_taken_again(opened: tuple[Store, Spoil]) -> None:
    store, spoil = opened
    asked = Lease(service="scheduler", owner="us", seconds=60.0, more=1000, alone=True)
    before = await store.lease(asked)
    await spoil("shard", "key", before.mine[3].key, b'{"broken')
    after = await store.lease(asked)
    assert {shard.key for shard in after.mine} == {shard.key for shard in before.mine}
    shard = next(each for each in after.mine if each.key == before.mine[3].key)
    assert shard.epoch >= before.mine[3].epoch
    assert len(await store.read(SHARDS_OF, service="scheduler")) == len(before.mine)
    await store.commit(
        Change(expects=(Expect(Shard, shard.key, "epoch", shard.epoch),), writes=(Put(zone("9", name="c")),))
    )
    assert (await store.get(Shard, shard.key)) is not None


def test_every_table_is_walked() -> None:
    assert set(ROWS) >= {table.name for table in TABLES.values()} - {"head", "replica"}
