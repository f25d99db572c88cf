"""One owner for an external thing: claimed when it is declared, and again when its account is known for sure.

Several names may lead to one account: two providers with one credential, one address in two spellings.
So a claim is a row for each name that the account is known by, and whoever meets a row of another entity
is refused. Rows are put where they are expected to be absent, which decides a race; they go when their
entity is gone for good.
"""

from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct, convert, field
from msgspec.structs import replace

from setpoint.engine.claim import Claim, Thing, end_of, key_of, thing_in
from setpoint.engine.company import accounts_of
from setpoint.engine.draft import Author
from setpoint.engine.entity import AnyEntity, Declared, Ref, Status, kind_of
from setpoint.engine.errors import Mistake, Rejected
from setpoint.engine.kind import Kinds, entity_from
from setpoint.engine.store import (
    CLAIMS_AT,
    CLAIMS_BELOW,
    CLAIMS_BELOW_OWN,
    CLAIMS_OF,
    DECLARED_OF,
    NOTHING,
    Change,
    Drop,
    Expect,
    Put,
    Store,
    joined,
    listed,
)

Sees = Callable[[Declared], bool]
AT_ONCE: Final = 200


class Asked(Struct, frozen=True):
    """What one declaration claims, under the names of its account; `held` are the rows that are there."""

    row: Declared
    things: tuple[Thing, ...]
    names: tuple[str, ...]
    held: dict[str, Claim] = field(default_factory=dict)
    below: tuple[Claim, ...] = ()
    """Parts of these things that other organizations own."""

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(key_of(thing.name, name) for thing in self.things for name in self.names)

    @property
    def asked(self) -> tuple[str, ...]:
        """What has to be looked up: the things themselves, and those around them."""
        around = (key_of(name, at) for thing in self.things for name in thing.around for at in self.names)
        return (*self.keys, *around)

    def conflicts(self) -> Iterable[tuple[Thing, Claim]]:
        """Each thing that somebody else owns, or that another organization owns something around or in.

        Who has all of a thing already is not disturbed by what came around it or into it afterwards. Two that
        came at the same moment did not see one another: the later one gives way when it is looked at.
        """
        for thing in self.things:
            own = [self.held.get(key_of(thing.name, name)) for name in self.names]
            others = [each for each in own if each and each.ref != self.row.ref]
            settled = self.has(thing)
            others += [each for each in self._apart(thing) if not settled or self._was_before(each)]
            if others:
                yield thing, others[0]

    def has(self, thing: Thing) -> bool:
        """Whether all of it is claimed by this entity already."""
        own = (self.held.get(key_of(thing.name, name)) for name in self.names)
        return all(each and each.ref == self.row.ref for each in own)

    def around(self, thing: Thing) -> list[Claim]:
        """What is claimed around this thing."""
        found = (self.held.get(key_of(name, at)) for name in thing.around for at in self.names)
        return [each for each in found if each]

    def puts(self) -> Change:
        """The rows that are missing, each expected to be absent, and its own of an older version anew."""
        rows = [
            Claim(
                key=key_of(thing.name, name),
                ref=self.row.ref,
                organization=self.row.tenant,
                account=name,
                path=thing.path,
                since=self.row.created_at,
            )
            for thing in self.things
            for name in self.names
        ]
        missing = [row for row in rows if row.key not in self.held]
        older = [row for row in rows if (has := self.held.get(row.key)) and has.ref == row.ref and has != row]
        absent = (Expect(Claim, row.key) for row in missing)
        still = (Expect(Claim, row.key, "ref", row.ref) for row in older)
        return Change((*absent, *still), tuple(Put(row) for row in (*missing, *older)))

    def _apart(self, thing: Thing) -> Iterable[Claim]:
        """What other organizations own of the same tree: around this thing, and in it."""
        yield from (each for each in self.around(thing) if each.organization != self.row.tenant)
        yield from (each for each in self.below if thing.path and each.path.startswith(thing.path))

    def _was_before(self, claim: Claim) -> bool:
        """Whether its entity was declared earlier; of a row of an older version that is not known yet."""
        return bool(claim.since) and (claim.since, claim.ref) < (self.row.created_at, self.row.ref)


