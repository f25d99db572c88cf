"""The migrator: up with a backup, one step down, and hands off what is not for this code."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from conformance.store_queries import inside
from conformance.store_rows import names, puts, wake, zone
from setpoint.engine.errors import Denied, Rejected
from setpoint.engine.store import BY_CHANGED, WAKES_AFTER
from setpoint.engine.tables import TABLES
from setpoint.engine.token import Token
from setpoint.storage.sqlite import down, open_sqlite, pending
from setpoint.storage.sqlite.lock import FolderLock
from setpoint.storage.sqlite.migrate import MIGRATIONS, known, up

BEFORE_PEOPLE = 4
BEFORE_WALKS = 9


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """The real migrations and one more, which adds a table."""
    folder = tmp_path / "migrations"
    shutil.copytree(MIGRATIONS, folder)
    number = len(known()) + 1
    (folder / f"{number:04}_notes.sql").write_text(
        "CREATE TABLE note (id TEXT PRIMARY KEY) STRICT;\n-- down:\nDROP TABLE note;\n"
    )
    return folder


@pytest.fixture
async def folder(tmp_path: Path) -> Path:
    """A folder at the real schema, with one wake in it."""
    store = await open_sqlite(tmp_path / "data")
    await store.commit(puts(wake("w1")))
    await store.close()
    return tmp_path / "data"


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def tables(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as database:
        return {name for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}


def wakes(path: Path) -> list[tuple[str]]:
    with closing(sqlite3.connect(path)) as database:
        return database.execute("SELECT id FROM wake").fetchall()


def test_an_empty_folder_has_every_step_before_it(tmp_path: Path) -> None:
    assert pending(tmp_path) == known()
    assert list(tmp_path.iterdir()) == []


async def test_the_plan_is_shown_without_touching_anything(folder: Path, source: Path) -> None:
    before = files(folder)
    assert [step.name for step in pending(folder, source)] == ["notes"]
    assert pending(folder) == ()
    assert files(folder) == before


def test_the_first_steps_need_no_backup(tmp_path: Path) -> None:
    up(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["setpoint.db"]
    assert up(tmp_path) == ()


def test_a_database_with_data_is_copied_before_a_step(folder: Path, source: Path) -> None:
    steps = up(folder, source)
    backup = folder / f"setpoint.db.before-{steps[0].number:04}"
    assert "note" in tables(folder / "setpoint.db")
    assert "note" not in tables(backup)
    assert wakes(backup) == wakes(folder / "setpoint.db") == [("w1",)]
    assert not [path for path in folder.iterdir() if "unfinished" in path.name or path.name.endswith("-wal")]


async def test_a_backup_takes_the_place_of_the_database(folder: Path, source: Path) -> None:
    steps = up(folder, source)
    (folder / f"setpoint.db.before-{steps[0].number:04}").replace(folder / "setpoint.db")
    store = await open_sqlite(folder)
    assert await names(store, WAKES_AFTER, after="", limit=9) == ["w1"]
    await store.close()


def test_the_last_step_can_be_taken_back_and_again(folder: Path, source: Path) -> None:
    up(folder, source)
    taken = down(folder, source)
    assert taken is not None
    assert taken.name == "notes"
    assert "note" not in tables(folder / "setpoint.db")
    assert "note" in tables(folder / f"setpoint.db.before-down-{taken.number:04}")
    assert [step.name for step in up(folder, source)] == ["notes"]
    assert wakes(folder / "setpoint.db") == [("w1",)]


def test_every_step_goes_down_to_nothing_and_up_again(tmp_path: Path) -> None:
    up(tmp_path)
    first = schema(tmp_path / "setpoint.db")
    while down(tmp_path) is not None:
        pass
    assert tables(tmp_path / "setpoint.db") == {"schema_version"}
    up(tmp_path)
    assert schema(tmp_path / "setpoint.db") == first


def schema(path: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as database:
        return database.execute("SELECT name, sql FROM sqlite_schema ORDER BY name").fetchall()


def test_a_step_is_not_taken_back_while_somebody_works_in_the_folder(folder: Path) -> None:
    with FolderLock(folder), pytest.raises(Denied, match="has this folder"):
        down(folder)


async def test_a_schema_newer_than_the_code_is_refused_and_left_alone(folder: Path, source: Path) -> None:
    up(folder, source)
    before = files(folder)
    before.pop("setpoint.lock")
    newest = len(known())
    with pytest.raises(Rejected, match=f"has schema {newest + 1}, and this setpoint knows up to {newest}"):
        await open_sqlite(folder)
    with pytest.raises(Rejected, match="run the newer setpoint, or restore the backup"):
        await open_sqlite(folder, enforcing=False)
    with pytest.raises(Rejected):
        down(folder)
    assert {name: body for name, body in files(folder).items() if name != "setpoint.lock"} == before


def test_a_step_that_fails_changes_nothing_and_says_which(folder: Path, source: Path) -> None:
    number = len(known(source)) + 1
    (source / f"{number:04}_broken.sql").write_text(
        "CREATE TABLE half (id TEXT);\nOOPS;\n-- down:\nSELECT 1;\n"
    )
    with pytest.raises(Rejected, match=f'{number:04}_broken failed, nothing was changed: near "OOPS"'):
        up(folder, source)
    assert "half" not in tables(folder / "setpoint.db")
    assert [step.name for step in pending(folder, source)] == ["broken"]


async def test_a_database_of_something_else_is_refused(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "setpoint.db")) as database:
        database.execute("CREATE TABLE recipes (name TEXT)")
    with pytest.raises(Rejected, match="is a database of something else: it has recipes"):
        await open_sqlite(tmp_path)
    assert tables(tmp_path / "setpoint.db") == {"recipes"}


async def test_an_empty_file_is_a_fresh_start(tmp_path: Path) -> None:
    (tmp_path / "setpoint.db").touch()
    await (await open_sqlite(tmp_path)).close()
    assert pending(tmp_path) == ()


@pytest.mark.parametrize(
    ("file", "text", "complaint"),
    [
        ("0009_gap.sql", "SELECT 1;\n-- down:\nSELECT 1;\n", "without a gap"),
        ("0002_oneway.sql", "SELECT 1;\n", "no `-- down:` part"),
        ("0002_oneway.sql", "SELECT 1;\n-- down:\n", "no `-- down:` part"),
    ],
)
def test_steps_must_be_numbered_without_gaps_and_reversible(
    tmp_path: Path, file: str, text: str, complaint: str
) -> None:
    (tmp_path / "0001_first.sql").write_text("SELECT 1;\n-- down:\nSELECT 1;\n")
    (tmp_path / file).write_text(text)
    with pytest.raises(ValueError, match=complaint):
        known(tmp_path)


def test_every_table_has_the_columns_its_row_promises(tmp_path: Path) -> None:
    up(tmp_path)
    with closing(sqlite3.connect(tmp_path / "setpoint.db")) as database:
        for table in TABLES.values():
            found = [name for _, name, *_ in database.execute(f"PRAGMA table_info({table.name})")]
            assert sorted(found) == sorted([table.key, *table.columns, "body"])


async def test_credentials_of_machines_are_told_apart_from_those_that_were_there_before(
    tmp_path: Path,
) -> None:
    up(tmp_path)
    while len(known()) - len(pending(tmp_path)) > BEFORE_PEOPLE:
        down(tmp_path)
    with closing(sqlite3.connect(tmp_path / "setpoint.db")) as database:
        for role in ("agent", "auditor"):
            body = f'{{"hash":"{role}","subject":"x","role":"{role}"}}'.encode()
            database.execute("INSERT INTO token (hash, body) VALUES (?, ?)", (role, body))
        database.commit()
    store = await open_sqlite(tmp_path)
    sorts = [token.sort for role in ("agent", "auditor") if (token := await store.get(Token, role))]
    await store.close()
    assert sorts == ["agent", "service"]


async def test_what_was_there_before_is_found_by_its_words_and_when_it_changed(tmp_path: Path) -> None:
    store = await open_sqlite(tmp_path)
    old = zone("old", name="Old", labels={"Team": "Blog"}, changed_at=3.5)
    await store.commit(puts(old))
    await store.close()
    while len(known()) - len(pending(tmp_path)) > BEFORE_WALKS:
        down(tmp_path)
    store = await open_sqlite(tmp_path)
    asked = inside(old.scope) | {"kind": "", "text": "team=blog", "state": "", "unseen": "", "limit": 9}
    assert await store.read(BY_CHANGED, **asked, value=3.4, after="") == [old]
    assert await store.read(BY_CHANGED, **asked, value=3.5, after="zone/x") == []
    await store.close()
