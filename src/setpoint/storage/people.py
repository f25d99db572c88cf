"""Each named query about people and credentials, answered from rows in memory."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

from setpoint.engine.account import Account, Letter, Link, Strikes
from setpoint.engine.store import AnyRow
from setpoint.engine.token import Token
from setpoint.storage.shelf import Shelf


class Rows(Protocol):
    """What a memory store holds."""

    shelves: dict[type[AnyRow], Shelf[AnyRow]]


def tokens_of(rows: Rows, subject: str) -> list[Token]:
    return [token for token in rows.shelves[Token].all() if token.subject == subject]


def tokens_of_people(rows: Rows) -> list[Token]:
    return [token for token in rows.shelves[Token].all() if token.ref is None]


def tokens_in(rows: Rows, organization: str, after: str, limit: int) -> list[Token]:
    listed = [t for t in rows.shelves[Token].all() if t.organization == organization and t.id]
    return _newest(sorted(listed, key=lambda token: token.id), after, limit)


def tokens_called(rows: Rows, id: str) -> list[Token]:  # noqa: A002 - the name of the column
    return [token for token in rows.shelves[Token].all() if token.id == id and token.id]


def tokens_of_account(rows: Rows, account: str) -> list[Token]:
    return rows.shelves[Token].where("account", account) if account else []


def account_at(rows: Rows, email: str) -> list[Account]:
    return rows.shelves[Account].where("slot", email)


def accounts_page(rows: Rows, after: str, limit: int) -> list[Account]:
    return _newest(rows.shelves[Account].all(), after, limit)


def links_to(rows: Rows, purpose: str, target: str) -> list[Link]:
    return [link for link in rows.shelves[Link].where("target", target) if link.purpose == purpose]


def letters_page(rows: Rows, after: str, limit: int) -> list[Letter]:
    return _newest(rows.shelves[Letter].all(), after, limit)


def letters_with(rows: Rows, link: str) -> list[Letter]:
    return rows.shelves[Letter].where("link", link) if link else []


def strikes_before(rows: Rows, before: float, limit: int) -> list[Strikes]:
    found = [row for row in rows.shelves[Strikes].all() if row.at < before]
    return sorted(found, key=lambda row: (row.at, row.key))[:limit]


ANSWERS: Final[Mapping[str, Callable[..., list[Any]]]] = {
    answer.__name__: answer
    for answer in (
        tokens_of,
        tokens_of_people,
        tokens_in,
        tokens_called,
        tokens_of_account,
        account_at,
        accounts_page,
        links_to,
        letters_page,
        letters_with,
        strikes_before,
    )
}


def _newest(found: Sequence[AnyRow], after: str, limit: int) -> list[Any]:
    return [row for row in reversed(found) if after == "" or row.id < after][:limit]
