"""Everybody whom an organization has given something: its members, its tokens, and the roles of its own."""

from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct, convert, to_builtins
from msgspec.structs import replace

from setpoint.access.email import normal
from setpoint.access.role import Custom, grants_of
from setpoint.access.rule import Binding, Rule
from setpoint.access.subject import Subject, subject_of
from setpoint.api.beginning import reaching
from setpoint.api.order import LAST
from setpoint.engine.account import Account
from setpoint.engine.entity import Declared, Ref, Scope
from setpoint.engine.store import (
    ACCEPTANCES_OF,
    ACCOUNTS_OF,
    BY_NAME,
    DECLARED_OF,
    DECLARED_PAGE,
    TOKENS_IN,
    Store,
    listed,
)
from setpoint.engine.tenancy import Acceptance
from setpoint.engine.token import Token
from setpoint.kinds.membership import Membership, bindings
from setpoint.kinds.role import Role

AT_ONCE: Final = 500
MEMBERS: Final = "member"
TOKENS: Final = "token"


class Member(Struct, frozen=True):
    """One membership, and whoever accepted it."""

    declared: Declared
    acceptance: Acceptance | None = None
    account: Account | None = None

    @property
    def spec(self) -> Membership:
        return convert(self.declared.spec, Membership)

    @property
    def accepted(self) -> bool:
        """Whether it counts: the person whom it is for has said yes, and may still sign in."""
        said = self.acceptance is not None and self.acceptance.email == normal(self.spec.email)
        return said and self.account is not None and not self.account.disabled

    @property
    def name(self) -> str:
        return self.account.email if self.account is not None else normal(self.spec.email)

    @property
    def is_owner(self) -> bool:
        """Whether they may do everything there for good, and have accepted it."""
        whole = Scope(self.declared.organization)
        may = (each.role == "owner" and each.scope == whole and not each.until for each in self.bindings)
        return self.accepted and any(may)

    @property
    def bindings(self) -> tuple[Binding, ...]:
        """What it gives, or would once it is accepted."""
        return () if self.declared.deleting else bindings(self.declared.organization, self.spec)


class Holders(Struct, frozen=True):
    """Of one organization, at one moment."""

    organization: str
    roles: Mapping[str, Declared]
    members: Mapping[Ref, Member]
    tokens: tuple[Token, ...]

    @property
    def custom(self) -> Custom:
        return custom_of(self.roles.values())

    def everybody(self, now: float) -> Iterator[Subject]:
        """People whose membership counts, and programs whose token holds, by the names they are known by."""
        custom = self.custom
        for member in self.members.values():
            if member.accepted and member.account is not None:
                grants, identity = grants_of(member.bindings, custom), member.account.id
                yield Subject(member.name, grants, "", account=identity, person=identity)
        for token in self.tokens:
            if token.holds_at(now) and not token.account:
                yield subject_of(token, custom)

    def changed_by(self, rows: Iterable[Declared]) -> "Holders":
        """As it would be once these rows are written."""
        roles, members = dict(self.roles), dict(self.members)
        for row in rows:
            if row.kind == "role":
                roles[row.name] = row
            elif row.kind == "membership":
                known = members.get(row.ref, Member(row))
                members[row.ref] = replace(known, declared=row)
        left = {name: role for name, role in roles.items() if not role.deleting}
        return replace(
            self, roles=left, members={r: m for r, m in members.items() if not m.declared.deleting}
        )


def custom_of(roles: Iterable[Declared]) -> Custom:
    """The rules of roles that organizations made themselves; of one that is leaving, none."""
    return {(role.organization, role.name): _rules(role) for role in roles if not role.deleting}


def _rules(role: Declared) -> tuple[Rule, ...]:
    return convert(role.spec, Role).rules


