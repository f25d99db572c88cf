"""What a change expects of the store, judged and put into words the same way by every store."""

from collections.abc import Iterable

from setpoint.engine.store import TABLES, AnyRow, Expect, Table
from setpoint.storage.form import plain


def check_columns(expects: Iterable[Expect]) -> None:
    """An expectation of something that no row has is a mistake of the caller, whatever the store holds."""
    for expect in expects:
        if expect.column and not hasattr(expect.row, expect.column):
            raise AttributeError(f"{TABLES[expect.row].name} has no column {expect.column}")


def unmet(expect: Expect, found: AnyRow | None) -> str | None:
    """Why this expectation does not hold of the row that was found, or None if it does."""
    what = f"{TABLES[expect.row].name} {expect.key}"
    if expect.column == "":
        return None if found is None else f"{what} was expected to be absent, and is there"
    wanted = plain(expect.value)
    if found is None:
        return f"{what} was expected with {expect.column} {wanted!r}, and is absent"
    held = plain(getattr(found, expect.column))
    if held == wanted:
        return None
    return f"{what} was expected with {expect.column} {wanted!r}, and has {held!r}"


def taken(table: Table, slot: str, holder: str, key: str) -> str:
    """Why a row cannot have the slot it asks for."""
    return f"{table.name} slot {slot!r} is taken by {holder}; {key} cannot have it"
