"""From a credential to whoever holds it, and what they may at this moment."""

from collections.abc import Iterable, Sequence
from contextlib import aclosing
from typing import Final

from msgspec.structs import replace

from setpoint.access.role import ADMINISTRATOR, ROLES, Custom, grants_of
from setpoint.access.rule import Binding
from setpoint.access.subject import APPROVE, Subject, subject_of, subject_of_own
from setpoint.api.beginning import reaching
from setpoint.api.holders import Member, custom_of, people_of
from setpoint.engine.account import Account
from setpoint.engine.entity import Scope, slot
from setpoint.engine.store import (
    ACCEPTANCES_BY,
    ACCOUNT_AT,
    DECLARED_IN,
    DECLARED_OF,
    STANDINGS_OF,
    TENANT,
    TOKENS_OF,
    Store,
    listed,
)
from setpoint.engine.token import Token

STEPS: Final = 8
"""So many tokens that made one another are followed to the person behind them."""
NAMED: Final = 3
"""So many are told who asks for somebody else."""


async def subject_for(store: Store, token: Token) -> Subject:
    """Read anew at every request: what was taken from somebody is gone at the next one."""
    before = TENANT.set("")  # They may belong to several organizations, whichever is asked about.
    try:
        return await _subject_for(store, token)
    finally:
        TENANT.reset(before)


async def _subject_for(store: Store, token: Token) -> Subject:
    if not token.account:
        return await _program(store, token)
    account = await store.get(Account, token.account)
    owner = await person(store, account) if account is not None else None
    if owner is None:
        return Subject(token.subject, (), token.hash)
    if token.sort == "session":
        return replace(owner, credential=token.hash)
    bound = Binding(role=token.role, scope=token.scope)
    return subject_of_own(token, owner, await _custom(store, (bound,)))


async def person(store: Store, account: Account) -> Subject | None:
    """Whoever has this account, with all that they were given and accepted; None if it is shut."""
    if account.disabled:
        return None
    bindings = await _accepted(store, account)
    if account.administrator:
        bindings = (Binding(role=ADMINISTRATOR.name), *bindings)
    grants = grants_of(bindings, await _custom(store, bindings))
    return Subject(account.email, grants, "", account=account.id, person=account.id)


async def may_approve(store: Store, now: float, name: str, scope: Scope) -> bool:
    """Whether whoever is called this could approve a plan of this scope now."""
    held = [token for token in await store.read(TOKENS_OF, subject=name) if not token.account]
    found = [await subject_for(store, token) for token in await reaching(store, held) if token.holds_at(now)]
    for account in await store.read(ACCOUNT_AT, email=name):
        owner = await person(store, account)
        found += [owner] if owner is not None else []
    return any(each.may(APPROVE, scope, now).allowed for each in found)


async def second_people(
    store: Store, organization: str, askers: Sequence[str], scope: Scope, now: float
) -> frozenset[str]:
    """Who else of the organization could approve what these people asked for: the first few of them.

    A token is the person who made it, through however many tokens in between.
    """
    found: set[str] = set()
    async with aclosing(people_of(store, organization, now)) as people:
        async for _, each in people:
            if each.may(APPROVE, scope, now).allowed and each.person not in askers:
                found.add(each.name)
            if len(found) == NAMED:
                break
    return frozenset(found)


async def person_named(store: Store, organization: str, name: str, steps: int = STEPS) -> str:
    """Who is at the root of this name, for what was written before that was kept with it."""
    if "@" in name:
        found = await store.read(ACCOUNT_AT, email=name)
        return found[0].id if found else name
    tokens = await store.read(TOKENS_OF, subject=name)
    near = [token for token in tokens if token.organization in ("", organization)]
    return await _person_behind(store, near[0], steps) if near and steps else name


async def _person_behind(store: Store, token: Token, steps: int = STEPS) -> str:
    """The account that made the token, or made the token that made it; else the name of a program."""
    known = token.account or token.person
    if known or not token.created_by:
        return known or token.subject
    return await person_named(store, token.organization, token.created_by, steps - 1)


async def _program(store: Store, token: Token) -> Subject:
    """Most have a role that every installation knows, and cost one more look: at their organization."""
    bound = Binding(role=token.role, scope=token.scope)
    if not token.organization or await _open(store, (bound,)):
        found = subject_of(token, await _custom(store, (bound,)))
        return replace(found, person=await _person_behind(store, token))
    return replace(subject_of(token), grants=())


async def _accepted(store: Store, account: Account) -> tuple[Binding, ...]:
    """What the memberships give that this person accepted, and that are still for them."""
    said = {each.ref: each for each in await store.read(ACCEPTANCES_BY, account=account.id)}
    if not said:
        return ()
    rows = await store.read(DECLARED_OF, refs=listed(said))
    members = [Member(row, said[row.ref], account) for row in rows]
    return await _open(store, [each for one in members if one.accepted for each in one.bindings])


async def _open(store: Store, bindings: Iterable[Binding]) -> tuple[Binding, ...]:
    """Without those in organizations that are deleted: for them it is as if these were not there."""
    every = tuple(bindings)
    keys = listed(each.scope.organization for each in every)
    standings = await store.read(STANDINGS_OF, keys=keys) if every else ()
    shut = {each.organization for each in standings if each.state == "deleted"}
    return tuple(each for each in every if each.scope.organization not in shut)


async def _custom(store: Store, bindings: Iterable[Binding]) -> Custom:
    """The rules of those roles among them that are an organization's own."""
    own = [each for each in bindings if each.role not in ROLES]
    if not own:
        return {}
    places = listed(slot("role", Scope(each.scope.organization), each.role) for each in own)
    return custom_of(await store.read(DECLARED_IN, slots=places))
