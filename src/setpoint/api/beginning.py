"""A name begins anew: who declares an organization, project or workspace gets nothing of the one before it.

Two rules, and `engine/tables.py` says of every table which of them holds there. What is kept by a name is
dropped in the commit that declares the next object of that name (`emptied`). The past is read from the moment
at which the present organization was declared (`Beginning`), but for who runs the installation; that of a
project or workspace by who reads what is around it (`begun_at`, `Sight.about`). And a token holds only while
the places it reaches are there (`reaching`).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from setpoint.engine.entity import Declared, Ref, Scope, hash_of, slot
from setpoint.engine.record import Recorded
from setpoint.engine.request import past_of
from setpoint.engine.rows import Audit, Event, PlanRow, Switch, Task, evidence
from setpoint.engine.store import (
    AUDIT_BACK,
    AUDIT_PAGE,
    DECLARED_AT,
    DECLARED_IN,
    DECLARED_OF,
    EVENTS_AFTER,
    EVENTS_BEFORE,
    FIRST_EVENT_OF,
    PASSES_IN,
    PLANS_PAGE,
    SWITCHES,
    TASKS_PAGE,
    Change,
    Drop,
    Expect,
    Put,
    Store,
    joined,
    listed,
)
from setpoint.engine.tenancy import Standing
from setpoint.engine.token import Token

AnyRow = Any
EARLIER: Final[ContextVar[bool]] = ContextVar("earlier", default=True)
"""Whether who asks may read what was before the present organization of that name."""
OLDEST_FIRST: Final = frozenset((EVENTS_AFTER.name, AUDIT_PAGE.name))
NEWEST_FIRST: Final = frozenset(
    query.name for query in (EVENTS_BEFORE, AUDIT_BACK, TASKS_PAGE, PLANS_PAGE, PASSES_IN)
)
ABOUT: Final[Mapping[type[AnyRow], Callable[[AnyRow], Ref]]] = {
    Task: lambda row: row.target,
    PlanRow: lambda row: row.ref,
    Recorded: lambda row: row.ref,
}
"""What a row of the past that has an id is about."""
CHAINED: Final = (Event, Audit)


class Beginning(Struct, frozen=True):
    """The present organization of a name, and the revision at which it was declared."""

    ref: Ref
    revision: int

    async def kept(self, store: Store, rows: Sequence[AnyRow]) -> list[AnyRow]:
        """Those that are of the present organization: by revision, else by id or by what they are about.

        Ids rise with time, but a clock may be set back: then what is declared today tells.
        """
        after = self.ref.partition("/")[2]
        older = [row for row in rows if not isinstance(row, CHAINED) and row.id < after]
        refs = {ABOUT[type(row)](row) for row in older}
        there = {row.ref for row in await store.read(DECLARED_OF, refs=listed(refs))} if refs else set()
        return [
            row
            for row in rows
            if (
                row.revision >= self.revision
                if isinstance(row, CHAINED)
                else row.id >= after or ABOUT[type(row)](row) in there
            )
        ]


async def beginning_of(store: Store, organization: str) -> Beginning | None:
    """None where there is no such organization now."""
    ref = await ref_of_organization(store, organization)
    first = await store.read(FIRST_EVENT_OF, ref=ref) if ref else ()
    return Beginning(Ref(ref), first[0].revision if first else 0) if ref else None


async def ref_of_organization(store: Store, name: str) -> str:
    """Of the present one of this name; empty where there is none."""
    found = await store.read(DECLARED_AT, slot=slot("organization", Scope(), name)) if name else ()
    return found[0].ref if found else ""


def places_of(scope: Scope) -> tuple[str, ...]:
    """The slots of the organization, project and workspace that a scope names."""
    return tuple(
        slot(kind, outer, name)
        for kind, outer, name in (
            ("organization", Scope(), scope.organization),
            ("project", Scope(scope.organization), scope.project),
            ("workspace", Scope(scope.organization, scope.project), scope.workspace),
        )
        if name
    )


async def begun_at(store: Store, slots: Iterable[str]) -> dict[str, int]:
    """The revision at which what is in each of these slots now was declared; none where nothing is there."""
    asked = listed(slots)
    rows = await store.read(DECLARED_IN, slots=asked) if asked != "[]" else ()
    firsts = [await store.read(FIRST_EVENT_OF, ref=row.ref) for row in rows]
    return {row.slot: found[0].revision for row, found in zip(rows, firsts, strict=True) if found}


async def reaching(store: Store, tokens: Sequence[Token]) -> list[Token]:
    """Those whose organization, project and workspace are there: the others open nothing any more."""
    slots = {place for token in tokens for place in places_of(token.scope)}
    there = {row.slot for row in await store.read(DECLARED_IN, slots=listed(slots))} if slots else set()
    return [token for token in tokens if there.issuperset(places_of(token.scope))]


class Anew(Struct, frozen=True):
    """What is declared for the first time under its name, by whom and when."""

    rows: tuple[Declared, ...]
    actor: str
    now: float

    @property
    def scopes(self) -> tuple[Scope, ...]:
        return tuple(inner for row in self.rows if (inner := row.inner) is not None)

    def holds(self, scope: Scope) -> bool:
        return any(each.holds(scope) for each in self.scopes)

    def standings(self) -> Change:
        return Change(writes=tuple(Drop(Standing, row.name) for row in self.rows if not row.organization))

    def switches(self, known: Iterable[Switch]) -> Change:
        return Change(
            writes=tuple(
                Drop(Switch, each.key)
                for each in known
                if each.key.startswith("scope:") and self.holds(_scope_in(each.key))
            )
        )

    def tokens(self, known: Iterable[Token]) -> Change:
        gone = [token for token in known if token.organization and self.holds(token.scope)]
        lines = (
            Audit(
                organization=token.organization,
                actor=self.actor,
                action="token.ended",
                ref=f"token/{token.id}",
                at=self.now,
                detail={"name": token.subject, "scope": str(token.scope), "why": "declared anew"},
            )
            for token in gone
        )
        return Change(writes=tuple(Drop(Token, token.hash) for token in gone), audit=tuple(lines))

    def given(self, known: Iterable[Declared]) -> Change:
        """Memberships and roles without what they gave in a place of that name; what they forbid stays."""
        mine = {row.ref for row in self.rows}
        bare = ((row, self._without(row)) for row in known if row.ref not in mine)
        return joined(self._changed(row, spec) for row, spec in bare if spec != row.spec)

    def _without(self, row: Declared) -> dict[str, Any]:
        part = "roles" if row.kind == "membership" else "rules"
        kept = [
            each
            for each in row.spec.get(part, ())
            if each.get("effect") == "forbid" or not each.get("project") or not self._reaches(row, each)
        ]
        return {**row.spec, part: kept}

    def _reaches(self, row: Declared, given: Mapping[str, Any]) -> bool:
        return self.holds(Scope(row.organization, given["project"], given.get("workspace", "")))

    def _changed(self, row: Declared, spec: dict[str, Any]) -> Change:
        after = replace(
            row, spec=spec, generation=row.generation + 1, changed_by=self.actor, changed_at=self.now
        )
        about = {"name": row.name, "generation": after.generation, "spec": hash_of(spec)}
        proof = evidence(after, self.actor, "intent.changed", self.now, **about, why="declared anew")
        return Change(
            expects=(Expect(Declared, row.ref, "generation", row.generation),),
            writes=(Put(after), Put(past_of(after, "changed"))),
            audit=(proof,),
        )


async def emptied(store: Store, anew: Anew, given: Sequence[Declared], tokens: Sequence[Token]) -> Change:
    """What goes in the commit that declares these for the first time."""
    if not anew.scopes:
        return Change()
    switches = await store.read(SWITCHES)
    return joined((anew.standings(), anew.switches(switches), anew.tokens(tokens), anew.given(given)))


def _scope_in(key: str) -> Scope:
    return Scope(*key.removeprefix("scope:").split("/"))
