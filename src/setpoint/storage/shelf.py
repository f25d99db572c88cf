"""Rows of one sort in memory, found by key or by an attribute worth an index."""

from collections.abc import Iterable
from typing import Any, Final, Generic, TypeVar

from setpoint.engine.account import Account, Letter, Link
from setpoint.engine.claim import Claim
from setpoint.engine.entity import Declared
from setpoint.engine.ledger import Parked, Protection, Released
from setpoint.engine.record import Recorded
from setpoint.engine.request import Past
from setpoint.engine.rows import Act, Approval, PlanRow, Task, Wake
from setpoint.engine.secret import OrganizationKey, Secret, SecretUse
from setpoint.engine.store import AnyRow
from setpoint.engine.tenancy import Acceptance
from setpoint.engine.token import Token

RowT = TypeVar("RowT")

_INDEXED: Final[dict[type[AnyRow], tuple[str, ...]]] = {
    Declared: ("slot", "kind", "organization", "parent"),
    Wake: ("ref",),
    Act: ("slot", "domain", "open"),
    PlanRow: ("ref", "state", "organization"),
    Approval: ("ref",),
    Protection: ("domain",),
    Released: ("domain",),
    Parked: ("domain",),
    Recorded: ("ref", "organization"),
    Past: ("ref",),
    Task: ("slot", "target", "open", "organization"),
    Token: ("account",),
    Account: ("slot",),
    Link: ("slot", "target"),
    Letter: ("link",),
    Acceptance: ("account",),
    Claim: ("ref", "account"),
    OrganizationKey: ("home", "master"),
    Secret: ("home",),
    SecretUse: ("home",),
}


class Shelf(Generic[RowT]):
    """One table. Rows are never changed, so the index entries of the old row are known when it leaves."""

    def __init__(self, row: type[RowT]) -> None:
        self._rows: dict[str, RowT] = {}
        self._indexes: dict[str, dict[Any, dict[str, RowT]]] = {name: {} for name in _INDEXED.get(row, ())}
        if row is Declared:
            self._indexes["refs"] = {}

    def get(self, key: str) -> RowT | None:
        return self._rows.get(key)

    def put(self, key: str, row: RowT | None) -> RowT | None:
        """Keep this row under this key, or nothing for None; returns what was there."""
        before = self._rows.pop(key, None)
        if before is not None:
            for index, value in self._entries(before):
                del index[value][key]
                if not index[value]:
                    del index[value]
        if row is not None:
            self._rows[key] = row
            for index, value in self._entries(row):
                index.setdefault(value, {})[key] = row
        return before

    def all(self) -> list[RowT]:
        """Every row, by key."""
        return [self._rows[key] for key in sorted(self._rows)]

    def where(self, attribute: str, value: object) -> list[RowT]:
        """The rows whose attribute is (or, for `refs`, holds) this value, by key."""
        found = self._indexes[attribute].get(value, {})
        return [found[key] for key in sorted(found)]

    def holder(self, slot: str | None) -> str | None:
        """The key of the row that has this slot."""
        return None if slot is None else next(iter(self._indexes["slot"].get(slot, ())), None)

    def _entries(self, row: RowT) -> Iterable[tuple[dict[Any, dict[str, RowT]], Any]]:
        for attribute, index in self._indexes.items():
            value = getattr(row, attribute)
            for each in dict.fromkeys(value) if attribute == "refs" else (value,):
                yield index, each
