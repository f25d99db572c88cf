"""A connection to one database file, set up the one way we use SQLite; and its errors in our words."""

import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

from setpoint.engine.errors import Failure, Rejected, Transient

Synchronous = Literal["FULL", "NORMAL"]

BUSY_SECONDS: Final = 10.0
_STATEMENTS_KEPT: Final = 256
_DAMAGED: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_PASSING: Final = (
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_INTERRUPT,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_PERM,
)


def connect(path: Path, *, synchronous: Synchronous, reads_only: bool = False) -> sqlite3.Connection:
    """Open the file, or create it for its owner alone. Transactions are ours to begin."""
    # SQLite gives its two side files the mode of this one; they hold the same secrets. Only created, never
    # opened: closing any descriptor of a file drops every lock that this process has on it, SQLite's too.
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    connection = sqlite3.connect(
        path,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,  # opened on one thread, then used by exactly one other
        cached_statements=_STATEMENTS_KEPT,
    )
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        connection.execute(f"PRAGMA query_only = {int(reads_only)}")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def look(path: Path) -> sqlite3.Connection:
    """Open a file that is there, to read it and leave it as it is."""
    # Not `mode=ro`: such a connection may not remove the side files it had to create for looking.
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=BUSY_SECONDS)
    connection.execute("PRAGMA query_only = 1")
    return connection


def file_identity(path: Path) -> str:
    """Names this very file: it stays when the folder is moved, and a copy has another.

    By the file system's own number, not by the device's, which may be another one after a restart.
    """
    try:
        return f"{os.statvfs(path).f_fsid:x}-{path.stat().st_ino}"
    except OSError as error:
        raise Transient(f"{path} cannot be looked at: {error.strerror}") from error


def failure(error: sqlite3.Error, what: str, *, landed: bool = False) -> Failure:
    """What happens next after this error: damage stays, everything else may pass."""
    if _sort(error) in _DAMAGED:
        return Rejected(f"{what}: the database is damaged ({error}); restore a backup")
    return Transient(f"{what}: {error}", landed=landed)


def of_the_file(error: sqlite3.Error) -> bool:
    """Whether the file or its disk is at fault; otherwise it is a mistake in what we asked."""
    return _sort(error) in _DAMAGED + _PASSING


def _sort(error: sqlite3.Error) -> int:
    # The low byte is the sort of error, the rest says more about it. Errors of the binding have no code.
    code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    return code & 0xFF
