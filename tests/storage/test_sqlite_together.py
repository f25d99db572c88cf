"""What is committed in one turn of the event loop becomes durable in one transaction, whoever commits it."""

import asyncio
from pathlib import Path

from conformance.store_rows import puts, zone
from setpoint.engine.entity import Declared
from setpoint.engine.errors import Conflict
from setpoint.storage.sqlite import SqliteStore, open_sqlite


async def ran(store: SqliteStore, *names: str) -> tuple[list[str], list[BaseException | None]]:
    """What SQLite was told while these were committed together, and how each of them went."""
    told: list[str] = []
    store.writer.connection.set_trace_callback(told.append)
    commits = [store.commit(puts(zone(str(n), name=name))) for n, name in enumerate(names)]
    answers = await asyncio.gather(*commits, return_exceptions=True)
    return told, answers


async def test_they_share_one_commit_and_need_no_savepoints(quick_folder: Path) -> None:
    store = await open_sqlite(quick_folder)
    told, answers = await ran(store, "a", "b", "c", "d")
    assert answers == [None] * 4
    assert told.count("COMMIT") == 1
    assert not [each for each in told if each.startswith("SAVEPOINT")]
    await store.close()


async def test_where_one_breaks_the_others_are_written_all_the_same(quick_folder: Path) -> None:
    store = await open_sqlite(quick_folder)
    told, answers = await ran(store, "a", "taken", "taken", "d")
    assert [type(each) for each in answers] == [type(None), type(None), Conflict, type(None)]
    assert told.count("COMMIT") == 1
    kept = [await store.get(Declared, f"zone/{n}") for n in range(4)]
    assert [each.name if each else None for each in kept] == ["a", "taken", None, "d"]
    await store.close()


async def test_what_was_just_asked_for_is_written_before_the_store_closes(quick_folder: Path) -> None:
    store = await open_sqlite(quick_folder)
    asked = asyncio.create_task(store.commit(puts(zone("1", name="last"))))
    await asyncio.sleep(0)
    await store.close()
    await asked
    again = await open_sqlite(quick_folder)
    assert await again.get(Declared, "zone/1") is not None
    await again.close()
