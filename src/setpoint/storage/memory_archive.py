"""A whole store out of memory and into it: the simulation restores as people do."""

from collections.abc import Callable, Iterable, Iterator

from setpoint.engine.entity import canonical
from setpoint.engine.rows import Audit, Event
from setpoint.engine.store import AnyRow, Change
from setpoint.engine.tables import TABLES
from setpoint.storage.backup.lines import ROWS
from setpoint.storage.memory import MemoryStore


def every_row(store: MemoryStore) -> Iterator[tuple[str, bytes]]:
    """(table, body) of everything, in the order of a backup. Nothing is awaited: it is of one moment."""
    for table, row in ROWS.items():
        if row in TABLES:
            found: Iterable[AnyRow] = store.shelves[row].all()
        else:
            lines: dict[str, list[AnyRow]] = {**(store.events if row is Event else store.audit)}
            found = [line for organization in sorted(lines) for line in lines[organization]]
        yield from ((table, canonical(each)) for each in found)


async def restored(
    rows: Iterable[AnyRow], last: Change, now: Callable[[], float] = lambda: 0.0
) -> MemoryStore:
    """A new store of these rows, and `last`."""
    store = MemoryStore(now)
    for row in rows:
        match row:
            case Event():
                store.events.setdefault(row.organization, []).append(row)
                store.events_by_ref.setdefault(row.ref, []).append(row)
            case Audit():
                store.audit.setdefault(row.organization, []).append(row)
            case _:
                store.shelves[type(row)].put(getattr(row, TABLES[type(row)].key), row)
    await store.commit(last)
    return store
