"""What every store answers about people: by address, by account, by link; one address is one person."""

import asyncio

import pytest
from msgspec.structs import replace

from conformance.store_rows import account, link, names, puts, token
from setpoint.engine.account import Account, Factors, Letter, Link, Strikes
from setpoint.engine.errors import Conflict
from setpoint.engine.store import (
    ACCOUNT_AT,
    ACCOUNTS_PAGE,
    LETTERS_PAGE,
    LETTERS_WITH,
    LINKS_TO,
    STRIKES_BEFORE,
    TOKENS_OF_ACCOUNT,
    Change,
    Drop,
    Expect,
    Put,
    Store,
)
from setpoint.engine.token import Token


def letter(identity: str, link: str = "") -> Letter:
    return Letter(id=identity, to="ann@acme.example", subject="Hello", text="Open", link=link)


async def test_an_account_is_found_by_its_address(store: Store) -> None:
    await store.commit(puts(account("u1", "ann@acme.example"), account("u2", "bob@acme.example")))
    assert await names(store, ACCOUNT_AT, email="bob@acme.example") == ["u2"]
    assert await store.read(ACCOUNT_AT, email="eve@acme.example") == []


async def test_one_address_is_one_person(store: Store) -> None:
    await store.commit(puts(account("u1", "ann@acme.example")))
    with pytest.raises(Conflict):
        await store.commit(puts(account("u2", "ann@acme.example")))
    await store.commit(puts(account("u1", "ann@new.example")))
    await store.commit(puts(account("u2", "ann@acme.example")))
    assert await names(store, ACCOUNT_AT, email="ann@acme.example") == ["u2"]


async def test_accounts_come_in_pages_newest_first(store: Store) -> None:
    await store.commit(puts(*(account(f"u{n}") for n in range(4))))
    assert await names(store, ACCOUNTS_PAGE, after="", limit=3) == ["u3", "u2", "u1"]
    assert await names(store, ACCOUNTS_PAGE, after="u1", limit=3) == ["u0"]


async def test_credentials_are_found_by_the_account_they_act_for(store: Store) -> None:
    session = Token(hash="b", subject="ann@acme.example", role="", sort="session", account="u1")
    key = replace(session, hash="a", sort="personal")
    await store.commit(puts(session, key, replace(key, hash="c", account="u2"), token("ci")))
    assert await store.read(TOKENS_OF_ACCOUNT, account="u1") == [key, session]
    assert await store.read(TOKENS_OF_ACCOUNT, account="") == []


async def test_links_are_found_by_what_they_are_for(store: Store) -> None:
    await store.commit(puts(link("b"), link("a"), link("c", "invite"), link("d", target="u2")))
    found = await store.read(LINKS_TO, purpose="recover", target="u1")
    assert [row.hash for row in found] == ["a", "b"]


async def test_there_is_one_link_for_the_first_administrator(store: Store) -> None:
    await store.commit(puts(link("a", "first", ""), link("x"), link("y")))
    with pytest.raises(Conflict):
        await store.commit(puts(link("b", "first", "")))
    await store.commit(Change(writes=(Drop(Link, "a"), Put(link("b", "first", "")))))
    assert [row.hash for row in await store.read(LINKS_TO, purpose="first", target="")] == ["b"]


async def test_a_link_used_by_two_at_once_is_used_by_one(store: Store) -> None:
    await store.commit(puts(link("a")))

    async def used(identity: str) -> bool:
        expects = (Expect(Link, "a", "purpose", "recover"),)
        change = Change(expects=expects, writes=(Drop(Link, "a"), Put(account(identity))))
        try:
            await store.commit(change)
        except Conflict:
            return False
        return True

    assert sorted(await asyncio.gather(*(used(f"u{n}") for n in range(5)))) == [*[False] * 4, True]
    assert len(await store.read(ACCOUNTS_PAGE, after="", limit=9)) == 1


async def test_letters_come_newest_first_and_are_found_by_their_link(store: Store) -> None:
    await store.commit(puts(letter("e1", "h1"), letter("e2"), letter("e3", "h3")))
    assert await names(store, LETTERS_PAGE, after="", limit=2) == ["e3", "e2"]
    assert await names(store, LETTERS_PAGE, after="e2", limit=2) == ["e1"]
    assert await names(store, LETTERS_WITH, link="h3") == ["e3"]
    assert await store.read(LETTERS_WITH, link="") == []


async def test_old_strikes_come_oldest_first(store: Store) -> None:
    times = {"a": 3.0, "b": 1.0, "c": 2.0}
    await store.commit(puts(*(Strikes(key=key, count=1, at=at) for key, at in times.items())))
    found = await store.read(STRIKES_BEFORE, before=3.0, limit=9)
    assert [row.key for row in found] == ["b", "c"]
    assert [row.key for row in await store.read(STRIKES_BEFORE, before=9.0, limit=1)] == ["b"]


@pytest.mark.parametrize("row", [Account, Factors], ids=["account", "factors"])
async def test_what_is_known_of_a_person_is_written_by_whoever_read_it_last(
    store: Store, row: type[Account] | type[Factors]
) -> None:
    await store.commit(puts(account("u1", version=4), Factors(account="u1", version=4)))
    seen = Expect(row, "u1", "version", 4)
    later = account("u1", version=5), Factors(account="u1", version=5)
    await store.commit(Change(expects=(seen,), writes=tuple(map(Put, later))))
    with pytest.raises(Conflict):
        await store.commit(Change(expects=(seen,), writes=tuple(map(Put, later))))
