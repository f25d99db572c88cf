"""When the process is killed or the disk gives up: what was answered stays, nothing is half there."""

import asyncio
import random
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from conformance.store_rows import audit, event, names, puts, sign, wake, zone
from setpoint.engine.audit import broken_at
from setpoint.engine.entity import Declared
from setpoint.engine.errors import Conflict, Transient
from setpoint.engine.rows import Head, Wake
from setpoint.engine.store import AUDIT_PAGE, EVENTS_AFTER, WAKES_AFTER, Change, Put
from setpoint.storage.sqlite import SqliteStore, open_sqlite
from setpoint.storage.sqlite.signs import Signs

WRITE = """
import asyncio, sys
from pathlib import Path
from setpoint.engine.entity import Ref, Scope
from setpoint.engine.rows import Audit, Event, Wake
from setpoint.engine.store import Change, Put
from setpoint.storage.sqlite import open_sqlite

def wake(name):
    return Wake(id=name, ref=Ref("zone/1"), reason="")

def change(name):
    return Change(
        writes=(Put(wake(name)), Put(wake("twin-" + name))),
        events=(Event(organization="acme", type="t", ref=Ref("zone/1"), scope=Scope("acme"), at=1.0),),
        audit=(Audit(organization="acme", actor="ann", action="a", ref="zone/1", at=1.0),),
    )

async def write(store, lane):
    number = 0
    while True:
        name = f"{sys.argv[2]}-{lane}-{number:05}"
        await store.commit(change(name))
        sys.stdout.write(name + "\\n")
        sys.stdout.flush()
        number += 1

async def main():
    store = await open_sqlite(Path(sys.argv[1]))
    await asyncio.gather(*(write(store, lane) for lane in range(8)))

asyncio.run(main())
"""

FILL = """
import asyncio, resource, sys
from pathlib import Path
from setpoint.engine.entity import Ref
from setpoint.engine.errors import Transient
from setpoint.engine.rows import Wake
from setpoint.engine.store import WAKES_AFTER, Change, Put
from setpoint.storage.sqlite import open_sqlite

def change(name, size):
    return Change(writes=(Put(Wake(id=name, ref=Ref("zone/1"), reason="x" * size)),))

async def main():
    store = await open_sqlite(Path(sys.argv[1]))
    await store.commit(change("before", 10))
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
    # No file may grow: the log cannot be written, so the COMMIT itself fails.
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, unlimited[1]))
    lost = [store.commit(change(f"lost{number}", 50_000)) for number in range(5)]
    outcomes = await asyncio.gather(*lost, return_exceptions=True)
    assert all(isinstance(outcome, Transient) and outcome.landed for outcome in outcomes), outcomes
    assert [row.id for row in await store.read(WAKES_AFTER, after="", limit=9)] == ["before"]
    resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
    await store.commit(change("later", 50_000))
    assert [row.id for row in await store.read(WAKES_AFTER, after="", limit=9)] == ["before", "later"]
    await store.close()
    print(outcomes[0], flush=True)

asyncio.run(main())
"""


