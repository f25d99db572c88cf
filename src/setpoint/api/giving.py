"""Asked of all rows that somebody would write together: how their organization stands, and what they give."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct, convert, field

from setpoint.access.permission import Permission, keys
from setpoint.access.role import GIVEN, RESERVED, Custom, grants_of
from setpoint.access.rule import Binding, Grant, Rule
from setpoint.access.subject import RUNS_IT, Subject
from setpoint.api.beginning import Anew, emptied
from setpoint.api.credentials import require_fresh
from setpoint.api.holders import Holders, Member, given_in, holders_of, tokens_of
from setpoint.api.naming import Naming
from setpoint.api.pieces import Pieces
from setpoint.api.services import Services
from setpoint.api.standing import begun, check_standing
from setpoint.engine.bounds import MEMBER_RULES
from setpoint.engine.entity import Declared, Ref, Scope, slot
from setpoint.engine.errors import Mistake, Rejected
from setpoint.engine.store import DECLARED_IN, Change, Expect, joined, listed
from setpoint.kinds.membership import Given, Membership
from setpoint.kinds.role import Role
from setpoint.words import add_article

PEOPLE: Final = ("role", "membership")
OTHERS: Final = ("membership", "token")


class Giving(Struct, frozen=True):
    """One author's right to write what they write, as a whole."""

    services: Services
    subject: Subject
    tried: bool = False
    """Whether it is only asked what would happen."""
    pointers: Mapping[str, str] = field(default_factory=dict)
    """Where in the request each object stands, by its slot; the whole body is what is left out."""

    async def check(self, rows: Sequence[Declared]) -> Change:
        """Raises what is in the way; else what the commit must rest on, and what goes with it."""
        verify, now = self.services.verify_organizations, self.services.runtime.now()
        await check_standing(self.services.store, rows, verify=verify)
        await self.services.quota.check(rows)
        await Naming(self.services, self.subject, self.pointers).check(rows)
        change = joined((await self._emptied(rows, now), begun(rows, now) if verify else Change()))
        about = [row for row in rows if row.kind in PEOPLE]
        if about and not self.tried:
            # Who may do what: a session that was left open does not decide that.
            await require_fresh(self.services, self.subject.credential)
        for organization in sorted({row.organization for row in about}):
            mine = [row for row in about if row.organization == organization]
            before = await holders_of(self.services.store, organization, mine)
            sees = frozenset(sort for sort in OTHERS if self._reads(sort, organization))
            exchange = Exchange(before, before.changed_by(mine), tuple(mine), self.pointers, sees)
            change = joined((change, await self._checked(exchange, rows)))
        return change

    def _reads(self, sort: str, organization: str) -> bool:
        permission, now = Permission("read", f"organization.{sort}"), self.services.runtime.now()
        return self.subject.may(permission, Scope(organization), now).allowed

    async def _emptied(self, rows: Sequence[Declared], now: float) -> Change:
        """What was kept under the names that are declared anew."""
        store = self.services.store
        new = tuple(row for row in rows if row.generation == 0 and row.inner is not None)
        inside, tenants = {row.organization for row in new} - {""}, {row.tenant for row in new}
        given = [row for name in sorted(inside) for row in await given_in(store, name)]
        tokens = [token for name in sorted(tenants) async for token in tokens_of(store, name)]
        return await emptied(store, Anew(new, self.subject.name, now), given, tokens)

    async def _checked(self, exchange: "Exchange", rows: Sequence[Declared]) -> Change:
        known = tuple(key for key, _ in keys(self.services.kinds))
        nowhere, places = await self._nowhere(exchange, rows)
        wrong = [*exchange.mistakes(known), *nowhere]
        if wrong:
            raise Rejected(f"{wrong[0].message}; nothing was stored", tuple(wrong))
        now = self.services.runtime.now()
        said = await exchange.exceeds(self.subject, known, now, self.services.pieces)
        said = said or exchange.leaves_nobody(self.subject, now)
        if said:
            message = f"{self.subject.name} cannot do this: {said}"
            pointer = exchange.pointer(exchange.rows[0]) if len(exchange.rows) == 1 else ""
            raise Rejected(message, (Mistake(pointer=pointer, code="forbidden", message=message),))
        return Change(expects=(*exchange.rests_on(), *places))

    async def _nowhere(
        self, exchange: "Exchange", rows: Sequence[Declared]
    ) -> tuple[list[Mistake], list[Expect]]:
        """A role for a place that is not there would open it to whoever has it when it is made."""
        places = [(row, named) for row in exchange.rows for named in _places(row)]
        slots = listed(named.slot for _, named in places)
        found = await self.services.store.read(DECLARED_IN, slots=slots) if places else ()
        there = {row.slot for row in (*found, *rows)}
        wrong = [
            Mistake(
                pointer=exchange.pointer(row, named.field),
                code="missing_reference",
                message=_said(row, f"{named.words} is not declared"),
            )
            for row, named in places
            if named.slot not in there
        ]
        return wrong, [Expect(Declared, row.ref, "slot", row.slot) for row in found]


