"""Intent, its evidence, its event and its wakes in one commit: the only way anything is declared."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct, convert, json
from msgspec.structs import replace

from setpoint.engine import draft
from setpoint.engine.draft import (
    Author,
    Declaration,
    check_author,
    check_protection,
    counted,
    protection_of,
    unprotect_command,
    verb_of,
)
from setpoint.engine.entity import Declared, Ref, Status, hash_of, ref_of, slot
from setpoint.engine.errors import Conflict, Missing, Mistake, Rejected
from setpoint.engine.intent import Intent
from setpoint.engine.kind import Kinds
from setpoint.engine.owners import Owners, claims_anew
from setpoint.engine.placed import moved_fields, renamed, unentitled
from setpoint.engine.request import past_of
from setpoint.engine.resolve import Resolver
from setpoint.engine.rows import Lane, Wake, evidence, told
from setpoint.engine.runtime import AT_ONCE, Runtime, by_turns
from setpoint.engine.stir import stirred
from setpoint.engine.store import (
    DECLARED_AT,
    DECLARED_CHILDREN,
    DECLARED_IN,
    DECLARED_OF,
    DECLARED_OWNED,
    DECLARED_REFERRING,
    NOTHING,
    STATUSES,
    Change,
    Drop,
    Expect,
    Put,
    Store,
    joined,
    listed,
)

ATTEMPTS: Final = 8
DELETED: Final = "entity.deleted"


class Declarer(Struct, frozen=True):
    """The pen for intent."""

    store: Store
    kinds: Kinds
    runtime: Runtime

    async def declare(
        self,
        items: Sequence[Declaration],
        author: Author,
        found: Sequence[Mistake] = (),
        beside: Change = NOTHING,
    ) -> tuple[Declared, ...]:
        """All of them or none, with what is `beside`; one Rejected lists every mistake.

        A race with other edits is run again.
        """
        drafts: tuple[Declared, ...] = ()
        for attempt in range(ATTEMPTS):
            drafts, withdrawn, rests = await self._drafted(items, author, found)
            change = await self._change((*drafts, *withdrawn), author)
            if await self._committed(joined((change, rests, beside)), author, last=attempt == ATTEMPTS - 1):
                puts = (write.row for write in change.writes if isinstance(write, Put))
                written = {row.ref: row for row in puts if isinstance(row, Declared)}
                drafts = tuple(written.get(row.ref, row) for row in drafts)
                break
        return drafts

    async def proposed(
        self, items: Sequence[Declaration], author: Author, found: Sequence[Mistake] = ()
    ) -> tuple[Declared, ...]:
        """The rows that declaring them would change, as they would be; nothing is stored."""
        drafts, withdrawn, _ = await self._drafted(items, author, found)
        rows = (*drafts, *withdrawn)
        stored = await self._stored(rows)
        changing = tuple(row for row in rows if row != stored.get(row.ref))
        if author.together is not None:
            await author.together(changing)
        return changing

    async def _drafted(
        self, items: Sequence[Declaration], author: Author, found: Sequence[Mistake]
    ) -> tuple[tuple[Declared, ...], tuple[Declared, ...], Change]:
        """The rows as they would be stored, those withdrawn with them, and what the commit of both rests on.

        Mistakes found before are told together with those found here.
        """
        known = {row.slot: row for row in await self._known(items)}
        rows = [self._row(item, known, author) async for item in by_turns(items, self.runtime)]
        # Before anything is looked up for them: only who may use it may hear what is there.
        sound = [row for row, item in zip(rows, items, strict=True) if item.sound]
        async for part in by_turns(range(0, len(sound), AT_ONCE), self.runtime):
            check_author(sound[part : part + AT_ONCE], author)
        check_protection(rows, known, author)
        resolver = Resolver(
            self.store,
            self.kinds,
            self.runtime,
            {row.slot: row for row in rows},
            {row.ref: item for row, item in zip(rows, items, strict=True) if not item.sound},
        )
        linked, unresolved = await resolver.resolved(items, rows)
        withdrawn, still_used = await self._withdrawn(linked, author)
        places = {row.ref: item.pointer for row, item in zip(linked, items, strict=True) if item.sound}
        judged = {
            row.ref: places[row.ref] for row in linked if row.ref in places and row != known.get(row.slot)
        }
        clashes, expects = await resolver.clashes(linked, judged, {row.ref for row in withdrawn})
        taken = [each for item in items for each in await self._taken(item)]
        around = [row for row in resolver.drafts.values() if row]
        misplaced, claims = await self._placed(
            linked, {row.ref: row for row in known.values()}, judged, around, author
        )
        if mistakes := (*found, *unresolved, *clashes, *misplaced, *still_used, *taken):
            count = len(mistakes)
            raise Rejected(f"{count} mistake{'s' if count > 1 else ''}; nothing was stored", mistakes)
        return linked, withdrawn, joined((Change(expects=expects), claims))

    async def _placed(
        self,
        rows: Sequence[Declared],
        before: Mapping[Ref, Declared],
        judged: Mapping[Ref, str],
        around: Sequence[Declared],
        author: Author,
    ) -> tuple[list[Mistake], Change]:
        """What is wrong with where these rows place things outside, and the claims that go with them."""
        moving = {
            row.ref: judged[row.ref]
            for row in rows
            if row.ref in judged and claims_anew(self.kinds, row, before.get(row.ref))
        }
        owners = Owners(self.store, self.kinds)
        claimed, claims = await owners.claim(rows, moving, around, author)
        moved = await moved_fields(self.store, self.kinds, rows, before, judged)
        moved += renamed(self.kinds, rows, before, judged)
        return [*claimed, *moved, *unentitled(self.kinds, rows, before, judged, author.may)], claims

    async def _known(self, items: Sequence[Declaration]) -> list[Declared]:
        """What is declared where these want to be."""
        places = [slot(item.kind, item.scope, item.name) for item in items]
        if len(places) == 1:  # Found by its index, without a list to be taken apart.
            return await self.store.read(DECLARED_AT, slot=places[0])
        return await self.store.read(DECLARED_IN, slots=listed(places))

    async def _taken(self, item: Declaration) -> list[Mistake]:
        """What is adopted must be new here, by its mark and by its name."""
        if item.ref is None:
            return []
        place = slot(item.kind, item.scope, item.name)
        same = await self.store.get(Declared, item.ref)
        holders = [same] if same else await self.store.read(DECLARED_AT, slot=place)
        return [
            Mistake(
                pointer=item.pointer,
                code="taken",
                message=f"{item.name} cannot be adopted: {row.kind} {row.name} is declared already",
            )
            for row in holders
        ]

    def _row(self, item: Declaration, stored: Mapping[str, Declared], author: Author) -> Declared:
        known = stored.get(slot(item.kind, item.scope, item.name))
        # Defaults are written down: one that changes in a later version changes nobody's intent. All of it is
        # in the order it is stored in: what is answered at once is, byte for byte, what is read later.
        typed: object = convert(item.spec, self.kinds[item.kind].spec) if item.sound else {}
        spec, labels = json.decode(json.encode(typed, order="sorted")), dict(sorted(item.labels.items()))
        if known is None:
            return Declared(
                ref=item.ref or ref_of(item.kind, self.runtime.new_id()),
                kind=item.kind,
                scope=item.scope,
                name=item.name,
                spec=spec,
                labels=labels,
                owner=author.owner,
                protected=item.protected is True,
                parent=author.parent,
                generation=0,
                created_at=self.runtime.now(),
            )
        if author.if_match and draft.etag(known) != author.if_match:
            raise Conflict(f"{item.kind} {item.name} was changed since it was read; read it again")
        return replace(
            known,
            spec=spec,
            labels=labels,
            protected=known.protected if item.protected is None else item.protected,
            deleting="",
            owner=author.owner or known.owner,
        )

    async def protect(self, ref: Ref, author: Author, *, protected: bool) -> None:
        """Nothing deletes this object from here on; or what judges others decides about it again."""
        for attempt in range(ATTEMPTS):
            known = await self.store.get(Declared, ref)
            if known is None:
                raise Missing(f"{ref} is not declared")
            row = replace(known, protected=protected)
            check_protection((row,), {known.slot: known}, author)
            if await self._committed(
                await self._change((row,), author), author, last=attempt == ATTEMPTS - 1
            ):
                return

    async def delete(self, ref: Ref, author: Author, *, cascade: bool = False) -> None:
        """A person deletes this object and what it owns; it leaves the store when it is confirmed gone."""
        for attempt in range(ATTEMPTS):
            rows = await self.leaving(ref, author, cascade=cascade)
            if await self._committed(await self._change(rows, author), author, last=attempt == ATTEMPTS - 1):
                return

    async def leaving(self, ref: Ref, author: Author, *, cascade: bool) -> tuple[Declared, ...]:
        """The rows that deleting it would change, as they would be; nothing is stored."""
        target = await self.store.get(Declared, ref)
        if target is None:
            raise Missing(f"{ref} is not declared")
        if author.if_match not in ("", draft.etag(target)):
            raise Conflict(f"{target.kind} {target.name} was changed since it was read; read it again")
        owned = await self._owned(target, author, cascade=cascade)
        rows = tuple(replace(row, deleting="asked") for row in (*owned, target))
        check_author(rows, author)
        return rows

    async def _committed(self, change: Change, author: Author, *, last: bool) -> bool:
        """Whether it is stored; not, when somebody else was faster and there is another try."""
        try:
            await self.store.commit(change)
        except Conflict:
            if last or author.if_match:
                raise
            return False
        return True

    async def _owned(self, target: Declared, author: Author, *, cascade: bool) -> tuple[Declared, ...]:
        """Everything that goes with it, or Conflict naming what stands in the way."""
        if target.protected:
            raise Conflict(f"{target.kind} {target.name} is protected; first run {unprotect_command(target)}")
        inner = target.inner
        inside = await Intent(self.store, self.kinds).inside(inner) if inner else ()
        title = f"{target.kind} {target.name}"
        if inside and not cascade:
            raise Conflict(
                f"{title} still holds {counted(inside, author.sees)}; delete those first, or cascade"
            )
        going = {row.ref: row for row in inside}
        for row in (target, *inside):
            going |= {child.ref: child for child in await self.store.read(DECLARED_CHILDREN, parent=row.ref)}
        if users := await self._users((target, *going.values())):
            raise Conflict(f"{title} is used by {counted(users, author.sees)}; change or delete those first")
        if guarded := [row for row in going.values() if row.protected]:
            seen = next(filter(author.sees, guarded), None)
            first = (
                f"first run {unprotect_command(seen)}" if seen else "ask who may see them to release those"
            )
            raise Conflict(f"{title} holds protected {counted(guarded, author.sees)}; {first}")
        return tuple(row for row in going.values() if row.deleting != "asked")

    async def _users(self, leaving: Sequence[Declared]) -> list[Declared]:
        """Those that stay and name one that leaves."""
        refs = {row.ref for row in leaving}
        found = [await self.store.read(DECLARED_REFERRING, ref=row.ref) for row in leaving]
        return [user for users in found for user in users if user.ref not in refs and not user.deleting]

    async def _withdrawn(
        self, rows: Sequence[Declared], author: Author
    ) -> tuple[tuple[Declared, ...], list[Mistake]]:
        """What this owner declared before and does not mention now. The guards decide what becomes of it.

        An owner is a name that anybody can write: what is not the author's to declare is as if it were not
        there, so that it tells them nothing and stops nothing. What they may write but not delete is told.
        """
        if not author.prune:
            return (), []
        kept = {row.ref for row in rows}
        owned = await self.store.read(DECLARED_OWNED, organization=author.organization, owner=author.owner)
        leaving = [
            row for row in owned if row.ref not in kept and not row.deleting and _is_theirs(row, author)
        ]
        withdrawn = tuple(replace(row, deleting="withdrawn") for row in leaving)
        check_author(withdrawn, author)
        return withdrawn, [mistake async for mistake in self._in_the_way(leaving, author)]

    async def _in_the_way(self, leaving: Sequence[Declared], author: Author) -> AsyncIterator[Mistake]:
        """Why these cannot be withdrawn. What has a loop stays by itself while it is protected; the rest
        leaves at once.
        """
        if users := await self._users(leaving):
            message = f"what is left out is still used by {counted(users, author.sees)}"
            yield Mistake(pointer="/items", code="still_used", message=message)
        going = {row.ref for row in leaving}
        for row in (row for row in leaving if self._leaves_at_once(row)):
            title = f"{row.kind} {row.name} is left out"
            if row.protected:
                message = f"{title} and protected; declare it, or first run {unprotect_command(row)}"
                yield Mistake(pointer="/items", code="protected", message=message)
            inside = await Intent(self.store, self.kinds).inside(row.inner) if row.inner else ()
            if staying := [each for each in inside if each.ref not in going and not each.deleting]:
                message = f"{title} and still holds {counted(staying, author.sees)}; delete those first"
                yield Mistake(pointer="/items", code="still_used", message=message)

    def _leaves_at_once(self, row: Declared) -> bool:
        """Whether nobody watches over it: it leaves the store in the commit that deletes it."""
        return self.kinds[row.kind].loop is None and not self.kinds[row.kind].parent

    async def _change(self, rows: Sequence[Declared], author: Author) -> Change:
        """Only what differs is written; a parent whose intent this is part of is moved on and woken.

        Whoever brings the rows has asked about each of them whether its author may.
        """
        stored = await self._stored(rows)
        changing = [row for row in rows if row != stored.get(row.ref)]
        beside = [await author.together(changing)] if changing and author.together else []
        statuses = await self._statuses(row.ref for row in changing if row.generation)
        parts = [
            await self._one(
                replace(row, people=draft.asking(stored.get(row.ref), statuses.get(row.ref), author)),
                stored.get(row.ref),
                author,
            )
            for row in changing
        ]
        parents = {row.parent for row in changing if row.parent and self.kinds[row.kind].parent}
        moved = {row.ref for row in changing}
        parts += [await self._parent(ref, moved, author) for ref in sorted(parents)]
        return joined((*parts, *beside))

    async def _statuses(self, refs: Iterable[Ref]) -> dict[Ref, Status]:
        asked = listed(refs)
        return (
            {each.ref: each for each in await self.store.read(STATUSES, refs=asked)} if asked != "[]" else {}
        )

    async def _stored(self, rows: Sequence[Declared]) -> dict[Ref, Declared]:
        """Those of them that are declared, as they are now; what was never written is not looked for."""
        refs = [row.ref for row in rows if row.generation]
        found = await self.store.read(DECLARED_OF, refs=listed(refs)) if refs else ()
        return {row.ref: row for row in found}

    async def _one(self, row: Declared, known: Declared | None, author: Author) -> Change:
        kind = self.kinds[row.kind]
        now = self.runtime.now()
        written = replace(row, generation=row.generation + 1, changed_at=now, changed_by=author.actor)
        verb = verb_of(row, known)
        leaves_now = row.deleting and self._leaves_at_once(row)
        wakes = await stirred(self.store, self.kinds, written, (kind.config_event,), self.runtime.new_id)
        own = [Put(self._wake(row.ref, verb, row.tenant))] if kind.loop is not None else []
        what = DELETED if leaves_now else kind.config_event
        about = {"name": row.name, "generation": written.generation, "spec": hash_of(row.spec)}
        proof = evidence(written, author.actor, f"intent.{verb}", now, **about, owner=author.owner)
        guarded = self._protection(written, known, author)
        dropped = (await Owners(self.store, self.kinds).leaving(row)).writes if leaves_now else ()
        return Change(
            # The generation it was drafted from: an edit in between is met by drafting anew.
            expects=(Expect(Declared, row.ref, "generation", row.generation),) if row.generation else (),
            writes=(
                *((Drop(Declared, row.ref), Drop(Status, row.ref)) if leaves_now else (Put(written),)),
                Put(past_of(written, verb)),
                *dropped,
                *own,
                *(Put(wake) for wake in wakes if wake.ref != row.ref),
            ),
            events=(told(written, what, f"{verb} by {author.actor}", now), *guarded.events),
            audit=(proof, *guarded.audit),
        )

    def _protection(self, row: Declared, known: Declared | None, author: Author) -> Change:
        """A protection that comes or goes is an act of its own, with who and why."""
        verb, now = protection_of(row, known), self.runtime.now()
        if not verb:
            return NOTHING
        reason = author.reason or f"metadata.protected was declared {str(row.protected).lower()}"
        said = f"{row.name} {verb} by {author.actor}: {reason}"
        proof = evidence(row, author.actor, f"intent.{verb}", now, name=row.name, reason=reason)
        return Change(events=(told(row, f"entity.{verb}", said, now),), audit=(proof,))

    async def _parent(self, ref: Ref, changing: set[Ref], author: Author) -> Change:
        parent = await self.store.get(Declared, ref)
        wake = Put(self._wake(ref, "a part changed", parent.tenant if parent else ""))
        if parent is None or ref in changing:
            return Change(writes=(wake,))
        people = draft.asking(parent, await self.store.get(Status, ref), author)
        by = {"changed_by": author.actor, "people": people}
        moved = replace(parent, generation=parent.generation + 1, changed_at=self.runtime.now(), **by)
        return Change(
            expects=(Expect(Declared, ref, "generation", parent.generation),), writes=(Put(moved), wake)
        )

    def _wake(self, ref: Ref, reason: str, tenant: str) -> Wake:
        return Wake(id=self.runtime.new_id(), ref=ref, reason=reason, lane=Lane.INTERACTIVE, tenant=tenant)


def _is_theirs(row: Declared, author: Author) -> bool:
    """Whether they could have declared it, or may delete it."""
    return author.may("delete", row) or (author.sees(row) and author.may("update", row))
