"""Who accepted what, who owns what and how organizations stand, answered from rows in memory."""

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

import msgspec

from setpoint.engine.account import Account
from setpoint.engine.claim import Claim
from setpoint.engine.store import AnyRow
from setpoint.engine.tenancy import Acceptance, Standing
from setpoint.storage.shelf import Shelf

_PARTS: Final = 20


class Rows(Protocol):
    """What a memory store holds of it."""

    shelves: dict[type[AnyRow], Shelf[AnyRow]]


def acceptances_by(rows: Rows, account: str) -> list[Acceptance]:
    return rows.shelves[Acceptance].where("account", account)


def acceptances_of(rows: Rows, refs: str) -> list[Acceptance]:
    return _keyed(rows, Acceptance, refs)


def claims_at(rows: Rows, keys: str) -> list[Claim]:
    return _keyed(rows, Claim, keys)


def claims_of(rows: Rows, ref: str) -> list[Claim]:
    return sorted(rows.shelves[Claim].where("ref", ref), key=lambda row: row.key)


def claims_below(rows: Rows, account: str, path: str, end: str, organization: str) -> list[Claim]:
    found = [
        row
        for row in rows.shelves[Claim].where("account", account)
        if path < row.path < end and row.organization != organization
    ]
    return sorted(found, key=lambda row: (row.path, row.organization, row.key))[:_PARTS]


def claims_below_own(  # noqa: PLR0913, PLR0917 - so many values has the question
    rows: Rows, account: str, path: str, end: str, organization: str, limit: int
) -> list[Claim]:
    found = [
        row
        for row in rows.shelves[Claim].where("account", account)
        if path < row.path < end and row.organization == organization
    ]
    return sorted(found, key=lambda row: row.path)[:limit]


def standings_of(rows: Rows, keys: str) -> list[Standing]:
    return _keyed(rows, Standing, keys)


def accounts_of(rows: Rows, ids: str) -> list[Account]:
    return _keyed(rows, Account, ids)


ANSWERS: Final[Mapping[str, Callable[..., list[Any]]]] = {
    answer.__name__: answer
    for answer in (
        acceptances_by,
        acceptances_of,
        claims_at,
        claims_of,
        claims_below,
        claims_below_own,
        standings_of,
        accounts_of,
    )
}


def _keyed(rows: Rows, row: type[AnyRow], keys: str) -> list[Any]:
    asked = sorted(set(msgspec.json.decode(keys, type=list[str])))
    found = (rows.shelves[row].get(key) for key in asked)
    return [each for each in found if each is not None]
