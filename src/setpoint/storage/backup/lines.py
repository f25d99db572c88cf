"""The lines of a backup: who and when, every row, how many and their hash. Gzip of JSON lines.

Not in it: secrets and the administrator's token, which are files of their own, who owns which shard, and
links that work once: one that was used must not come back to life.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

import msgspec
from msgspec import inspect

from setpoint.engine.account import Letter, Link, Strikes
from setpoint.engine.rows import Audit, Event, Installation, Replica, Shard
from setpoint.engine.store import AnyRow
from setpoint.engine.tables import TABLES

FORMAT: Final = 1
_LEFT_OUT = (Shard, Replica, Link, Letter, Strikes)
_KEPT = {table.name: table.row for table in TABLES.values() if table.row not in _LEFT_OUT}
ROWS: Final[Mapping[str, type[AnyRow]]] = {
    "installation": Installation,
    **_KEPT,
    "event": Event,
    "audit": Audit,
}
"""Every table of a backup, in the order of its lines: the first tells whose it is."""
ORDER: Final[Mapping[str, str]] = {
    **{table.name: table.key for table in TABLES.values()},
    **dict.fromkeys(("event", "audit"), "organization, revision"),
}
"""Table -> what its rows are sorted by: a chain can then be checked while it is read."""


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """The first line."""

    format: int
    schema: dict[str, tuple[str, ...]]
    """What each sort of value consists of: one that we do not know comes from a newer release."""
    installation: str
    taken_at: float


class Line(msgspec.Struct, frozen=True):
    """One row."""

    table: str
    body: msgspec.Raw


class Footer(msgspec.Struct, frozen=True, kw_only=True):
    """The last line; the hash is of every byte before it."""

    counts: dict[str, int]
    sha256: str


@cache
def schema() -> Mapping[str, tuple[str, ...]]:
    """Every sort of value that this release writes into a backup, with its fields."""
    found: dict[str, tuple[str, ...]] = {}
    waiting: list[Any] = list(inspect.multi_type_info(ROWS.values()))
    while waiting:
        each = waiting.pop()
        if not isinstance(each, inspect.StructType):
            waiting += _inner(each)
        elif each.cls.__name__ not in found:
            found[each.cls.__name__] = tuple(field.encode_name for field in each.fields)
            waiting += [field.type for field in each.fields]
    return dict(sorted(found.items()))


def _inner(outer: Any) -> list[Any]:
    """The types that a union, a tuple, a list or a mapping is made of."""
    found: list[Any] = []
    for name in ("types", "item_types", "item_type", "value_type"):
        part = getattr(outer, name, ())
        found += part if isinstance(part, tuple) else (part,)
    return found
