"""How values are spelled for PostgreSQL, whose text cannot hold the character NUL."""

from collections.abc import Sequence
from typing import Final

from setpoint.engine.store import AnyRow, Scalar
from setpoint.engine.tables import Table
from setpoint.storage.form import columns_of

Value = Scalar | bytes | Sequence[str]

END: Final = "\U0010ffff"
"""Comes after any text we keep."""

# \x01 announces one of two characters, so that the order of two texts is the order of their spellings.
_NUL, _MARK = "\x01\x01", "\x01\x02"


def spelled(value: Value) -> Value:
    """The value as a parameter."""
    match value:
        case str():
            return text(value)
        case bytes() | int() | float() | None:
            return value
        case _:
            return [text(each) for each in value]


def text(value: str) -> str:
    """Text without NUL, in the same order."""
    if "\x00" in value or "\x01" in value:
        return value.replace("\x01", _MARK).replace("\x00", _NUL)
    return value


def read_back(value: str) -> str:
    """The text that was spelled like this."""
    if "\x01" in value:
        return value.replace(_NUL, "\x00").replace(_MARK, "\x01")
    return value


def columns(table: Table, row: AnyRow, body: bytes) -> list[Value]:
    """A row's key, columns and body, in the order of the statements."""
    values: dict[str, Value] = {**columns_of(table, row)}
    if "refs" in values:
        values["refs"] = row.refs
    return [*map(spelled, values.values()), body]
