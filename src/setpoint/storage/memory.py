"""The store in memory: the same promises as SQLite, without threads or time, for simulation and tests."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from setpoint.engine.entity import Declared, Status, canonical
from setpoint.engine.errors import Conflict
from setpoint.engine.rows import Audit, Event, Head, Shard, Sign
from setpoint.engine.store import (
    AnyRow,
    Change,
    Drop,
    Expect,
    Identity,
    Lease,
    Leased,
    Put,
    Query,
    Scalar,
    Stored,
)
from setpoint.engine.tables import TABLES, Table
from setpoint.storage.answers import ANSWERS
from setpoint.storage.expectation import check_expects, taken, unmet
from setpoint.storage.form import settled
from setpoint.storage.lease import first_shards, leased
from setpoint.storage.listeners import Heard, Listeners
from setpoint.storage.revision import Numbered, moved, numbered, organizations
from setpoint.storage.shelf import Shelf

RowT = TypeVar("RowT")


class MemoryStore:
    """Outlives the application that uses it: a simulated restart finds what was committed."""

    def __init__(self, now: Callable[[], float] = lambda: 0.0) -> None:
        self.now = now
        self.shelves: dict[type[AnyRow], Shelf[AnyRow]] = {row: Shelf(row) for row in TABLES}
        self.events: dict[str, list[Event]] = {}
        self.events_by_ref: dict[str, list[Event]] = {}
        self.audit: dict[str, list[Audit]] = {}
        self.signs: dict[str, Sign] = {}
        self.here = Identity("memory")
        self._listeners = Listeners()
        for shard in first_shards():
            self.shelves[Shard].put(shard.key, shard)

    async def commit(self, change: Change) -> None:
        # Nothing is awaited in here: the commit is one step for everyone else on the loop. Whatever cannot be
        # spelled as JSON is found before the first write.
        check_expects(change)
        rows = [settled(write.row) if isinstance(write, Put) else None for write in change.writes]
        lines = [numbered(change, self._head(organization)) for organization in organizations(change)]
        for expect in change.expects:
            self._check(expect)
        self._write_all(change.writes, rows)
        for each in lines:
            self._append(each)
        self._listeners.tell(moved(change))

    async def get(self, row: type[RowT], key: str) -> RowT | None:
        return self.shelves[row].get(key)

    async def read(self, query: Query[RowT], **values: Scalar) -> list[RowT]:
        return ANSWERS[query.name](self, **values)

    async def bodies(self, query: Query[Declared], **values: Scalar) -> Sequence[Stored]:
        found: list[Declared] = ANSWERS[query.name](self, **values)
        statuses = [self.shelves[Status].get(row.ref) for row in found]
        return [(canonical(r), canonical(s) if s else None) for r, s in zip(found, statuses, strict=True)]

    async def lease(self, asked: Lease) -> Leased:
        return await leased(self, asked, self.now())

    async def identity(self) -> Identity:
        return self.here

    async def sign(self, signs: Sequence[Sign], hint: str = "") -> None:
        for sign in signs:
            held = self.signs.get(sign.ref)
            if held is None or held.at < sign.at:
                self.signs[sign.ref] = settled(sign)
        if hint:
            self._listeners.tell(frozenset({hint}))

    def listen(self, heard: Heard) -> Callable[[], None]:
        return self._listeners.add(heard)

    async def close(self) -> None:
        """Nothing to close: the rows stay for the next start."""

    def _check(self, expect: Expect) -> None:
        if reason := unmet(expect, self.shelves[expect.row].get(expect.key)):
            raise Conflict(reason)

    def _head(self, organization: str) -> Head:
        return self.shelves[Head].get(organization) or Head(organization=organization)

    def _write_all(self, writes: Sequence[Put | Drop], rows: Sequence[AnyRow | None]) -> None:
        undo: list[tuple[type[AnyRow], str, AnyRow | None]] = []
        try:
            for write, row in zip(writes, rows, strict=True):
                undo.append(self._write(write, row))
        except Conflict:
            for kind, key, before in reversed(undo):
                self.shelves[kind].put(key, before)
            raise

    def _write(self, write: Put | Drop, row: AnyRow | None) -> tuple[type[AnyRow], str, AnyRow | None]:
        if isinstance(write, Drop):
            return write.row, write.key, self.shelves[write.row].put(write.key, None)
        table = TABLES[type(row)]
        key = getattr(row, table.key)
        self._claim(table, row, key)
        return table.row, key, self.shelves[table.row].put(key, row)

    def _claim(self, table: Table, row: AnyRow, key: str) -> None:
        if "slot" not in table.columns:
            return
        holder = self.shelves[table.row].holder(row.slot)
        if holder not in (None, key):
            raise Conflict(taken(table, row.slot, str(holder), key))

    def _append(self, lines: Numbered) -> None:
        organization = lines.head.organization
        self.events.setdefault(organization, []).extend(lines.events)
        for event in lines.events:
            self.events_by_ref.setdefault(event.ref, []).append(event)
        self.audit.setdefault(organization, []).extend(lines.audit)
        self.shelves[Head].put(organization, lines.head)
