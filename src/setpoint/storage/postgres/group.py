"""What a group of changes makes of the rows it touches, worked out in memory, one change after the other."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from setpoint.engine.errors import Conflict
from setpoint.engine.store import AnyRow
from setpoint.engine.tables import TABLES, Table
from setpoint.storage.expectation import taken, unmet
from setpoint.storage.postgres.prepared import Prepared, Write

Place = tuple[type[AnyRow], str]  # A key of a table, or a slot of one.


class Touched(Struct, frozen=True):
    """What has to be read of one table before a group can be worked out, in the order that all lock in."""

    table: Table
    still: Sequence[str]  # Keys that are expected only.
    to_write: Sequence[str]  # Keys that are expected and written.
    slots: Sequence[str]  # Slots that somebody wants.
    moving: Sequence[str]  # Keys whose slots may become free.


class Found(Struct, frozen=True):
    """What was read: rows by key, and who holds which slot."""

    rows: dict[Place, AnyRow] = field(default_factory=dict)
    holders: dict[Place, str] = field(default_factory=dict)


class Written(Struct, frozen=True):
    """What the database must do to one table, in this order."""

    table: Table
    drops: Sequence[str]
    vacates: Sequence[str]
    puts: Sequence[Write]
    claims: Sequence[Write]


def touched(members: Sequence[Prepared]) -> list[Touched]:
    """What to read, table by table."""
    expected = {(e.row, e.key) for each in members for e in each.change.expects}
    writes = [write for each in members for write in each.writes]
    written = {write.place for write in writes}
    slotted = [write for write in writes if write.table.slotted]
    sorts = (
        expected - written,
        expected & written,
        {(write.table.row, write.slot) for write in slotted if write.slot is not None},
        {write.place for write in slotted},
    )
    by_table = [_by_table(places) for places in sorts]
    return [
        Touched(table, *(sorted(keys.get(row, ())) for keys in by_table))
        for row, table in TABLES.items()
        if any(row in keys for keys in by_table)
    ]


def absences(members: Iterable[Prepared]) -> dict[Place, bool]:
    """Keys whose absence counts although nobody writes them; true for those that somebody may bring about."""
    found: dict[Place, bool] = {}
    for member in members:
        for expect in member.change.expects:
            if expect.column == "" and TABLES[expect.row].absence:
                found.setdefault((expect.row, expect.key), False)
        found |= {
            write.place: True for write in member.writes if write.table.absence and write.row is not None
        }
    return found


class Group:
    """The rows as they are after each change that could be made; one that cannot be made leaves no trace."""

    def __init__(self, found: Found) -> None:
        self._found = found
        self._rows: dict[Place, AnyRow | None] = dict(found.rows)
        self._holders: dict[Place, str | None] = dict(found.holders)
        self._slots: dict[Place, str | None] = {
            (row, key): slot for (row, slot), key in found.holders.items()
        }
        self._last: dict[Place, Write | None] = {}
        self._claimed: set[Place] = set()
        self._undo: list[tuple[dict[Place, Any], Place, Any]] = []

    def apply(self, member: Prepared) -> Conflict | None:
        """Make this change, or say why it cannot be made."""
        for expect in member.change.expects:
            if reason := unmet(expect, self._rows.get((expect.row, expect.key))):
                return Conflict(reason)
        self._undo.clear()
        try:
            for write in member.writes:
                self._write(write)
        except Conflict as conflict:
            for book, place, before in reversed(self._undo):
                book[place] = before
            return conflict
        absent = {(expect.row, expect.key) for expect in member.change.expects if expect.column == ""}
        self._claimed |= absent - self._found.rows.keys()
        return None

    def written(self) -> list[Written]:
        """What is left to do, table by table: only the last word about each row."""
        last: dict[type[AnyRow], list[Write]] = defaultdict(list)
        for write in self._last.values():
            if write is not None:
                last[write.table.row].append(write)
        return [self._of(table, last[row]) for row, table in TABLES.items() if row in last]

    def _write(self, write: Write) -> None:
        if write.table.slotted:
            self._move(write)
        self._set(self._rows, write.place, write.row)
        self._set(self._last, write.place, write)

    def _move(self, write: Write) -> None:
        """Leave the slot the row had, take the one it wants."""
        row, slot, left = write.table.row, write.slot, self._slots.get(write.place)
        if slot is not None:
            holder = self._holders.get((row, slot))
            if holder not in (None, write.key):
                raise Conflict(taken(write.table, slot, str(holder), write.key))
        if left is not None:
            self._set(self._holders, (row, left), None)
        if slot is not None:
            self._set(self._holders, (row, slot), write.key)
        self._set(self._slots, write.place, slot)

    def _set(self, book: dict[Place, Any], place: Place, value: Any) -> None:
        self._undo.append((book, place, book.get(place)))
        book[place] = value

    def _of(self, table: Table, last: Sequence[Write]) -> Written:
        ordered = sorted(last, key=lambda write: write.key)
        puts = [write for write in ordered if write.row is not None]
        # Where a slot goes from one row to another, the first must leave it before the second takes it.
        held = [(self._found.holders.get((table.row, w.slot)), w.key) for w in puts if w.slot is not None]
        leaving = {holder for holder, key in held if holder != key}
        return Written(
            table,
            drops=[write.key for write in ordered if write.row is None],
            vacates=[write.key for write in puts if write.key in leaving],
            puts=[write for write in puts if write.place not in self._claimed],
            claims=[write for write in puts if write.place in self._claimed],
        )


def _by_table(places: Iterable[Place]) -> Mapping[type[AnyRow], list[str]]:
    found: dict[type[AnyRow], list[str]] = {}
    for row, key in places:
        found.setdefault(row, []).append(key)
    return found
