"""Rows that cannot be read: what asks for many tenants goes on without them, what rests on them waits.

Nothing is concluded from a row that is there and says nothing. A question whose answer decides something is
not answered without it: `Unreadable` is a reason to try again later, so the pass, the request or the commit
that asked fails by itself, and no other does. Lists and sweeps leave it out. The log, a metric and
`setpoint check` tell of it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec

from setpoint.engine import store
from setpoint.engine.errors import Transient
from setpoint.engine.store import AnyRow, Query, Scalar
from setpoint.engine.tables import TABLES
from setpoint.log import Log
from setpoint.storage.form import decoded

RowT = TypeVar("RowT")
BROKEN: Final = (msgspec.MsgspecError, ValueError, TypeError, KeyError)
"""What decoding raises, whatever it is that was written there."""
PASSED_OVER: Final = frozenset(
    query.name
    for query in (
        *(store.DECLARED_ALL, store.DECLARED_PAGE, store.DECLARED_OWNED, store.ORGANIZATIONS, store.UNWELL),
        *(store.BY_CREATED, store.BY_CREATED_DOWN, store.BY_NAME, store.BY_NAME_DOWN),
        *(store.BY_CHANGED, store.BY_CHANGED_DOWN, store.WAKES_OF, store.WAKES_AFTER, store.ACTS_PAGE),
        *(store.PLANS_PAGE, store.QUESTIONS_OVER, store.TASKS_OPEN, store.TASKS_PAGE, store.TASKS_OVER),
        *(store.EVENTS_AFTER, store.EVENTS_BEFORE, store.EVENTS_OF, store.AUDIT_PAGE, store.AUDIT_BACK),
        *(store.PASSES_PAGE, store.PASSES_IN, store.PASSES_OLDEST, store.SWITCHES, store.TOKENS_IN),
        *(store.TOKENS_OF_PEOPLE, store.ACCOUNTS_PAGE, store.LETTERS_PAGE, store.STRIKES_BEFORE),
        *(store.ATTEMPTS_BEFORE, store.PASTS_BEFORE, store.KEYS_PAGE, store.KEYS_RETIRED, store.KEYS_UNDER),
        *(store.SHARDS_OF, store.REPLICAS_OF, store.HEADS_PAGE),
    )
)
"""Sweeps over everybody, pages for people, and rows that only say that there is something to do."""
OF_ONE: Final = {store.ACTS_OPEN.name: "domain"}
"""Questions about everybody or about one, by the value that names the one."""
CURE: Final = "next: setpoint check --data DIR, which says how to mend it"

log = Log("store")
_told: dict[str, set[str]] = {}


class Unreadable(Transient):
    """A row that is there and cannot be read; what rests on it waits."""

    def __init__(self, table: str, key: str) -> None:
        super().__init__(f"the row {key} of table {table} cannot be read; {CURE}")
        self.table = table


def table_of(row: type[AnyRow]) -> str:
    """The name of its table; events, audit lines and signs are not written by key."""
    return TABLES[row].name if row in TABLES else row.__name__.lower()


def unreadable(row: type[AnyRow], key: str) -> Unreadable:
    """Told once for each row, and ready to be raised."""
    known = _told.setdefault(table_of(row), set())
    if key not in known:
        known.add(key)
        log.error("a row cannot be read", table=table_of(row), key=key, cure=CURE)
    return Unreadable(table_of(row), key)


def one(row: type[RowT], key: str, body: bytes) -> RowT:
    """The row with this key, or Unreadable."""
    try:
        return decoded(row, body)
    except BROKEN as error:
        raise unreadable(row, key) from error


def sorted_out(row: type[RowT], bodies: Sequence[bytes]) -> tuple[list[RowT], list[bytes]]:
    """All rows at once, which is quick; one by one only where that fails. Then those that cannot be read."""
    try:
        return [decoded(row, body) for body in bodies], []
    except BROKEN:
        good: list[RowT] = []
        bad: list[bytes] = []
        for body in bodies:
            try:
                good.append(decoded(row, body))
            except BROKEN:
                bad.append(body)
        return good, bad


def broken(row: type[AnyRow], body: bytes) -> bool:
    """Whether it cannot be read."""
    return bool(sorted_out(row, (body,))[1])


def pass_over(query: Query[Any], values: Mapping[str, Scalar], keys: Sequence[str]) -> None:
    """Raises unless the answer to this question may do without these rows."""
    errors = [unreadable(query.row, key) for key in keys]
    about_all = query.name in OF_ONE and not values.get(OF_ONE[query.name])
    if query.name not in PASSED_OVER and not about_all:
        raise errors[0]


def more_of(values: Mapping[str, Scalar], found: int, good: int, wanted: int) -> int:
    """How many to ask for so that a page is full without those; 0 where there are no more, or none are asked
    for. A page that is short would be taken for the last one.
    """
    limit = int(values.get("limit") or 0)
    return limit + wanted - good if 0 < limit <= found and good < wanted else 0


def told_of() -> Mapping[str, int]:
    """How many rows of each table could not be read since this process began."""
    return {table: len(keys) for table, keys in _told.items()}