class Exchange(Struct, frozen=True):
    """What people and programs of one organization have, before and after."""

    before: Holders
    after: Holders
    rows: tuple[Declared, ...]
    pointers: Mapping[str, str] = field(default_factory=dict)
    sees: frozenset[str] = frozenset()
    """Which sorts of others are named to who asks."""

    def called(self, sort: str, name: str) -> str:
        """Somebody else who has a role: by name only to who may read that."""
        return f"{sort} {name}" if sort in self.sees else f"{add_article(sort)} that you may not see"

    def _membership(self, member: Member) -> str:
        named = f"membership {member.declared.name}"
        return named if member.declared in self.rows else self.called("membership", member.declared.name)

    def pointer(self, row: Declared, at: str = "") -> str:
        """Of a field of one of them, in what was sent."""
        base = self.pointers.get(row.slot, "")
        known = row.slot in self.pointers or not self.pointers
        return f"{base}{at}" if known and row in self.rows and not row.deleting else base

    def mistakes(self, known: Sequence[str]) -> Iterator[Mistake]:
        """Names that mean nothing, or something else."""
        for row in self.rows:
            if row.kind == "role" and row.name in RESERVED:
                message = _said(row, "every installation has a role of that name; choose another")
                yield Mistake(pointer=self.pointer(row, "/metadata/name"), code="bad_name", message=message)
            if row.kind == "role" and not row.deleting:
                for at, pattern in _unknown(convert(row.spec, Role), known):
                    pointer = self.pointer(row, f"/spec/rules/{at}")
                    message = _said(row, f"{pattern[:64]} is no key; see /v1/permissions")
                    yield Mistake(pointer=pointer, code="bad_value", message=message)
        yield from self._roles_missing()
        yield from self._too_many_rules()

    def _roles_missing(self) -> Iterator[Mistake]:
        there = {*GIVEN, *self.after.roles}
        leaving = {row.name for row in self.rows if row.kind == "role"} - there
        for member in self.after.members.values():
            changing = member.declared in self.rows
            for at, role in enumerate(each.role for each in member.bindings):
                if role not in there and (changing or role in leaving):
                    pointer = self.pointer(member.declared, f"/spec/roles/{at}/role")
                    who = self._membership(member)
                    message = f"{who}: there is no role {role}"
                    yield Mistake(pointer=pointer, code="missing_reference", message=message)
        for token in self.after.tokens:
            if token.role in leaving:
                message = (
                    f"role {token.role} is used by {self.called('token', token.subject)}; revoke that first"
                )
                yield Mistake(pointer="", code="still_used", message=message)

    def _too_many_rules(self) -> Iterator[Mistake]:
        """Each of them is asked at every request of theirs, for every object in a list."""
        custom, most = self.after.custom, MEMBER_RULES.most
        for ref, member in self.after.members.items():
            count = len(grants_of(member.bindings, custom))
            before = self.before.members.get(ref)
            had = len(grants_of(before.bindings, self.before.custom)) if before else 0
            if count > most and count > had:
                changing = member.declared in self.rows
                row, at = (member.declared, "/spec/roles") if changing else (self.rows[0], "/spec/rules")
                who = self._membership(member)
                message = f"{who}: {count} rules in all roles; at most {most}"
                yield Mistake(pointer=self.pointer(row, at), code="too_large", message=message)

    async def exceeds(self, author: Subject, known: Sequence[str], now: float, pieces: Pieces) -> str:
        """What somebody would get or lose that the author does not have."""
        async for whose, less, more in pieces.of(self.moves()):
            for words, one, other in ((f"give to {whose}", more, less), (f"take from {whose}", less, more)):
                lacking = await pieces.first_beyond((one,), ((other,), author.layers), known, now)
                if lacking is not None:
                    return f"it would {words} the right to {lacking}, which {author.name} does not have"
        return ""

    def moves(self) -> Iterator[tuple[str, tuple[Grant, ...], tuple[Grant, ...]]]:
        """Everybody for whom something changes: what they have, and what they would have."""
        custom, new = self.before.custom, self.after.custom
        for ref, member in {**self.before.members, **self.after.members}.items():
            less, more = _grants(self.before, ref, custom), _grants(self.after, ref, new)
            if less != more:
                mine = member.declared in self.rows or "membership" in self.sees
                yield member.name if mine else "a member", less, more
        for token in self.before.tokens:
            bound = (Binding(role=token.role, scope=token.scope),)
            less, more = grants_of(bound, custom), grants_of(bound, new)
            if less != more:
                yield self.called("token", token.subject), less, more
        # As if given to everybody, which may happen at any time.
        for row in self.rows:
            if row.kind == "role":
                bound = (Binding(role=row.name, scope=Scope(row.organization)),)
                yield f"role {row.name}", grants_of(bound, custom), grants_of(bound, new)

    def leaves_nobody(self, author: Subject, now: float) -> str:
        """The last owner stays, unless whoever runs the installation says otherwise."""
        if not _owners(self.before) or _owners(self.after) or author.decide(RUNS_IT, now).allowed:
            return ""
        organization = self.before.organization
        return f"organization {organization} would have no owner left; make somebody else owner first"

    def rests_on(self) -> Iterator[Expect]:
        """Nobody changes these meanwhile: roles that are given, and the owner that stays."""
        changing = {row.ref for row in self.rows}
        given = [self.after.members[row.ref] for row in self.rows if row.ref in self.after.members]
        used = {each.role for member in given for each in member.bindings}
        staying = [member.declared for member in _owners(self.after)[:1]]
        for row in (*(self.after.roles[role] for role in sorted(used) if role in self.after.roles), *staying):
            if row.ref not in changing:
                yield Expect(Declared, row.ref, "generation", row.generation)


