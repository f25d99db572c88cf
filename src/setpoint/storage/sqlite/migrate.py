"""The migrator: numbered files, each with its way back; the database says how far it is."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from setpoint.engine.errors import Rejected
from setpoint.storage.migration import Migration, check_known, steps_in
from setpoint.storage.sqlite.connection import connect, failure, look
from setpoint.storage.sqlite.lock import FolderLock

DATABASE: Final = "setpoint.db"
MIGRATIONS: Final = Path(__file__).parent / "migrations"
_RECORD: Final = """
CREATE TABLE IF NOT EXISTS schema_version (number INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL) STRICT;
{up}
INSERT INTO schema_version (number, name) VALUES ({number}, '{name}');
"""


def known(source: Path = MIGRATIONS) -> tuple[Migration, ...]:
    """Every step this code knows, in order."""
    return steps_in(source)


def pending(folder: Path, source: Path = MIGRATIONS) -> tuple[Migration, ...]:
    """The steps `up` would take in this folder; nothing is touched."""
    steps = known(source)
    return steps[_version(folder, len(steps)) :]


def up(folder: Path, source: Path = MIGRATIONS) -> tuple[Migration, ...]:
    """Take every pending step, after a backup of what is there; returns them. The caller holds the lock."""
    steps = pending(folder, source)
    if not steps:
        return ()
    with _database(folder) as database:
        if steps[0].number > 1:
            _back_up(database, folder / f"{DATABASE}.before-{steps[0].number:04}")
        for step in steps:
            _run(database, step, _RECORD.format(up=step.up, number=step.number, name=step.name))
    return steps


def down(folder: Path, source: Path = MIGRATIONS) -> Migration | None:
    """Take back the last step, after a backup; returns it, or None when there is none."""
    steps = known(source)
    with FolderLock(folder):
        version = _version(folder, len(steps))
        if version == 0:
            return None
        step = steps[version - 1]
        with _database(folder) as database:
            _back_up(database, folder / f"{DATABASE}.before-down-{step.number:04}")
            _run(database, step, f"{step.down}\nDELETE FROM schema_version WHERE number = {step.number};")
        return step


def _version(folder: Path, newest: int) -> int:
    """How far this folder's database is, by looking only; refused if that is further than this code knows."""
    path = folder / DATABASE
    if not path.exists():
        return 0
    with _told_of(path), closing(look(path)) as database:
        version = _recorded(path, database)
    check_known(path, version, newest, f"the backup {DATABASE}.before-{newest + 1:04}")
    return version


def _recorded(path: Path, database: sqlite3.Connection) -> int:
    tables = {name for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    if "schema_version" in tables:
        found: int = database.execute("SELECT coalesce(max(number), 0) FROM schema_version").fetchone()[0]
        return found
    if tables:
        raise Rejected(f"{path} is a database of something else: it has {', '.join(sorted(tables))}")
    return 0


@contextmanager
def _database(folder: Path) -> Iterator[sqlite3.Connection]:
    path = folder / DATABASE
    with _told_of(path), closing(connect(path, synchronous="FULL")) as database:
        yield database


@contextmanager
def _told_of(path: Path) -> Iterator[None]:
    """An error that SQLite finds in this file is told in one sentence."""
    try:
        yield
    except sqlite3.Error as error:
        raise failure(error, f"{path} cannot be used") from error


def _back_up(database: sqlite3.Connection, path: Path) -> None:
    """A whole copy under this name, or none: what is half written has another name."""
    unfinished = path.with_name(path.name + ".unfinished")
    unfinished.unlink(missing_ok=True)
    with closing(connect(unfinished, synchronous="FULL")) as copy:
        database.backup(copy)
        # The copy is one file, so that restoring it is one `mv`.
        copy.execute("PRAGMA journal_mode = DELETE")
    unfinished.replace(path)


def _run(database: sqlite3.Connection, step: Migration, script: str) -> None:
    try:
        database.executescript(f"BEGIN IMMEDIATE;\n{script}\nCOMMIT;")
    except sqlite3.Error as error:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise Rejected(f"step {step.title} failed, nothing was changed: {error}") from error
