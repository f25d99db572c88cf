"""One change inside a transaction: check what it expects, write, number what is appended."""

import sqlite3
from itertools import groupby
from typing import TypeVar

import msgspec
from msgspec import Struct

from setpoint.engine.entity import canonical, hash_of
from setpoint.engine.errors import Conflict
from setpoint.engine.rows import Audit, Event, Head
from setpoint.engine.store import AnyRow, Change, Drop, Put, Query, Scalar, Stored
from setpoint.engine.tables import TABLES, Table
from setpoint.storage.expectation import check_expects, taken, unmet
from setpoint.storage.form import columns_of, decoded
from setpoint.storage.quarantine import more_of, one, pass_over, sorted_out
from setpoint.storage.revision import moved, numbered, organizations
from setpoint.storage.sqlite.statements import statements
from setpoint.storage.statements import bodies_of

RowT = TypeVar("RowT")
Values = dict[str, Scalar | bytes]


class Write(msgspec.Struct, frozen=True, gc=False):
    """A statement with its values, ready before the transaction begins."""

    table: Table
    sql: str
    values: Values
    key: str

    @property
    def place(self) -> tuple[type[AnyRow], str]:
        return self.table.row, self.key


class Prepared(Struct, frozen=True):
    """A change whose rows are spelled out, so that a row that cannot be is its caller's error."""

    change: Change
    writes: tuple[Write, ...]
    organizations: tuple[str, ...]
    moved: frozenset[str]

    @property
    def rows(self) -> int:
        """How many are written."""
        return len(self.writes) + len(self.change.events) + len(self.change.audit)


def prepared(change: Change) -> Prepared:
    """Everything about a change that needs no database."""
    check_expects(change)
    writes = tuple(_write(write) for write in change.writes)
    return Prepared(change, writes, organizations(change), moved(change))


class Transaction:
    """Changes one after the other inside one transaction. Nobody else writes while it lasts: what was read
    once is known until one of them writes it.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._known: dict[tuple[type[AnyRow], str], AnyRow | None] = {}
        self._heads: dict[str, Head] = {}

    def apply(self, todo: Prepared) -> None:
        """All of the change; when this raises, the caller rolls back what was done of it."""
        if reason := self.unmet(todo):
            raise Conflict(reason)
        self.write(todo)

    def unmet(self, todo: Prepared) -> str | None:
        """What is not as the change expects it. Nothing is written here."""
        reasons = (unmet(each, self._held(each.row, each.key)) for each in todo.change.expects)
        return next(filter(None, reasons), None)

    def write(self, todo: Prepared) -> None:
        """Everything the change writes and appends."""
        for sql, writes in groupby(todo.writes, key=lambda write: write.sql):
            self._write(sql, tuple(writes))
        heads = {each: self._append(todo.change, each) for each in todo.organizations}
        self._heads |= heads  # Only now: a change that cannot be made leaves no number behind.

    def end(self) -> None:
        """The heads come last: whoever sees one sees everything it counts."""
        for head in self._heads.values():
            write = put_of(head)
            self._connection.execute(write.sql, write.values)

    def _held(self, row: type[AnyRow], key: str) -> AnyRow | None:
        if (row, key) not in self._known:
            self._known[row, key] = held(self._connection, row, key)
        return self._known[row, key]

    def _write(self, sql: str, writes: tuple[Write, ...]) -> None:
        if self._known:
            for write in writes:
                self._known.pop(write.place, None)
        try:
            self._connection.executemany(sql, [write.values for write in writes])
        except sqlite3.IntegrityError as error:
            refusals = (_refusal(self._connection, write) for write in writes)
            if refusal := next(filter(None, refusals), None):
                raise Conflict(refusal) from error
            raise

    def _append(self, change: Change, organization: str) -> Head:
        head = self._heads.get(organization) or held(self._connection, Head, organization)
        lines = numbered(change, head or Head(organization=organization))
        execute = self._connection.executemany
        execute(statements()["append_event"], [line_of(event) for event in lines.events])
        execute(statements()["append_audit"], [line_of(entry) for entry in lines.audit])
        return lines.head


def held(connection: sqlite3.Connection, row: type[AnyRow], key: str) -> AnyRow | None:
    """The row with this key."""
    sql = statements()[f"get_{TABLES[row].name}"]
    found = connection.execute(sql, {"key": key}).fetchone()
    return None if found is None else one(row, key, found[0])


def rows(connection: sqlite3.Connection, query: Query[RowT], values: dict[str, Scalar]) -> list[RowT]:
    """The answer to a named query."""
    wanted, asked = int(values.get("limit") or 0), values
    while True:
        found = [row[0] for row in connection.execute(statements()[query.name], asked).fetchall()]
        good, bad = sorted_out(query.row, found)
        if not bad:
            return good
        pass_over(query, values, [_key_of(connection, query.row, body) for body in bad])
        limit = more_of(asked, len(found), len(good), wanted)
        if not limit:
            return good[:wanted] if wanted else good
        asked = {**values, "limit": limit}


def _key_of(connection: sqlite3.Connection, row: type[AnyRow], body: bytes) -> str:
    """The key beside a body that does not tell it."""
    if row not in TABLES:
        return hash_of(str(body))[:8]
    table = TABLES[row]
    sql = f"SELECT {table.key} FROM {table.name} WHERE body = ?"  # noqa: S608 - names of our own table
    found = connection.execute(sql, (body,)).fetchone()
    return str(found[0]) if found else "?"


def pairs(connection: sqlite3.Connection, query: str, values: dict[str, Scalar]) -> list[Stored]:
    """Declarations and statuses as they lie there."""
    return connection.execute(statements()[bodies_of(query)], values).fetchall()


def clock(connection: sqlite3.Connection) -> float:
    """Seconds by the database's own clock."""
    found: float = connection.execute(statements()["clock"]).fetchone()[0]
    return found


def _write(write: Put | Drop) -> Write:
    if isinstance(write, Drop):
        table = TABLES[write.row]
        return Write(table, statements()[f"drop_{table.name}"], {"key": write.key}, write.key)
    return put_of(write.row)


def put_of(row: AnyRow) -> Write:
    table = TABLES[type(row)]
    body = canonical(row)
    # Read back before it is written: one row that cannot be read would break every page it is on.
    values: Values = {**columns_of(table, decoded(table.row, body))}
    values["body"] = body
    return Write(table, statements()[f"put_{table.name}"], values, str(values[table.key]))


def _refusal(connection: sqlite3.Connection, write: Write) -> str | None:
    """Who has the slot, if that is what was wrong; any other broken constraint is a mistake of ours."""
    slot = write.values.get("slot")
    if not isinstance(slot, str):
        return None
    sql = statements()[f"holder_of_{write.table.name}"]
    holder = connection.execute(sql, {"slot": slot}).fetchone()
    if holder is None or holder[0] == write.key:
        return None
    return taken(write.table, slot, holder[0], write.key)


def line_of(line: Event | Audit) -> Values:
    return {
        "organization": line.organization,
        "revision": line.revision,
        "ref": line.ref,
        "body": canonical(line),
    }
