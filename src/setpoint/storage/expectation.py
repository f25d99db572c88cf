"""What a change expects of the store, judged and put into words the same way by every store."""

from setpoint.engine.store import AnyRow, Change, Expect, Put
from setpoint.engine.tables import TABLES, Table
from setpoint.storage.form import plain


def check_expects(change: Change) -> None:
    """An expectation that no store can hold to is a mistake of the caller, whatever is in the store."""
    absent = any(not expect.column for expect in change.expects)
    written = {(type(w.row), _key(w.row)) for w in change.writes if isinstance(w, Put)} if absent else ()
    for expect in change.expects:
        table = TABLES[expect.row]
        if expect.column and not hasattr(expect.row, expect.column):
            raise AttributeError(f"{table.name} has no column {expect.column}")
        if not expect.column and not table.absence and (expect.row, expect.key) not in written:
            raise ValueError(
                f"{table.name} {expect.key} is expected to be absent by a change that does not put it"
            )


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


def _key(row: AnyRow) -> object:
    return getattr(row, TABLES[type(row)].key)
