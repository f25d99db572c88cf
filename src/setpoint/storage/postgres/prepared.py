"""A change made ready before the transaction begins: what cannot be spelled is its caller's error."""

from msgspec import Struct

from setpoint.engine.entity import canonical
from setpoint.engine.store import AnyRow, Change, Drop, Put
from setpoint.engine.tables import TABLES, Table
from setpoint.storage.expectation import check_expects
from setpoint.storage.form import decoded
from setpoint.storage.revision import moved, organizations


class Write(Struct, frozen=True):
    """A row as it will be read back, or None where it goes."""

    table: Table
    key: str
    row: AnyRow | None = None
    body: bytes = b""

    @property
    def place(self) -> tuple[type[AnyRow], str]:
        return self.table.row, self.key

    @property
    def slot(self) -> str | None:
        found: str | None = self.row.slot if self.row is not None and self.table.slotted else None
        return found


class Prepared(Struct, frozen=True):
    """Everything about a change that needs no database."""

    change: Change
    writes: tuple[Write, ...]
    organizations: tuple[str, ...]
    moved: frozenset[str]


def prepared(change: Change) -> Prepared:
    """The change, checked and spelled out."""
    check_expects(change)
    writes = tuple(_write(write) for write in change.writes)
    for line in (*change.events, *change.audit):
        canonical(line)
    return Prepared(change, writes, organizations(change), moved(change))


def _write(write: Put | Drop) -> Write:
    if isinstance(write, Drop):
        return Write(TABLES[write.row], write.key)
    table = TABLES[type(write.row)]
    body = canonical(write.row)
    # Read back before it is written: one row that cannot be read would break every page it is on.
    row = decoded(table.row, body)
    return Write(table, getattr(row, table.key), row, body)
