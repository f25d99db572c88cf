"""The folder of a SQLite store: who may have it, how its files are kept, what if they are damaged."""

import asyncio
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from conformance.store_rows import names, puts, refs, sign, wake, zone
from setpoint.engine.errors import Denied, Rejected, Transient
from setpoint.engine.store import SIGNS, WAKES_AFTER, Change
from setpoint.storage.sqlite import open_sqlite

HOLD = """
import asyncio, sys
from pathlib import Path
from setpoint.storage.sqlite import open_sqlite

async def hold() -> None:
    store = await open_sqlite(Path(sys.argv[1]))
    print("held", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    await store.close()

asyncio.run(hold())
"""


@contextmanager
def process_holding(folder: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", HOLD, str(folder)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as holder:  # noqa: S603 - our own words
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        yield holder


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def pragma(connection: sqlite3.Connection, name: str) -> object:
    return connection.execute(f"PRAGMA {name}").fetchone()[0]


async def test_an_acknowledged_commit_has_been_synced_to_disk(tmp_path: Path) -> None:
    store = await open_sqlite(tmp_path)
    assert pragma(store.writer.connection, "synchronous") == 2  # FULL
    assert pragma(store.writer.connection, "journal_mode") == "wal"
    assert store.writer.patience == 10.0
    await store.close()


async def test_the_folder_and_its_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "data"
    store = await open_sqlite(folder)
    await store.commit(puts(wake("w1")))
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.iterdir())}
    await store.close()
    assert modes.pop("data") == 0o700
    assert {"setpoint.db", "setpoint.db-wal", "signs.db", "setpoint.lock"} <= modes.keys()
    assert set(modes.values()) == {0o600}


async def test_what_was_committed_and_signed_is_there_after_reopening(tmp_path: Path) -> None:
    store = await open_sqlite(tmp_path)
    await store.commit(puts(wake("w1")))
    await store.sign([sign("1", 5.0)])
    await store.close()
    again = await open_sqlite(tmp_path)
    assert await names(again, WAKES_AFTER, after="", limit=9) == ["w1"]
    assert await again.read(SIGNS, refs=refs("host/1")) == [sign("1", 5.0)]
    await again.close()


async def test_closing_finishes_what_was_asked_and_folds_the_log_into_the_file(tmp_path: Path) -> None:
    store = await open_sqlite(tmp_path)
    waiting = [asyncio.ensure_future(store.commit(puts(wake(f"{number:03}")))) for number in range(300)]
    await asyncio.sleep(0)
    await store.close()
    assert {task.exception() for task in waiting if task.done()} == {None}
    assert all(task.done() for task in waiting)
    assert files(tmp_path) == ["setpoint.db", "setpoint.lock", "signs.db"]


async def test_a_closed_store_says_so_and_may_be_closed_again(tmp_path: Path) -> None:
    store = await open_sqlite(tmp_path)
    await store.close()
    await store.close()
    with pytest.raises(Transient, match="closed"):
        await store.commit(Change())
    with pytest.raises(Transient, match="closed"):
        await store.read(WAKES_AFTER, after="", limit=1)
    with pytest.raises(Transient, match="closed"):
        await store.sign([])


def test_a_loop_that_ends_without_closing_leaves_nothing_half_done(tmp_path: Path) -> None:
    async def forget() -> None:
        store = await open_sqlite(tmp_path)
        await store.commit(puts(wake("w1")))
        lost = asyncio.ensure_future(store.commit(puts(wake("w2"))))
        await asyncio.sleep(0)
        lost.cancel()
        forgotten.append(store)

    forgotten: list[object] = []
    asyncio.run(forget())
    with closing(sqlite3.connect(tmp_path / "setpoint.db")) as database:
        assert database.execute("SELECT id FROM wake WHERE id = 'w1'").fetchall() == [("w1",)]


async def test_a_second_process_is_refused_and_told_who_has_the_folder(tmp_path: Path) -> None:
    with process_holding(tmp_path) as holder:
        with pytest.raises(
            Denied, match=rf"process \(pid {holder.pid}\) has this folder.*--data with another"
        ):
            await open_sqlite(tmp_path)
        holder.communicate("let go\n")
        store = await open_sqlite(tmp_path)
        await store.close()


async def test_the_lock_ends_with_a_process_that_is_killed(tmp_path: Path) -> None:
    with process_holding(tmp_path) as holder:
        holder.kill()
        holder.communicate()
        store = await open_sqlite(tmp_path)
        await store.close()


async def test_a_guest_reads_and_writes_beside_the_process_that_enforces(tmp_path: Path) -> None:
    owner = await open_sqlite(tmp_path)
    guest = await open_sqlite(tmp_path, enforcing=False)
    await asyncio.gather(
        *(store.commit(puts(wake(f"{number}"))) for number, store in enumerate([owner, guest] * 20))
    )
    assert len(await owner.read(WAKES_AFTER, after="", limit=99)) == 40
    assert len(await guest.read(WAKES_AFTER, after="", limit=99)) == 40
    await guest.close()
    await owner.commit(puts(wake("last")))
    await owner.close()


