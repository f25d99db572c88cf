"""Reading what is declared, joined with its status; a proposal can be laid over it without storing it."""

from collections.abc import Iterable, Sequence

from msgspec import Struct, to_builtins

from setpoint.engine.entity import AnyEntity, Declared, Ref, Scope, Status, slot
from setpoint.engine.kind import Kinds, entity_from
from setpoint.engine.store import (
    DECLARED_CHILDREN,
    DECLARED_IN,
    DECLARED_INSIDE,
    DECLARED_OF,
    STATUSES,
    Store,
    listed,
)


class Intent(Struct, frozen=True):
    """One snapshot's reader. `proposed` shadows what is stored: a dry run reads through it."""

    store: Store
    kinds: Kinds
    proposed: tuple[Declared, ...] = ()

    async def entity(self, ref: Ref) -> AnyEntity | None:
        declared = self._shadow(ref) or await self.store.get(Declared, ref)
        if declared is None:
            return None
        return entity_from(self.kinds, declared, await self.store.get(Status, ref))

    async def named(self, kind: str, scope: Scope, name: str) -> AnyEntity | None:
        """The nearest one of that name: in this scope or one around it."""
        nearest = [slot(kind, place, name) for place in scope.outwards()]
        stored = {d.slot: d for d in await self.store.read(DECLARED_IN, slots=listed(nearest))}
        found = stored | {d.slot: d for d in self.proposed}
        declared = next((found[wanted] for wanted in nearest if wanted in found), None)
        if declared is None:
            return None
        return entity_from(self.kinds, declared, await self.store.get(Status, declared.ref))

    async def children(self, parent: Ref, kind: str) -> tuple[AnyEntity, ...]:
        """Everything of that kind below this parent, in the order it was declared."""
        stored = [d for d in await self.store.read(DECLARED_CHILDREN, parent=parent) if d.kind == kind]
        shadows = {d.ref: d for d in self.proposed if d.parent == parent and d.kind == kind}
        merged = {d.ref: d for d in stored} | shadows
        return await self.joined(sorted(merged.values(), key=lambda d: d.ref))

    async def inside(self, scope: Scope) -> Sequence[Declared]:
        """Everything declared within this scope, at any depth."""
        return await self.store.read(DECLARED_INSIDE, **to_builtins(scope))

    async def known(self, refs: Iterable[Ref]) -> frozenset[Ref]:
        """Which of these are declared."""
        return frozenset(row.ref for row in await self.store.read(DECLARED_OF, refs=listed(refs)))

    async def joined(self, rows: Sequence[Declared]) -> tuple[AnyEntity, ...]:
        """Rows with their statuses, in the same order."""
        refs = listed(row.ref for row in rows)
        statuses = {s.ref: s for s in await self.store.read(STATUSES, refs=refs)} if rows else {}
        return tuple(entity_from(self.kinds, row, statuses.get(row.ref)) for row in rows)

    def _shadow(self, ref: Ref) -> Declared | None:
        return next((d for d in self.proposed if d.ref == ref), None)