class Owners(Struct, frozen=True):
    """Who owns what outside."""

    store: Store
    kinds: Kinds

    async def claim(
        self, rows: Sequence[Declared], pointers: Mapping[Ref, str], rest: Sequence[Declared], author: Author
    ) -> tuple[list[Mistake], Change]:
        """What these rows may not claim, and the claims that go with them; `rest`: rows they may refer to.

        `pointers`: ref of each row that is judged -> where it stands in its request. Who owns a thing is told
        to those only who see it.
        """
        held: dict[str, Claim] = {}
        wrong: list[Mistake] = []
        changes: list[Change] = []
        around = {row.ref: row for row in rest}
        theirs = {row.ref for row in rows}  # They may write what they send.
        for row in rows:
            if row.ref not in pointers or not (things := things_of(self.kinds, row)):
                continue
            asked = await self._asked(row, things, await self._names(row, around))
            asked.held.update(held)
            conflicts = list(asked.conflicts())
            conflicts = conflicts or [each async for each in self._delegated(asked, author, theirs)]
            wrong += [
                Mistake(
                    pointer=f"{pointers[row.ref]}/spec/{thing.field}",
                    code="claimed",
                    message=await self._refusal(thing, claim, around, author.sees),
                )
                for thing, claim in conflicts
            ]
            puts = asked.puts()
            held |= {put.row.key: put.row for put in puts.writes if isinstance(put, Put)}
            changes += [puts, await self._left(row, things)]
        return wrong, joined(changes)

    async def hold(self, entity: AnyEntity, account: Ref, identity: str) -> None:
        """Raises Rejected where somebody else owns what this entity claims at this account; else claims it.

        A dry run, which asks about what is not stored, claims nothing.
        """
        row = entity.declared
        if row.deleting or not (things := things_of(self.kinds, row)):
            return  # What leaves takes only what carries its own mark.
        names = dict.fromkeys((*await self._names(row, {}), account, identity))
        asked = await self._asked(row, things, tuple(names))
        for thing, claim in asked.conflicts():
            raise Rejected(await self._refusal(thing, claim, {}, lambda other: other.scope == row.scope))
        puts = asked.puts()
        if puts.writes and await self.store.get(Declared, row.ref) == row:
            rests = Expect(Declared, row.ref, "generation", row.generation)
            await self.store.commit(Change((rests, *puts.expects), puts.writes))

    async def _delegated(
        self, asked: Asked, author: Author, theirs: Collection[Ref]
    ) -> AsyncIterator[tuple[Thing, Claim]]:
        """Each new thing around or in one of the same organization that its author may not update.

        Who answers for a name below a zone is that zone's to say: for who may change it, it is delegation.
        """
        for thing in asked.things:
            if asked.has(thing):
                continue
            own = [each for each in asked.around(thing) if each.organization == asked.row.tenant]
            shut = await self._shut(own, author, theirs)
            async for page in self._below_own(asked, thing):
                shut = shut or await self._shut(page, author, theirs)
                if shut:
                    break
            if shut:
                yield thing, shut

    async def _shut(self, claims: Sequence[Claim], author: Author, theirs: Collection[Ref]) -> Claim | None:
        """The first of these whose entity the author may not update."""
        held = [each for each in claims if each.ref not in theirs]
        rows = await self.store.read(DECLARED_OF, refs=listed({each.ref for each in held})) if held else ()
        open_to = {row.ref for row in rows if author.may("update", row)}
        return next((each for each in held if each.ref not in open_to), None)

    async def _below_own(self, asked: Asked, thing: Thing) -> AsyncIterator[list[Claim]]:
        """What the same organization claims in this thing, some at a time: it may be thousands."""
        for name in asked.names if thing.path else ():
            after, more = thing.path, True
            while more:
                where = {"account": name, "path": after, "end": end_of(thing.path)}
                page = await self.store.read(
                    CLAIMS_BELOW_OWN, **where, organization=asked.row.tenant, limit=AT_ONCE
                )
                yield page
                more = len(page) == AT_ONCE
                after = page[-1].path if more else ""  # At one account a path is claimed once.

    async def leaving(self, declared: Declared) -> Change:
        """Drops all claims of an entity that is gone for good."""
        if self.kinds[declared.kind].claims is None:
            return NOTHING
        found = await self.store.read(CLAIMS_OF, ref=declared.ref)
        return Change(writes=tuple(Drop(Claim, claim.key) for claim in found))

    async def _asked(self, row: Declared, things: tuple[Thing, ...], names: Sequence[str]) -> Asked:
        asked = Asked(row, things, tuple(names))
        found = await self.store.read(CLAIMS_AT, keys=listed(asked.asked))
        asked.held.update({claim.key: claim for claim in found})
        below = [
            claim
            for path in sorted({thing.path for thing in things if thing.path})
            for name in names
            for claim in await self.store.read(
                CLAIMS_BELOW, account=name, path=path, end=end_of(path), organization=row.tenant
            )
        ]
        return replace(asked, below=tuple(below))

    async def _left(self, row: Declared, things: Iterable[Thing]) -> Change:
        """Drops what this entity claimed before and does not name any more."""
        staying = {thing.name for thing in things}
        held = await self.store.read(CLAIMS_OF, ref=row.ref) if row.generation else ()
        return Change(writes=tuple(Drop(Claim, c.key) for c in held if thing_in(c.key) not in staying))

    async def _names(self, row: Declared, around: Mapping[Ref, Declared]) -> tuple[str, ...]:
        """All names that the account of this row is known by; one of no account is unique by itself."""
        ref = next(iter(accounts_of(self.kinds, row)), None)
        if ref is None:
            return ("",)
        account = around.get(ref) or await self.store.get(Declared, ref)
        known_as = self.kinds[kind_of(ref)].known_as
        if account is None or known_as is None or not account.spec:
            return (ref,)
        entity = entity_from(self.kinds, account, await self.store.get(Status, ref))
        return (ref, *known_as(entity))

    async def _refusal(self, thing: Thing, claim: Claim, around: Mapping[Ref, Declared], sees: Sees) -> str:
        what = thing.name.partition("/")[2]
        owned = thing_in(claim.key).partition("/")[2]
        part = "" if owned == what else f" is a part of {owned}, which"
        within = owned != what and thing.path and claim.path.startswith(thing.path)
        holder = around.get(claim.ref) or await self.store.get(Declared, claim.ref)
        if holder is None or not sees(holder):
            part = " has a part that" if within else part  # Its name is its owner's to tell.
            return f"{what}{part} is claimed elsewhere in this installation, at the same account"
        part = f" has a part, {owned}, which" if within else part
        leaving = ", which is being deleted" if holder.deleting else ""
        who = f"{holder.kind} {holder.name} in {holder.scope}"
        places = (f" --{name} {at}" for name in ("organization", "project") if (at := getattr(holder, name)))
        see = f"setpoint describe {holder.kind} {holder.name}{''.join(places)}"
        return f"{what}{part} is owned by {who}, at the same account{leaving}; see it: {see}"


def things_of(kinds: Kinds, row: Declared) -> tuple[Thing, ...]:
    """What this declaration claims for itself alone."""
    kind = kinds[row.kind]
    if kind.claims is None or not row.spec or row.deleting:
        return ()
    return tuple(kind.claims(convert(row.spec, kind.spec)))


def claims_anew(kinds: Kinds, row: Declared, known: Declared | None) -> bool:
    """Whether it claims something that it did not claim before, or at another account."""
    if known is None or known.deleting:
        return True
    accounts = accounts_of(kinds, row) != accounts_of(kinds, known)
    return accounts or things_of(kinds, row) != things_of(kinds, known)
