"""SQLite in the data folder."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from check.sites import as_nobody, site
from setpoint.check import sqlite
from setpoint.check.finding import Level
from setpoint.storage.sqlite import open_sqlite
from setpoint.storage.sqlite.migrate import DATABASE, down, known


def test_this_sqlite_is_new_enough() -> None:
    assert sqlite.version().level is Level.OK
    assert sqlite.version((3, 36, 0)).said == "3.36.0; 3.37 is needed"


def test_real_commits_reach_the_disk_and_leave_nothing_behind(tmp_path: Path) -> None:
    assert sqlite.writes(site(tmp_path / "not" / "yet")).level is not Level.FAIL
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_breaks_the_check(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    with as_nobody(), pytest.raises(PermissionError):
        sqlite.writes(site(tmp_path))


@pytest.mark.parametrize(
    ("seconds", "kept", "level"), [(0.004, 5, Level.OK), (0.5, 5, Level.WARN), (0.004, 4, Level.FAIL)]
)
def test_a_slow_disk_is_warned_of_and_a_forgetful_one_fails(seconds: float, kept: int, level: Level) -> None:
    found = sqlite.told_of_writes(seconds, kept)
    assert found.level is level
    assert found.cure.startswith("--data DIR on another disk" if level is not Level.OK else "")


def test_nothing_there_yet_is_fine(tmp_path: Path) -> None:
    assert sqlite.schema(site(tmp_path)).said == "nothing there yet; made at the first start"


async def test_a_schema_of_this_program_is_fine(tmp_path: Path) -> None:
    await (await open_sqlite(tmp_path)).close()
    assert sqlite.schema(site(tmp_path)).said == f"{tmp_path / DATABASE} is up to date"


async def test_a_schema_that_is_behind_is_told_and_left_alone(tmp_path: Path) -> None:
    await (await open_sqlite(tmp_path)).close()
    down(tmp_path)
    found = sqlite.schema(site(tmp_path))
    assert (found.level, found.said) == (Level.WARN, "1 step behind; the next start takes it")
    assert found.cure == "setpoint migrate --plan"
    assert sqlite.schema(site(tmp_path)) == found


async def test_a_schema_that_is_too_new_fails(tmp_path: Path) -> None:
    await (await open_sqlite(tmp_path)).close()
    newest = len(known())
    with closing(sqlite3.connect(tmp_path / DATABASE, isolation_level=None)) as database:
        database.execute("INSERT INTO schema_version (number, name) VALUES (?, 'later')", (newest + 1,))
    found = sqlite.schema(site(tmp_path))
    assert found.level is Level.FAIL
    assert found.said.endswith(f"has schema {newest + 1}, and this setpoint knows up to {newest}")
    assert found.cure.startswith("run the newer setpoint, or restore")


def test_a_file_of_something_else_fails(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / DATABASE)) as database:
        database.execute("CREATE TABLE photos (name TEXT)")
    found = sqlite.schema(site(tmp_path))
    assert found.level is Level.FAIL
    assert "photos" in found.said
    assert found.cure


def test_a_damaged_file_fails(tmp_path: Path) -> None:
    (tmp_path / DATABASE).write_bytes(b"not a database at all" * 400)
    found = sqlite.schema(site(tmp_path))
    assert found.level is Level.FAIL
    assert "damaged" in found.said
    assert found.cure
