"""Observing the rows of a database through any DB-API 2.0 driver: all of them, or the driver's error."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import KW_ONLY, dataclass
from typing import Any

from setpoint.engine.errors import Rejected
from setpoint.engine.plan import ABSENT, Absence

AnyConnection = Any
AnyValue = Any
Row = dict[str, AnyValue]


@dataclass(frozen=True, slots=True)
class Sql:
    """`observe = sql(connect, "select name, size from shelf", key="name")`: key -> the other columns.

    `connect` opens a connection, as `lambda: sqlite3.connect("shelf.db")`; after each look it is closed.
    """

    connect: Callable[[], AnyConnection]
    query: str
    _: KW_ONLY
    key: str
    parameters: Sequence[AnyValue] = ()

    def __call__(self, loop: object = None) -> dict[str, Row]:
        """All rows, or raise. As a method of a loop it may be handed that loop, and does not need it."""
        found: dict[str, Row] = {}
        for row in _rows(self.connect, self.query, self.parameters):
            key = _key(row, self.key)
            if key in found:
                raise Rejected(f"the query gives {self.key} {key!r} twice: a key stands for one row")
            found[key] = row
        return found

    def one(self, query: str) -> "SqlRow":
        """`look = observe.one("select name, size from shelf where name = ?")`: the same rows one by one."""
        return SqlRow(query, self)


@dataclass(frozen=True, slots=True)
class SqlRow:
    """One row, directly: its other columns, or ABSENT. The key is the query's only parameter."""

    query: str
    table: Sql

    def __call__(self, key: str) -> Row | Absence:
        found = list(_rows(self.table.connect, self.query, (key,)))
        if not found:
            return ABSENT
        if len(found) > 1:
            raise Rejected(f"the query gives {len(found)} rows for {key!r}: a key stands for one row")
        if (said := _key(found[0], self.table.key)) != key:
            raise Rejected(f"the query gives {self.table.key} {said!r}, asked about {key!r}")
        return found[0]


def _rows(connect: Callable[[], AnyConnection], query: str, parameters: Sequence[AnyValue]) -> Iterator[Row]:
    with closing(connect()) as connection, closing(connection.cursor()) as cursor:
        cursor.execute(query, tuple(parameters))
        if cursor.description is None:
            raise Rejected("the query gives no rows at all: it is not a question")
        columns = [column[0] for column in cursor.description]
        if len(set(columns)) != len(columns):
            raise Rejected(f"the query gives two columns of one name: {', '.join(columns)}")
        for row in cursor.fetchall():
            yield dict(zip(columns, row, strict=True))


def _key(row: Row, column: str) -> str:
    """Takes the key out of its row; numbers are keys by their spelling."""
    if column not in row:
        raise Rejected(f"the query gives no column {column}; it gives {', '.join(row)}")
    key = row.pop(column)
    if isinstance(key, bool) or not isinstance(key, str | int) or key == "":
        raise Rejected(f"the query gives a row whose {column} is {key!r}: not a key")
    return str(key)
