"""Each named query about sealed secrets and their keys, answered from rows in memory."""

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from setpoint.engine.entity import Declared, canonical
from setpoint.engine.rows import Holding
from setpoint.engine.secret import OrganizationKey, Secret, SecretUse
from setpoint.engine.store import AnyRow
from setpoint.storage.shelf import Shelf


class Rows(Protocol):
    """What a memory store holds."""

    shelves: dict[type[AnyRow], Shelf[AnyRow]]


def keys_of(rows: Rows, home: str) -> list[OrganizationKey]:
    return sorted(rows.shelves[OrganizationKey].where("home", home), key=lambda key: -key.version)


def keys_retired(rows: Rows) -> list[OrganizationKey]:
    return [key for key in rows.shelves[OrganizationKey].all() if key.retired_at > 0]


def keys_under(rows: Rows, master: str, limit: int) -> list[OrganizationKey]:
    return rows.shelves[OrganizationKey].where("master", master)[:limit]


def keys_page(rows: Rows, after: str, limit: int) -> list[OrganizationKey]:
    return [key for key in rows.shelves[OrganizationKey].all() if key.id > after][:limit]


def organizations(rows: Rows, after: str, limit: int) -> list[Declared]:
    found = rows.shelves[Declared].where("organization", "")
    return [row for row in found if row.kind == "organization" and row.ref > after][:limit]


def secrets_of(rows: Rows, home: str, after: str, limit: int) -> list[Secret]:
    found = [row for row in rows.shelves[Secret].where("home", home) if row.name > after]
    return sorted(found, key=lambda row: row.name)[:limit]


def secrets_held(rows: Rows, home: str) -> list[Holding]:
    found = rows.shelves[Secret].where("home", home)
    return [Holding(objects=len(found), bytes=sum(len(canonical(row)) for row in found))]


def uses_of(rows: Rows, home: str) -> list[SecretUse]:
    return rows.shelves[SecretUse].where("home", home)


ANSWERS: Final[Mapping[str, Callable[..., list[Any]]]] = {
    answer.__name__: answer
    for answer in (
        keys_of,
        keys_retired,
        keys_under,
        keys_page,
        organizations,
        secrets_of,
        secrets_held,
        uses_of,
    )
}
