"""One change inside a transaction: check what it expects, write, number what is appended."""

import sqlite3
from dataclasses import dataclass
from typing import TypeVar

from setpoint.engine.entity import canonical
from setpoint.engine.errors import Conflict
from setpoint.engine.rows import Audit, Event, Head
from setpoint.engine.store import TABLES, AnyRow, Change, Drop, Put, Query, Scalar, Table
from setpoint.storage.expectation import check_expects, taken, unmet
from setpoint.storage.form import columns_of, decoded
from setpoint.storage.revision import Numbered, moved, numbered, organizations
from setpoint.storage.sqlite.statements import statements

RowT = TypeVar("RowT")
Values = dict[str, Scalar | bytes]


@dataclass(frozen=True, slots=True)
class Write:
    """A statement with its values, ready before the transaction begins."""

    table: Table
    sql: str
    values: Values


@dataclass(frozen=True, slots=True)
class Prepared:
    """A change whose rows are spelled out, so that a row that cannot be is its caller's error."""

    change: Change
    writes: tuple[Write, ...]
    organizations: tuple[str, ...]
    moved: frozenset[str]


def prepared(change: Change) -> Prepared:
    """Everything about a change that needs no database."""
    check_expects(change)
    writes = tuple(_write(write) for write in change.writes)
    return Prepared(change, writes, organizations(change), moved(change))


def apply(connection: sqlite3.Connection, todo: Prepared) -> None:
    """All of the change; when this raises, the caller rolls back what was done of it."""
    for expect in todo.change.expects:
        if reason := unmet(expect, held(connection, expect.row, expect.key)):
            raise Conflict(reason)
    for write in todo.writes:
        try:
            connection.execute(write.sql, write.values)
        except sqlite3.IntegrityError as error:
            if refusal := _refusal(connection, write):
                raise Conflict(refusal) from error
            raise
    for organization in todo.organizations:
        head = held(connection, Head, organization) or Head(organization=organization)
        _append(connection, numbered(todo.change, head))


def held(connection: sqlite3.Connection, row: type[AnyRow], key: str) -> AnyRow | None:
    """The row with this key."""
    sql = statements()[f"get_{TABLES[row].name}"]
    found = connection.execute(sql, {"key": key}).fetchone()
    return None if found is None else decoded(row, found[0])


def rows(connection: sqlite3.Connection, query: Query[RowT], values: dict[str, Scalar]) -> list[RowT]:
    """The answer to a named query."""
    found = connection.execute(statements()[query.name], values).fetchall()
    return [decoded(query.row, row[0]) for row in found]


def clock(connection: sqlite3.Connection) -> float:
    """Seconds by the database's own clock."""
    found: float = connection.execute(statements()["clock"]).fetchone()[0]
    return found


def _write(write: Put | Drop) -> Write:
    if isinstance(write, Drop):
        table = TABLES[write.row]
        return Write(table, statements()[f"drop_{table.name}"], {"key": write.key})
    return put_of(write.row)


def put_of(row: AnyRow) -> Write:
    table = TABLES[type(row)]
    body = canonical(row)
    # Read back before it is written: one row that cannot be read would break every page it is on.
    values = columns_of(table, decoded(table.row, body))
    return Write(table, statements()[f"put_{table.name}"], {**values, "body": body})


def _refusal(connection: sqlite3.Connection, write: Write) -> str | None:
    """Who has the slot, if that is what was wrong; any other broken constraint is a mistake of ours."""
    slot = write.values.get("slot")
    if not isinstance(slot, str):
        return None
    sql = statements()[f"holder_of_{write.table.name}"]
    holder = connection.execute(sql, {"slot": slot}).fetchone()
    key = str(write.values[write.table.key])
    if holder is None or holder[0] == key:
        return None
    return taken(write.table, slot, holder[0], key)


def _append(connection: sqlite3.Connection, lines: Numbered) -> None:
    connection.executemany(statements()["append_event"], [line_of(event) for event in lines.events])
    connection.executemany(statements()["append_audit"], [line_of(entry) for entry in lines.audit])
    # The head comes last: whoever sees it sees everything it counts.
    head = put_of(lines.head)
    connection.execute(head.sql, head.values)


def line_of(line: Event | Audit) -> Values:
    return {
        "organization": line.organization,
        "revision": line.revision,
        "ref": line.ref,
        "body": canonical(line),
    }