def _grants(holders: Holders, ref: Ref, custom: Custom) -> tuple[Grant, ...]:
    member = holders.members.get(ref)
    return grants_of(member.bindings, custom) if member else ()


def _owners(holders: Holders) -> list[Member]:
    return [member for member in holders.members.values() if member.is_owner]


def _unknown(role: Role, known: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Keys that are none: where each stands, and how it is written."""
    for at, rule in enumerate(role.rules):
        for number, pattern in enumerate(rule.keys):
            below = pattern.endswith(".*") and any(key.startswith(pattern[:-1]) for key in known)
            if not below and pattern != "*" and pattern not in known:
                yield f"{at}/keys/{number}", pattern


class Named(Struct, frozen=True):
    """A project or a workspace that a rule or a role is narrowed to."""

    field: str
    words: str
    slot: str


def _places(row: Declared) -> Iterator[Named]:
    if row.deleting:
        return
    spec = convert(row.spec, Role) if row.kind == "role" else convert(row.spec, Membership)
    part = "rules" if isinstance(spec, Role) else "roles"
    narrowed: Sequence[Rule | Given] = spec.rules if isinstance(spec, Role) else spec.roles
    for at, each in enumerate(narrowed):
        outer, inner = Scope(row.organization), Scope(row.organization, each.project)
        if each.project:
            place = slot("project", outer, each.project)
            yield Named(f"/spec/{part}/{at}/project", f"project {each.project}", place)
        if each.workspace:
            place = slot("workspace", inner, each.workspace)
            yield Named(f"/spec/{part}/{at}/workspace", f"workspace {each.workspace} in {inner}", place)


def _said(row: Declared, message: str) -> str:
    return f"{row.kind} {row.name}: {message}"