@pytest.fixture
async def sqlite(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    store = await open_sqlite(tmp_path / "data")
    yield store
    await store.close()


def killed_while_writing(folder: Path, run: int, lines: int) -> list[str]:
    """The ids a writing process acknowledged before it was killed in the middle of writing."""
    command = [sys.executable, "-c", WRITE, str(folder), f"{run:02}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:  # noqa: S603 - our own words
        assert writer.stdout is not None
        acknowledged = [writer.stdout.readline() for _ in range(lines)]
        writer.kill()
        acknowledged += writer.stdout.readlines()
    return [line.strip() for line in acknowledged if line.endswith("\n")]


async def test_nothing_acknowledged_is_lost_when_the_process_is_killed(tmp_path: Path) -> None:
    chance = random.Random(7)  # noqa: S311 - when to kill
    acknowledged: list[str] = []
    for run in range(20):
        acknowledged += await asyncio.to_thread(killed_while_writing, tmp_path, run, chance.randrange(1, 120))
    store = await open_sqlite(tmp_path)
    there = set(await names(store, WAKES_AFTER, after="", limit=10**6))
    chain = await store.read(AUDIT_PAGE, organization="acme", after=0, limit=10**6)
    events = await store.read(EVENTS_AFTER, organization="acme", after=0, limit=10**6)
    head = await store.get(Head, "acme")
    await store.close()
    assert len(acknowledged) >= 20
    assert set(acknowledged) - there == set()
    # Whole or not at all: every id has its twin, and the numbers have no gap.
    assert {name.removeprefix("twin-") for name in there} == {
        name for name in there if not name.startswith("twin-")
    }
    assert len(there) == 2 * len(chain) == 2 * len(events)
    assert broken_at(chain) is None
    assert head is not None
    assert sorted(line.revision for line in [*chain, *events]) == list(range(1, head.revision + 1))


async def test_a_commit_that_finds_no_room_is_transient_and_the_store_works_on(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FILL, str(tmp_path)]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("nothing was written: disk I/O error\n", "")


async def test_a_change_too_big_for_the_disk_fails_alone_and_leaves_nothing(sqlite: SqliteStore) -> None:
    limit_pages(sqlite, 20)
    big = Change(
        writes=(Put(wake("w1")), *(Put(zone(str(n), spec={"x": "y" * 4000})) for n in range(60))),
        events=(event(),),
    )
    changes = [puts(wake("a")), big, puts(wake("b"))]
    outcomes = await asyncio.gather(*map(sqlite.commit, changes), return_exceptions=True)
    assert isinstance(outcomes[1], Transient)
    assert await sqlite.get(Wake, "w1") is None
    assert await sqlite.get(Declared, "zone/0") is None
    assert await sqlite.get(Head, "acme") is None
    there = await names(sqlite, WAKES_AFTER, after="", limit=9)
    assert there == [name for name, outcome in zip("ab", outcomes[::2], strict=True) if outcome is None]
    limit_pages(sqlite, 10_000)
    await sqlite.commit(big)
    assert await sqlite.get(Head, "acme") == Head(organization="acme", revision=1)


async def test_a_disk_that_went_read_only_is_transient_until_it_comes_back(sqlite: SqliteStore) -> None:
    sqlite.writer.connection.execute("PRAGMA query_only = 1")
    change = Change(writes=(Put(wake("w1")),), audit=(audit(),))
    outcomes = await asyncio.gather(*(sqlite.commit(change) for _ in range(3)), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [Transient] * 3
    assert "attempt to write a readonly database" in str(outcomes[0])
    assert await sqlite.read(WAKES_AFTER, after="", limit=9) == []
    sqlite.writer.connection.execute("PRAGMA query_only = 0")
    await sqlite.commit(change)


async def test_a_database_locked_by_a_stranger_is_transient(tmp_path: Path, sqlite: SqliteStore) -> None:
    sqlite.writer.patience = 0.001
    stranger = sqlite3.connect(tmp_path / "data" / "setpoint.db", isolation_level=None)
    stranger.execute("BEGIN IMMEDIATE")
    with pytest.raises(Transient, match="nothing was written: database is locked") as raised:
        await sqlite.commit(puts(wake("w1")))
    assert not raised.value.landed
    stranger.execute("ROLLBACK")
    stranger.close()
    await sqlite.commit(puts(wake("w1")))


async def test_each_of_a_failed_group_gets_an_error_of_its_own(sqlite: SqliteStore) -> None:
    sqlite.writer.connection.execute("PRAGMA query_only = 1")
    changes = [puts(wake(str(number))) for number in range(300)]
    outcomes = await asyncio.gather(*map(sqlite.commit, changes), return_exceptions=True)
    assert len({id(outcome) for outcome in outcomes}) == 300
    assert {type(outcome) for outcome in outcomes} == {Transient}
    sqlite.writer.connection.execute("PRAGMA query_only = 0")


async def test_a_conflict_in_a_group_is_still_a_conflict_when_others_fail(sqlite: SqliteStore) -> None:
    await sqlite.commit(puts(zone("1", name="shop")))
    changes = [
        puts(wake("a")),
        puts(zone("2", name="shop")),
        puts(zone("3", generation=2**70)),
        puts(wake("b")),
    ]
    outcomes = await asyncio.gather(*map(sqlite.commit, changes), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [type(None), Conflict, OverflowError, type(None)]
    assert await names(sqlite, WAKES_AFTER, after="", limit=9) == ["a", "b"]


async def test_when_sqlite_gives_up_the_transaction_the_whole_group_is_transient(sqlite: SqliteStore) -> None:
    sqlite.writer.connection.execute(
        "CREATE TEMP TRIGGER give_up BEFORE INSERT ON wake WHEN new.id = 'bad' "
        "BEGIN SELECT raise(ROLLBACK, 'the disk went away'); END"
    )
    changes = [puts(wake("a")), puts(wake("bad")), puts(wake("b"))]
    outcomes = await asyncio.gather(*map(sqlite.commit, changes), return_exceptions=True)
    there = await names(sqlite, WAKES_AFTER, after="", limit=9)
    assert isinstance(outcomes[1], Transient)
    assert there == [name for name, outcome in zip("ab", outcomes[::2], strict=True) if outcome is None]
    await sqlite.commit(puts(wake("a")))


def test_signs_that_cannot_be_written_are_tried_again_later(tmp_path: Path) -> None:
    with closing(Signs(tmp_path)) as signs:
        signs.connection.execute("PRAGMA query_only = 1")
        with pytest.raises(sqlite3.OperationalError):
            signs.put([sign("1", 1.0)])
        signs.connection.execute("PRAGMA query_only = 0")
        signs.put([sign("1", 1.0)])


def limit_pages(store: SqliteStore, more: int) -> None:
    """Let the file grow by this many pages, as if the disk ended there."""
    connection = store.writer.connection
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages + more}")
