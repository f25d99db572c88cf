"""`setpoint migrate`: what would be done, done, and one step back; in a folder and in PostgreSQL."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from postgres import database, drop
from setpoint.local import run
from setpoint.storage.sqlite.lock import FolderLock
from setpoint.storage.sqlite.migrate import DATABASE


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str]]:
    code = run("migrate", list(arguments), {})
    return code, capsys.readouterr().err.splitlines()


def there_and_back(capsys: pytest.CaptureFixture[str], where: tuple[str, str]) -> None:
    """Planned, done, nothing left, one back, and forward again."""
    _, planned = told(capsys, *where, "--plan")
    assert planned[0] == "pending: 0001_first_tables"
    assert told(capsys, *where) == (0, [line.replace("pending", "done") for line in planned])
    assert told(capsys, *where, "--plan") == (0, ["nothing to do"])
    last = planned[-1].replace("pending", "done")
    assert told(capsys, *where, "--down") == (0, [last])
    assert told(capsys, *where) == (0, [last])


def test_a_folder_is_brought_up_to_date_and_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    there_and_back(capsys, ("--data", str(tmp_path / "new")))


def test_postgres_is_brought_up_to_date_and_back(capsys: pytest.CaptureFixture[str]) -> None:
    url = asyncio.run(database(migrated=False))
    there_and_back(capsys, ("--database", url))
    asyncio.run(drop(url))


def test_a_folder_that_is_in_use_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with FolderLock(tmp_path):
        code, (line,) = told(capsys, "--data", str(tmp_path))
    assert code == 1
    assert line.startswith("setpoint migrate: another setpoint process (pid ")


def test_a_database_of_something_else_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(sqlite3.connect(tmp_path / DATABASE)) as other:
        other.execute("CREATE TABLE photos (name TEXT)")
    code, (line,) = told(capsys, "--data", str(tmp_path))
    assert code == 1
    assert "is a database of something else" in line
