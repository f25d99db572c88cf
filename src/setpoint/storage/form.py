"""How a row is spelled at rest: canonical JSON beside the few columns that queries read."""

from collections.abc import Callable
from enum import Enum
from functools import cache
from operator import attrgetter
from typing import Any, Final, TypeVar

import msgspec

from setpoint.engine.entity import canonical
from setpoint.engine.store import AnyRow, Scalar
from setpoint.engine.tables import Table

RowT = TypeVar("RowT")
_PLAIN: Final = frozenset((str, int, float, type(None)))
"""What a database takes as it is: nearly everything, and known at once. `bool` is not among them."""
_DECODERS: Final[dict[type[AnyRow], msgspec.json.Decoder[Any]]] = {}


def decoded(row: type[RowT], body: bytes) -> RowT:
    """The row that was written with this body."""
    decoder = _DECODERS.get(row) or _DECODERS.setdefault(row, msgspec.json.Decoder(row))
    found: RowT = decoder.decode(body)
    return found


def settled(row: RowT) -> RowT:
    """The row as every later reader will see it.

    A tuple inside free-form JSON comes back as a list and a whole number in a float field as a float.
    """
    return decoded(type(row), canonical(row))


def columns_of(table: Table, row: AnyRow) -> dict[str, Scalar]:
    """The key and the indexed columns, as a database takes them."""
    names = (table.key, *table.columns)
    values = [each if type(each) in _PLAIN else plain(each) for each in _reader(names)(row)]
    return dict(zip(names, values, strict=True))


@cache
def _reader(names: tuple[str, ...]) -> Callable[[AnyRow], tuple[Any, ...]]:
    """Reads all of these in one go."""
    read = attrgetter(*names)
    return read if len(names) > 1 else lambda row: (read(row),)


def plain(value: object) -> Scalar:
    """A column's value without its Python type: enums as text, truths as numbers, sequences as JSON lists."""
    match value:
        case Enum():
            return plain(value.value)
        case bool():
            return int(value)
        case None | str() | int() | float():
            return value
        case _:
            return canonical(value).decode()