async def holders_of(store: Store, organization: str, rows: Sequence[Declared]) -> Holders:
    """Whom a change of these rows is about: those who have a changed role, and an owner who stays.

    However many there are, they are read by pages; of those with the same roles at the same places, one.
    """
    roles, changing = await roles_of(store, organization), {row.ref for row in rows}
    named = {row.name for row in rows if row.kind == "role"}
    members = {each.declared.ref: each for each in await members_of(store, changing)}
    owned = any(each.is_owner for each in members.values())
    alike: dict[tuple[Binding, ...], Member] = {}
    owner: Member | None = None
    async for member in _members(store, organization):
        if not named and (not owned or owner is not None):
            break
        if member.declared.ref in changing:
            continue
        owner = owner or (member if member.is_owner else None)
        if any(each.role in named for each in member.bindings):
            alike.setdefault(member.bindings, member)
    found = (*alike.values(), *((owner,) if owner else ()))
    tokens = {(t.role, t.scope): t async for t in tokens_of(store, organization) if t.role in named}
    return Holders(
        organization, roles, members | {each.declared.ref: each for each in found}, tuple(tokens.values())
    )


async def members_of(store: Store, refs: Iterable[Ref]) -> list[Member]:
    asked = listed(sorted(refs))
    rows = [row for row in await store.read(DECLARED_OF, refs=asked) if row.kind == "membership"]
    return await joined_by(store, rows)


async def people_of(
    store: Store, organization: str, now: float, after: str = ""
) -> AsyncGenerator[tuple[str, Subject], None]:
    """Whoever could do something there, read as far as somebody asks: members, then tokens.

    Each with the mark after which the next page begins.
    """
    roles, (sort, _, last) = await roles_of(store, organization), after.partition(":")
    if sort in ("", MEMBERS):
        async for member in _members(store, organization, last):
            only = Holders(organization, roles, {member.declared.ref: member}, ())
            for each in only.everybody(now):
                yield f"{MEMBERS}:{member.declared.ref}", each
    async for token in tokens_of(store, organization, last if sort == TOKENS else ""):
        for each in Holders(organization, roles, {}, tuple(await reaching(store, [token]))).everybody(now):
            yield f"{TOKENS}:{token.id}", each


async def members_page(store: Store, organization: str, after: str, limit: int) -> list[Declared]:
    """Memberships by their names, which are unique here; `after` is the last one of the page before."""
    return await store.read(
        BY_NAME,
        kind="membership",
        **to_builtins(Scope(organization)),
        **dict.fromkeys(("text", "state", "unseen"), ""),
        value=after,
        after=LAST,
        limit=limit,
    )


async def roles_of(store: Store, organization: str) -> dict[str, Declared]:
    return {row.name: row async for page in _declared(store, "role", organization) for row in page}


async def _members(store: Store, organization: str, after: str = "") -> AsyncIterator[Member]:
    async for rows in _declared(store, "membership", organization, after):
        for member in await joined_by(store, rows):
            yield member


async def joined_by(store: Store, rows: Sequence[Declared]) -> list[Member]:
    """These memberships, each with whoever accepted it."""
    said = {e.ref: e for e in await store.read(ACCEPTANCES_OF, refs=listed(row.ref for row in rows))}
    ids = listed(each.account for each in said.values())
    accounts = {each.id: each for each in await store.read(ACCOUNTS_OF, ids=ids)}
    found = ((row, said.get(row.ref)) for row in rows)
    return [Member(row, yes, accounts.get(yes.account) if yes else None) for row, yes in found]


async def custom_in(store: Store, organization: str) -> Custom:
    """The rules of the roles that this organization made itself."""
    return custom_of((await roles_of(store, organization)).values())


async def _declared(
    store: Store, kind: str, organization: str, after: str = ""
) -> AsyncIterator[list[Declared]]:
    while True:
        rows = await store.read(
            DECLARED_PAGE,
            kind=kind,
            organization=organization,
            project="",
            workspace="",
            after=after,
            limit=AT_ONCE,
        )
        yield rows
        if len(rows) < AT_ONCE:
            return
        after = rows[-1].ref


async def given_in(store: Store, organization: str) -> list[Declared]:
    """Every membership and role of an organization."""
    kinds = ("membership", "role")
    return [row for kind in kinds async for page in _declared(store, kind, organization) for row in page]


async def tokens_of(store: Store, organization: str, after: str = "") -> AsyncIterator[Token]:
    """Those that were given out in it; whether what they reach is there yet is for others to say."""
    while True:
        rows = await store.read(TOKENS_IN, organization=organization, after=after, limit=AT_ONCE)
        for row in rows:
            yield row
        if len(rows) < AT_ONCE:
            return
        after = rows[-1].id
