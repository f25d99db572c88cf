"""A whole database out of SQLite, every row of one moment, and a new one filled in one commit."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from setpoint.engine.errors import Denied, Rejected
from setpoint.engine.rows import Audit, Event
from setpoint.engine.store import AnyRow, Change
from setpoint.storage.backup.lines import ORDER, ROWS
from setpoint.storage.sqlite import migrate
from setpoint.storage.sqlite.connection import connect, failure, look
from setpoint.storage.sqlite.lock import FolderLock
from setpoint.storage.sqlite.statements import statements
from setpoint.storage.sqlite.transaction import Transaction, line_of, prepared, put_of
from setpoint.storage.statements import named

UNFINISHED: Final = "restoring.unfinished"
SIDES: Final = ("-wal", "-shm", "")
"""A database and what belongs to it; the file itself goes last, so that it is never without them."""


def every_row(folder: Path) -> Iterator[tuple[str, bytes]]:
    """(table, body) of everything, as it was at one moment; whoever works on the folder goes on meanwhile."""
    path = folder / migrate.DATABASE
    if not path.exists():
        raise Rejected(f"there is no database in {folder}; say where it is with --data")
    if migrate.pending(folder):
        raise Rejected(f"{path} is of an older release; first: setpoint migrate --data {folder}")
    sql = named(Path(__file__).parent, ("archive.sql",))["every_row"]
    try:
        with closing(look(path)) as database:
            database.execute("BEGIN")
            for table in ROWS:
                found = database.execute(sql.format(table=table, order=ORDER[table]))
                yield from ((table, body) for (body,) in found)
    except sqlite3.Error as error:
        raise failure(error, f"{path} cannot be read") from error


def restore(folder: Path, rows: Iterable[AnyRow], last: Change, *, aside: str = "") -> Path | None:
    """A new database of these rows, and `last` in the same commit. `aside`: the name for one that is there.

    Returns where that one is now. It is built under another name: what goes wrong changes nothing.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / migrate.DATABASE
    with FolderLock(folder):
        if path.exists() and not aside:
            raise Rejected(f"{folder} has a database already; nothing was changed")
        built = _built(folder / UNFINISHED, rows, last)
        moved = folder / aside if path.exists() else None
        for side in SIDES if moved else ():
            if (folder / f"{path.name}{side}").exists():
                (folder / f"{path.name}{side}").rename(f"{moved}{side}")
        built.rename(path)
        built.parent.rmdir()
    return moved


def _built(folder: Path, rows: Iterable[AnyRow], last: Change) -> Path:
    """A database of its own, whole and in one file."""
    path = folder / migrate.DATABASE
    for leftover in sorted(folder.glob("*")):
        leftover.unlink()
    folder.mkdir(mode=0o700, exist_ok=True)
    migrate.up(folder)
    try:
        with closing(connect(path, synchronous="FULL")) as database:
            database.execute("BEGIN IMMEDIATE")
            for row in rows:
                _put(database, row)
            transaction = Transaction(database)
            transaction.apply(prepared(last))
            transaction.end()
            database.execute("COMMIT")
            # One file, so that one rename brings all of it to its place.
            database.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.IntegrityError as error:
        raise Rejected(f"the backup contradicts itself: {error}; nothing was changed") from error
    except sqlite3.Error as error:
        raise failure(error, f"{path} cannot be written") from error
    except OSError as error:
        raise Denied(f"{path} cannot be written: {error.strerror}") from error
    return path


def _put(database: sqlite3.Connection, row: AnyRow) -> None:
    match row:
        case Event():
            database.execute(statements()["append_event"], line_of(row))
        case Audit():
            database.execute(statements()["append_audit"], line_of(row))
        case _:
            write = put_of(row)
            database.execute(write.sql, write.values)
