"""A whole database out of PostgreSQL, every row of one moment, and an empty one filled in one commit."""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby, islice
from pathlib import Path
from typing import Final

from setpoint.engine.entity import canonical
from setpoint.engine.errors import Rejected
from setpoint.engine.rows import Audit, Event
from setpoint.engine.store import AnyRow, Change
from setpoint.engine.tables import TABLES
from setpoint.storage.backup.lines import ORDER, ROWS
from setpoint.storage.postgres import migrate, statements
from setpoint.storage.postgres.connection import Address, Session
from setpoint.storage.postgres.prepared import prepared
from setpoint.storage.postgres.spelling import columns, text
from setpoint.storage.postgres.transaction import work
from setpoint.storage.statements import named

AT_ONCE: Final = 1000
LONG_SECONDS: Final = 3600.0
_SQL: Final = named(Path(__file__).parent, ("archive.sql",))


async def every_row(url: str, put: Callable[[str, bytes], None]) -> None:
    """Puts (table, body) of everything, as it was at one moment; whoever works there goes on meanwhile."""
    if await migrate.pending(url):
        raise Rejected("the database is of an older release; first: setpoint migrate --database URL")
    async with Address(url, command_seconds=LONG_SECONDS).session() as session:
        await session.execute(_SQL["snapshot"])
        for table in ROWS:
            sql = _SQL["every_row"].format(table=table, order=ORDER[table])
            async for (body,) in session.cursor(sql, prefetch=AT_ONCE):
                put(table, body)


async def restore(url: str, rows: Iterable[AnyRow], last: Change) -> None:
    """These rows into an empty database, and `last` in the same commit; refused where anything is there."""
    if await migrate.pending(url):
        await migrate.up(url)
    async with Address(url, command_seconds=LONG_SECONDS).session() as session:
        await session.execute(_SQL["alone"])
        for table in ROWS:
            if await session.fetchval(_SQL["some_row"].format(table=table)):
                raise Rejected(
                    f"the database is not empty: it has rows in {table}; nothing was changed. "
                    "Make an empty one (createdb NAME), and restore into that"
                )
        waiting = iter(rows)
        while batch := list(islice(waiting, AT_ONCE)):
            for sort, same in groupby(batch, type):
                await _put(session, sort, list(same))
        [conflict] = await work(session, [prepared(last)])
        if conflict is not None:
            raise Rejected(f"the backup contradicts itself: {conflict}; nothing was changed")
        await session.execute("COMMIT")


async def _put(session: Session, sort: type[AnyRow], rows: Sequence[AnyRow]) -> None:
    if sort is Event:
        lines = [(text(e.organization), e.revision, text(e.ref), canonical(e)) for e in rows]
        await session.executemany(statements.appends()["append_event"], lines)
    elif sort is Audit:
        audit = [(text(e.organization), e.revision, canonical(e)) for e in rows]
        await session.executemany(statements.appends()["append_audit"], audit)
    else:
        table = TABLES[sort]
        found = [columns(table, row, canonical(row)) for row in rows]
        await session.executemany(statements.of(table).claim, found)
