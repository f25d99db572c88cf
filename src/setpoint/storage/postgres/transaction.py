"""A group of changes as one transaction: read and lock, work out in memory, write what is left."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, Final

from setpoint.engine.entity import canonical
from setpoint.engine.errors import Conflict
from setpoint.engine.rows import Head
from setpoint.engine.tables import TABLES
from setpoint.storage.postgres import statements
from setpoint.storage.postgres.connection import Session
from setpoint.storage.postgres.group import Found, Group, Place, Touched, Written, absences, touched
from setpoint.storage.postgres.prepared import Prepared, Write
from setpoint.storage.postgres.spelling import columns, read_back, text
from setpoint.storage.quarantine import one
from setpoint.storage.revision import Numbered, numbered

_NAMES: Final = 64
"""Absent rows share so many locks per table: enough to stay apart, few enough for PostgreSQL's lock table."""


async def work(session: Session, members: Sequence[Prepared]) -> list[Conflict | None]:
    """Do everything but COMMIT; returns how each change went."""
    reserved = absences(members)
    if reserved:
        await _reserve(session, reserved)
    found = Found()
    for wanted in touched(members):
        await _read(session, wanted, found)
    group = Group(found)
    outcomes = [group.apply(member) for member in members]
    for written in group.written():
        await _write(session, written)
    made = [member for member, conflict in zip(members, outcomes, strict=True) if conflict is None]
    await _append(session, made)
    return outcomes


async def _reserve(session: Session, reserved: dict[Place, bool]) -> None:
    numbers: dict[int, bool] = {}
    for place, alone in reserved.items():
        number = _number(place)
        numbers[number] = alone or numbers.get(number, False)
    ordered = sorted(numbers)
    await session.fetch(statements.appends()["reserve"], ordered, [numbers[each] for each in ordered])


def _number(place: Place) -> int:
    """The lock for a row that is not there; the high half is the table's, so that no other lock has it."""
    row, key = place
    table = int.from_bytes(blake2b(TABLES[row].name.encode(), digest_size=3).digest())
    return table << 32 | int.from_bytes(blake2b(key.encode(), digest_size=4).digest()) % _NAMES


async def _read(session: Session, wanted: Touched, found: Found) -> None:
    row, sql = wanted.table.row, statements.of(wanted.table)
    for statement, keys in ((sql.hold_still, wanted.still), (sql.hold_to_write, wanted.to_write)):
        if keys:
            rows = await session.fetch(statement, [text(key) for key in keys])
            found.rows.update(((row, read_back(key)), one(row, read_back(key), body)) for key, body in rows)
    if wanted.moving:
        slots, keys = [[text(each) for each in part] for part in (wanted.slots, wanted.moving)]
        holders = await session.fetch(sql.holders, slots, keys)
        found.holders.update(((row, read_back(slot)), read_back(key)) for slot, key in holders)


async def _write(session: Session, written: Written) -> None:
    sql = statements.of(written.table)
    for statement, keys in ((sql.drop, written.drops), (sql.vacate, written.vacates)):
        if keys:
            await session.execute(statement, [text(key) for key in keys])
    for statement, rows in ((sql.put, written.puts), (sql.claim, written.claims)):
        if rows:
            await session.executemany(statement, [_columns(write) for write in rows])


def _columns(write: Write) -> list[Any]:
    return columns(write.table, write.row, write.body)


async def _append(session: Session, made: Sequence[Prepared]) -> None:
    """Numbers come last: the heads are locked for as short as can be, and in one order."""
    wanted = sorted({organization for member in made for organization in member.organizations})
    if not wanted:
        return
    table = TABLES[Head]
    sql = statements.of(table)
    rows = await session.fetch(sql.hold_to_write, [text(each) for each in wanted])
    known = {read_back(organization): one(Head, read_back(organization), body) for organization, body in rows}
    heads = {each: known.get(each) or Head(organization=each) for each in wanted}
    lines: list[Numbered] = []
    for member in made:
        for organization in member.organizations:
            lines.append(numbered(member.change, heads[organization]))
            heads[organization] = lines[-1].head
    await _append_lines(session, lines)
    moved = [Write(table, each, head, canonical(head)) for each, head in heads.items()]
    new = [head for head in moved if head.key not in known]
    await _write(session, Written(table, (), (), [head for head in moved if head.key in known], new))


async def _append_lines(session: Session, lines: Sequence[Numbered]) -> None:
    events = [(text(e.organization), e.revision, text(e.ref), canonical(e)) for n in lines for e in n.events]
    audit = [(text(e.organization), e.revision, canonical(e)) for n in lines for e in n.audit]
    for name, rows in (("append_event", events), ("append_audit", audit)):
        if rows:
            await session.executemany(statements.appends()[name], rows)
