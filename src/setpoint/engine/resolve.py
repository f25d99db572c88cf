"""Names become refs: every reference, scope, cycle and clash of a request is checked before it is stored."""

from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from typing import Final

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from setpoint.engine import draft
from setpoint.engine.draft import Declaration
from setpoint.engine.entity import AnyEntity, Declared, Ref, Scope, slot
from setpoint.engine.errors import Mistake
from setpoint.engine.kind import Kinds, entity_from
from setpoint.engine.runtime import Runtime, by_turns
from setpoint.engine.store import DECLARED_AT, DECLARED_CHILDREN, DECLARED_OF, Expect, Store, listed
from setpoint.nearest import nearest

MOST_CYCLES: Final = 20
"""So many are told apart in one answer."""
LONGEST_WAY: Final = 8
"""So many places of one are named."""


class Resolver(Struct, frozen=True):
    """Looks names up in one request first, then in the store."""

    store: Store
    kinds: Kinds
    runtime: Runtime
    drafts: dict[str, Declared | None]  # By slot; what was looked up in the store is kept here too.
    unsound: Mapping[Ref, Declaration] = {}

    async def resolved(
        self, items: Sequence[Declaration], drafts: Sequence[Declared]
    ) -> tuple[tuple[Declared, ...], list[Mistake]]:
        """The drafts with their refs, and everything that could not be resolved."""
        rows: list[Declared] = []
        mistakes: list[Mistake] = []
        async for item, row in by_turns(zip(items, drafts, strict=True), self.runtime):
            linked, wrong = await self._linked(item, row)
            rows.append(linked)
            mistakes += wrong
        return tuple(rows), mistakes + await self._cycles(items, rows)

    async def clashes(
        self, rows: Sequence[Declared], judged: Mapping[Ref, str], leaving: Collection[Ref]
    ) -> tuple[list[Mistake], tuple[Expect, ...]]:
        """What cannot stand beside its siblings, and what that judgement rests on when it is stored.

        A parent's generation moves with each of its parts, and it was read before its parts are read here:
        who commits on top of it has seen all of them. `judged`: ref -> where in the request it stands;
        `leaving`: what the same request withdraws.
        """
        parents = {row.ref: row for row in self.drafts.values() if row}
        asked = {(row.parent, row.kind) for row in rows if row.ref in judged and row.parent in parents}
        wrong: list[Mistake] = []
        rests: list[Expect] = []
        for ref, name in sorted(asked):
            parent, beside = parents[ref], self.kinds[name].beside
            if beside is None:
                continue
            if parent.generation:
                rests.append(Expect(Declared, ref, "generation", parent.generation))
            siblings = await self._siblings(ref, name, rows, leaving)
            wrong += [
                Mistake(
                    pointer=f"{judged[clash.ref]}/spec/{clash.field}", code="clash", message=clash.message
                )
                for clash in beside(self._readable(parent), siblings)
                if clash.ref in judged
            ]
        return wrong, tuple(rests)

    async def _siblings(
        self, parent: Ref, kind: str, rows: Sequence[Declared], leaving: Collection[Ref]
    ) -> tuple[AnyEntity, ...]:
        """Everything of that kind below this parent as it would be; what cannot be read has no place yet."""
        # By place, not by ref: what took the place of one of these a moment ago is refused by the store.
        drafted = {row.slot for row in rows}
        stored = await self.store.read(DECLARED_CHILDREN, parent=parent)
        merged = (*(row for row in stored if row.slot not in drafted and row.ref not in leaving), *rows)
        below = (row for row in merged if row.parent == parent and row.kind == kind and not row.deleting)
        return tuple(entity for row in below if (entity := self._readable(row)) is not None)

    def _readable(self, row: Declared) -> AnyEntity | None:
        """The entity as it would be; with mistakes of its own, as far as it can be read."""
        item = self.unsound.get(row.ref)
        if item is None:
            return entity_from(self.kinds, row, None)
        spec = draft.readable(item, self.kinds[row.kind])
        return entity_from(self.kinds, replace(row, spec=to_builtins(spec)), None) if spec else None

    async def _linked(self, item: Declaration, row: Declared) -> tuple[Declared, list[Mistake]]:
        """The row with its scope and every name it uses resolved, and what could not be."""
        wrong = await self._missing_scopes(item)
        refs: list[Ref] = []
        parent = row.parent
        kind = self.kinds[item.kind]
        for named in draft.names_in(kind, item.spec):
            target = await self._find(named.kind, item.scope, named.name)
            if target is None or target.deleting == "asked":
                state = "is being deleted" if target else "is not declared"
                message = f"{named.kind} {named.name!r} {state} in {str(item.scope) or 'the installation'}"
                pointer, hint = f"{item.pointer}/spec/{named.field}", "" if target else self._meant(named)
                wrong.append(Mistake(pointer=pointer, code="missing_reference", message=message, hint=hint))
                continue
            refs.append(target.ref)
            parent = target.ref if named.field == kind.parent else parent
        return replace(row, refs=tuple(refs), parent=parent), wrong

    def _meant(self, named: draft.Named) -> str:
        """Among what the request itself declares: what else is there may not be theirs to know."""
        near = nearest(
            named.name, [row.name for row in self.drafts.values() if row and row.kind == named.kind]
        )
        return f"did you mean {near}?" if near else ""

    async def _missing_scopes(self, item: Declaration) -> list[Mistake]:
        scope = item.scope
        containers = (
            ("organization", Scope(), scope.organization),
            ("project", Scope(scope.organization), scope.project),
            ("workspace", Scope(scope.organization, scope.project), scope.workspace),
        )
        return [
            Mistake(
                pointer=f"{item.pointer}/metadata/{kind}",
                code="missing_scope",
                message=f"{kind} {name!r} is not declared",
                hint=f"declare the {kind} first, or in the same file",
            )
            for kind, place, name in containers
            if name and not await self._at(kind, place, name)
        ]

    async def _find(self, kind: str, scope: Scope, name: str) -> Declared | None:
        for place in scope.outwards():
            if found := await self._at(kind, place, name):
                return found
        return None

    async def _at(self, kind: str, place: Scope, name: str) -> Declared | None:
        wanted = slot(kind, place, name)
        if wanted not in self.drafts:
            self.drafts[wanted] = next(iter(await self.store.read(DECLARED_AT, slot=wanted)), None)
        return self.drafts[wanted]

    async def _cycles(self, items: Sequence[Declaration], rows: Sequence[Declared]) -> list[Mistake]:
        edges = {row.ref: row.refs for row in rows}
        if not any(edges.values()):
            return []
        asked = {ref for refs in edges.values() for ref in refs} - edges.keys()
        while asked:
            found = {row.ref: row.refs for row in await self.store.read(DECLARED_OF, refs=listed(asked))}
            edges |= {ref: found.get(ref, ()) for ref in asked}
            asked = {ref for refs in found.values() for ref in refs} - edges.keys()
        names = {row.ref: f"{row.kind} {row.name}" for row in rows}
        told = {
            ref: f"cycle: {_told(way, at, names)}"
            for way in islice(draft.cycles(edges), MOST_CYCLES)
            for at, ref in enumerate(way)
        }
        return [
            Mistake(pointer=f"{item.pointer}/spec", code="cycle", message=told[row.ref])
            for item, row in zip(items, rows, strict=True)
            if row.ref in told
        ]


def _told(way: Sequence[Ref], at: int, names: Mapping[Ref, str]) -> str:
    """Once around from there; of a long way, its beginning and how much more there is."""
    shown = [way[(at + number) % len(way)] for number in range(min(len(way), LONGEST_WAY))]
    more = [f"{len(way) - len(shown)} more"] if len(shown) < len(way) else []
    *begin, end = (names.get(ref, ref) for ref in (*shown, way[at]))
    return " → ".join((*begin, *more, end))
