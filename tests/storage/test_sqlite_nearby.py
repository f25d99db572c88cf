"""What is read on the event loop's own thread is remembered, and never longer than it is so."""

import asyncio
from pathlib import Path

import pytest

from conformance.store_rows import puts, token, zone
from setpoint.engine.entity import Declared, slot
from setpoint.engine.store import DECLARED_AT, Change, Drop
from setpoint.engine.token import Token
from setpoint.storage.sqlite import SqliteStore, open_sqlite


def asked(store: SqliteStore) -> list[str]:
    """Everything that SQLite is told from now on by whoever reads nearby."""
    told: list[str] = []
    store._files.nearby.set_trace_callback(told.append)
    return told


def selects(told: list[str]) -> int:
    return sum(each.startswith("SELECT") for each in told)


async def test_what_nobody_changed_is_read_from_the_file_once(quick_folder: Path) -> None:
    store = await open_sqlite(quick_folder)
    row = zone("1", name="one")
    await store.commit(puts(row))
    told, place = asked(store), slot(row.kind, row.scope, row.name)
    for _ in range(3):
        assert await store.get(Declared, "zone/1") == row
        assert await store.read(DECLARED_AT, slot=place) == [row]
        assert len(await store.bodies(DECLARED_AT, slot=place)) == 1
        await asyncio.sleep(0)
    assert selects(told) == 3
    await store.close()


async def test_a_commit_is_seen_by_whoever_reads_after_it(quick_folder: Path) -> None:
    store = await open_sqlite(quick_folder)
    key = token("a").hash
    await store.commit(puts(token("a")))
    assert await store.get(Token, key) is not None
    await store.commit(Change(writes=(Drop(Token, key),)))
    assert await store.get(Token, key) is None
    await store.close()


async def test_a_commit_of_another_process_is_seen_in_the_next_turn(quick_folder: Path) -> None:
    store, other = await open_sqlite(quick_folder), await open_sqlite(quick_folder, enforcing=False)
    assert await store.get(Declared, "zone/1") is None
    await other.commit(puts(zone("1", name="one")))
    assert await store.get(Declared, "zone/1") is not None
    await other.close()
    await store.close()


async def test_lists_that_were_handed_out_are_their_readers_own(quick_folder: Path) -> None:
    store = await open_sqlite(quick_folder)
    row = zone("1", name="one")
    await store.commit(puts(row))
    place = slot(row.kind, row.scope, row.name)
    (await store.read(DECLARED_AT, slot=place)).clear()
    assert await store.read(DECLARED_AT, slot=place) == [row]
    await store.close()


async def test_no_more_is_remembered_than_is_allowed(
    quick_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("setpoint.storage.sqlite.nearby.KEPT", 10)
    store = await open_sqlite(quick_folder)
    for number in range(50):
        await store.get(Declared, f"zone/{number}")
        await asyncio.sleep(0)
    assert len(store._nearby._known) <= 11
    await store.close()
