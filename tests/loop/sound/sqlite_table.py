"""Books on a shelf, as rows of a SQLite table; plain methods, a connection for each call, a direct look."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from setpoint.loop import ABSENT, Keyed
from setpoint.loop.observers import sql

WANTED = {"emma": {"author": "Austen", "pages": 474}, "ulysses": {"author": "Joyce", "pages": 730}}


class SqliteTable(Keyed):
    def __init__(self, file: Path) -> None:
        self.file = file

    @contextmanager
    def connected(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self.file)) as connection:
            connection.execute("pragma synchronous = off")  # Nobody pulls the plug of this test.
            with connection:
                yield connection

    def desired(self) -> dict[str, Any]:
        return WANTED

    def observe(self) -> dict[str, Any]:
        return sql(lambda: sqlite3.connect(self.file), "select name, author, pages from shelf", key="name")()

    def look(self, key: str) -> Any:
        with self.connected() as connection:
            row = connection.execute("select author, pages from shelf where name = ?", (key,)).fetchone()
        return {"author": row[0], "pages": row[1]} if row else ABSENT

    def put(self, key: str, value: Any) -> None:
        with self.connected() as connection:
            connection.execute(
                "insert or replace into shelf values (?, ?, ?)", (key, value["author"], value["pages"])
            )

    def delete(self, key: str) -> None:
        with self.connected() as connection:
            connection.execute("delete from shelf where name = ?", (key,))


def make(folder: Path) -> Callable[[], SqliteTable]:
    file = folder / "shelf.db"
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("create table shelf (name text primary key, author text, pages integer)")
    return lambda: SqliteTable(file)