async def test_a_guest_may_be_the_first_to_come(tmp_path: Path) -> None:
    guest = await open_sqlite(tmp_path, enforcing=False)
    owner = await open_sqlite(tmp_path)
    await guest.commit(puts(wake("w1")))
    assert await names(owner, WAKES_AFTER, after="", limit=9) == ["w1"]
    await owner.close()
    await guest.close()


@pytest.mark.parametrize("file", ["setpoint.db", "signs.db"])
async def test_a_file_that_is_no_database_gives_one_clear_error_and_stays(tmp_path: Path, file: str) -> None:
    (tmp_path / file).write_bytes(b"these are not the bytes you are looking for" * 100)
    before = (tmp_path / file).read_bytes()
    with pytest.raises(
        Rejected, match=r"the database is damaged \(file is not a database\); restore a backup"
    ):
        await open_sqlite(tmp_path)
    assert (tmp_path / file).read_bytes() == before


async def test_a_file_cut_short_gives_one_clear_error(tmp_path: Path) -> None:
    await (await open_sqlite(tmp_path)).close()
    whole = (tmp_path / "setpoint.db").read_bytes()
    (tmp_path / "setpoint.db").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(Rejected, match="damaged"):
        await open_sqlite(tmp_path)


async def test_damage_found_later_is_not_called_transient(tmp_path: Path) -> None:
    store = await open_sqlite(tmp_path)
    await store.commit(puts(*(wake(f"{number:04}") for number in range(2000))))
    await store.close()
    damage(tmp_path / "setpoint.db", "wake")
    store = await open_sqlite(tmp_path)
    with pytest.raises(Rejected, match="damaged"):
        await store.read(WAKES_AFTER, after="", limit=3000)
    with pytest.raises(Rejected, match="damaged"):
        await store.commit(puts(wake("1000")))
    await store.commit(puts(zone("1")))
    await store.close()


def damage(path: Path, table: str) -> None:
    """Overwrite the root pages of a table and of its indexes."""
    with closing(sqlite3.connect(path)) as database:
        roots = database.execute("SELECT rootpage FROM sqlite_schema WHERE tbl_name = ?", (table,)).fetchall()
    whole = bytearray(path.read_bytes())
    for (page,) in roots:
        whole[(page - 1) * 4096 : page * 4096] = b"\xff" * 4096
    path.write_bytes(whole)


async def test_an_error_while_opening_lets_go_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "signs.db").write_bytes(b"not a database" * 500)
    with pytest.raises(Rejected):
        await open_sqlite(tmp_path)
    (tmp_path / "signs.db").unlink()
    await (await open_sqlite(tmp_path)).close()


async def test_a_folder_that_is_a_file_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    with pytest.raises(Denied, match="cannot be used: File exists"):
        await open_sqlite(tmp_path / "data")


async def test_a_question_with_a_missing_value_is_a_mistake_of_ours(tmp_path: Path) -> None:
    store = await open_sqlite(tmp_path)
    with pytest.raises(sqlite3.ProgrammingError):
        await store.read(WAKES_AFTER, after="")
    await store.close()


async def test_many_readers_see_only_whole_commits_while_others_write(tmp_path: Path) -> None:
    store = await open_sqlite(tmp_path)
    writing = True

    async def read() -> None:
        while writing:
            found = await store.read(WAKES_AFTER, after="", limit=9999)
            assert len(found) % 10 == 0

    async def write(start: int) -> None:
        for number in range(start, start + 20):
            await store.commit(puts(*(wake(f"{number:03}-{part}") for part in range(10))))

    readers = [asyncio.ensure_future(read()) for _ in range(20)]
    await asyncio.gather(*(write(start) for start in range(0, 100, 20)))
    writing = False
    await asyncio.gather(*readers)
    assert len(await store.read(WAKES_AFTER, after="", limit=9999)) == 1000
    await store.close()


async def test_no_thread_of_ours_is_left_behind(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    for _ in range(3):
        store = await open_sqlite(tmp_path)
        await store.commit(puts(wake("w1")))
        await store.read(WAKES_AFTER, after="", limit=1)
        await store.sign([sign("1", 1.0)])
        await store.close()
    left = {thread.name for thread in set(threading.enumerate()) - before}
    assert {name for name in left if name.startswith("setpoint")} == set()


async def test_a_guest_that_comes_and_goes_loses_nothing_committed_after_it(tmp_path: Path) -> None:
    """Opening the file once more must not drop the locks by which others know that we are there."""
    store = await open_sqlite(tmp_path)
    try:
        await store.commit(puts(wake("w1")))
        await asyncio.to_thread(visited, tmp_path)
        await store.commit(puts(wake("w2")))
        assert await asyncio.to_thread(visited, tmp_path) == "2"
    finally:
        await store.close()


def visited(folder: Path) -> str:
    """What another process counts, which closes the file behind it."""
    count = "SELECT count(*) FROM wake"
    script = f"import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute({count!r}).fetchone()[0])"
    command = [sys.executable, "-c", script, str(folder / "setpoint.db")]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603
