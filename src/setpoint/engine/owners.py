"""One owner for an external thing: claimed when it is declared, and again when its account is known for sure.

Several names may lead to one account: two providers with one credential, one address in two spellings.
So a claim is a row for each name that the account is known by, and whoever meets a row of another entity
is refused. Rows are put where they are expected to be absent, which decides a race; they go when their
entity is gone for good.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct, convert, field

from setpoint.engine.claim import Claim, Thing, key_of, thing_in
from setpoint.engine.company import accounts_of
from setpoint.engine.entity import AnyEntity, Declared, Ref, Status, kind_of
from setpoint.engine.errors import Mistake, Rejected
from setpoint.engine.kind import Kinds, entity_from
from setpoint.engine.store import (
    CLAIMS_AT,
    CLAIMS_OF,
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


class Asked(Struct, frozen=True):
    """What one declaration claims, under the names of its account; `held` are the rows that are there."""

    row: Declared
    things: tuple[Thing, ...]
    names: tuple[str, ...]
    held: dict[str, Claim] = field(default_factory=dict)

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(key_of(thing.name, name) for thing in self.things for name in self.names)

    @property
    def asked(self) -> tuple[str, ...]:
        """What has to be looked up: the things themselves, and those around them."""
        around = (key_of(name, at) for thing in self.things for name in thing.around for at in self.names)
        return (*self.keys, *around)

    def conflicts(self) -> Iterable[tuple[Thing, Claim]]:
        """Each thing that somebody else owns, or that is a part of what another organization owns."""
        for thing in self.things:
            own = (self.held.get(key_of(thing.name, name)) for name in self.names)
            around = (self.held.get(key_of(name, at)) for name in thing.around for at in self.names)
            others = [each for each in own if each and each.ref != self.row.ref]
            others += [each for each in around if each and each.organization != self.row.tenant]
            if others:
                yield thing, others[0]

    def puts(self) -> Change:
        """The rows that are missing, each expected to be absent."""
        missing = [key for key in self.keys if key not in self.held]
        rows = [Claim(key=key, ref=self.row.ref, organization=self.row.tenant) for key in missing]
        return Change(tuple(Expect(Claim, row.key) for row in rows), tuple(Put(row) for row in rows))


class Owners(Struct, frozen=True):
    """Who owns what outside."""

    store: Store
    kinds: Kinds

    async def claim(
        self, rows: Sequence[Declared], pointers: Mapping[Ref, str], rest: Sequence[Declared], sees: Sees
    ) -> tuple[list[Mistake], Change]:
        """What these rows may not claim, and the claims that go with them; `rest`: rows they may refer to.

        `pointers`: ref of each row that is judged -> where it stands in its request. Who owns a thing is told
        to those only who see it.
        """
        held: dict[str, Claim] = {}
        wrong: list[Mistake] = []
        changes: list[Change] = []
        around = {row.ref: row for row in rest}
        for row in rows:
            if row.ref not in pointers or not (things := things_of(self.kinds, row)):
                continue
            asked = await self._asked(row, things, await self._names(row, around))
            asked.held.update(held)
            conflicts = list(asked.conflicts())
            wrong += [
                Mistake(
                    pointer=f"{pointers[row.ref]}/spec/{thing.field}",
                    code="claimed",
                    message=await self._refusal(thing, claim, around, sees),
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
        asked = await self._asked(row, things, (account, identity))
        for thing, claim in asked.conflicts():
            raise Rejected(await self._refusal(thing, claim, {}, lambda other: other.scope == row.scope))
        puts = asked.puts()
        if puts.writes and await self.store.get(Declared, row.ref) == row:
            rests = Expect(Declared, row.ref, "generation", row.generation)
            await self.store.commit(Change((rests, *puts.expects), puts.writes))

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
        return asked

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
        holder = around.get(claim.ref) or await self.store.get(Declared, claim.ref)
        if holder is None or not sees(holder):
            return f"{what}{part} is claimed elsewhere in this installation, at the same account"
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
