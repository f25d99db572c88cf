"""Everything that is declared in a scope, whatever its kind: as one list, and counted by state."""

from collections import Counter
from collections.abc import AsyncIterator, Iterator
from typing import Any, Final

from msgspec import Struct, to_builtins
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.permission import Permission, key_of
from setpoint.access.subject import Subject
from setpoint.api.address import BASES
from setpoint.api.collection import SCANNED, Collection, asked_of
from setpoint.api.paging import Page, check, page_of
from setpoint.api.render import answer, shown
from setpoint.api.served import Served, demand
from setpoint.api.services import Services
from setpoint.api.sight import Sight
from setpoint.api.validate import SCOPES
from setpoint.engine.entity import Declared, Scope, State
from setpoint.engine.errors import Mistake
from setpoint.engine.intent import Intent
from setpoint.engine.kind import Kind
from setpoint.engine.rows import Tally
from setpoint.engine.store import DECLARED_PAGE, TALLIES, UNWELL

AnyJson = Any
LONGEST_TEXT: Final = 100
AT_ONCE: Final = 1000
WORST: Final = (State.FAILED, State.HELD, State.DEGRADED, State.PENDING)
Counted = Counter[tuple[str, str]]
"""By kind and state."""


class Inventory(Struct, frozen=True):
    """All kinds at once, for those who look at everything."""

    services: Services

    def routes(self) -> Iterator[Served]:
        known = demand("read", "catalog", "within")
        for level, base in BASES.items():
            if level != "installation":
                yield Served(f"{base}/inventory", self.page, known, lists=True)
                yield Served(f"{base}/inventory:summary", self.summary, known)
                yield Served(f"{base}/inventory:attention", self.attention, known)

    async def page(self, request: Request, subject: Subject) -> Response:
        """GET objects of every kind, or of `kind`; `text` is looked for in names and labels."""
        kinds, fields = self._kinds(request), set[str]()
        for kind in kinds:
            fields |= set(self.services.validators[kind.name].fields)
        text = request.query_params.get("text", "")[:LONGEST_TEXT].lower()
        asked = replace(asked_of(request, lambda: sorted(fields)), text=text)
        sight = Sight(self.services, subject)
        return await Collection(self.services, kinds, _scope(request), sight).shown(asked)

    async def summary(self, request: Request, subject: Subject) -> Response:
        """GET how many of each kind are in which state."""
        sight, found = Sight(self.services, subject), Counted()
        scope = _scope(request)
        tallies = await self.services.store.read(TALLIES, **to_builtins(scope))
        for tally in tallies:
            found += await self.seen(sight, tally)
        items = [{"kind": kind, "state": state, "count": n} for (kind, state), n in sorted(found.items())]
        return answer({"items": items, "next_page_token": ""})

    async def attention(self, request: Request, subject: Subject) -> Response:
        """GET what is not READY, worst first; what was never looked at is not among it."""
        page, sight = page_of(request), Sight(self.services, subject)
        seen: list[Declared] = []
        last, more, scanned = "", "", 0
        async for place, row in self._unwell(_scope(request), page):
            if len(seen) == page.size or scanned == SCANNED:
                more = last
                break
            last, scanned = place, scanned + 1
            seen += [row] if row.kind in self.services.kinds and sight.may_to("read", row) else []
        found = await Intent(self.services.store, self.services.kinds).joined(seen)
        return answer({"items": [shown(entity) for entity in found], "next_page_token": more})

    async def _unwell(self, scope: Scope, page: Page) -> AsyncIterator[tuple[str, Declared]]:
        """Rows after the page before, each with its place."""
        start, after = _worst(page.after)
        wanted = {**to_builtins(scope), "kind": "", "text": "", "limit": page.size + 1}
        for state in WORST[start:]:
            while rows := await self.services.store.read(UNWELL, **wanted, state=state, after=after):
                for row in rows:
                    yield f"{state}:{row.ref}", row
                after = rows[-1].ref
            after = ""

    async def seen(self, sight: Sight, tally: Tally) -> Counted:
        """The store's own count, where all of it is theirs to see; else one by one."""
        kind, now = self.services.kinds.get(tally.kind), self.services.runtime.now()
        if kind is None:
            return Counted()
        permission = Permission("read", key_of(kind))
        if sight.subject.may_everywhere(permission, tally.scope, now):
            return Counted({(tally.kind, tally.state or _first(kind)): tally.count})
        if not sight.subject.may_somewhere(permission, tally.scope, now):
            return Counted()
        return await self._one_by_one(sight, tally, tally.state or _first(kind))

    async def _one_by_one(self, sight: Sight, tally: Tally, state: str) -> Counted:
        found, after = Counted(), ""
        intent = Intent(self.services.store, self.services.kinds)
        place = {part: getattr(tally.scope, part) for part in SCOPES}
        while rows := await self.services.store.read(
            DECLARED_PAGE, kind=tally.kind, **place, after=after, limit=AT_ONCE
        ):
            seen = [row for row in rows if row.scope == tally.scope and sight.may_to("read", row)]
            for entity in await intent.joined(seen):
                found[tally.kind, state] += entity.status.state == state
            after = rows[-1].ref
        return found

    def _kinds(self, request: Request) -> tuple[Kind, ...]:
        name = request.query_params.get("kind", "")
        if name and name not in self.services.kinds:
            message = f"there is no kind {name[:64]!r}"
            check([Mistake(pointer="", code="bad_parameter", message=message, hint="see /v1/kinds")])
        return (self.services.kinds[name],) if name else tuple(self.services.kinds.values())


def _worst(token: str) -> tuple[int, str]:
    """Where a page begins: at which state, after which ref."""
    state, _, after = token.partition(":")
    if token and state not in WORST:
        message = "page_token is not one of this list; begin again without it"
        check([Mistake(pointer="", code="bad_parameter", message=message)])
    return (WORST.index(State(state)), after) if token else (0, "")


def _first(kind: Kind) -> State:
    """Before any pass, and for ever where none will come."""
    return State.PENDING if kind.loop is not None or kind.parent else State.READY


def _scope(request: Request) -> Scope:
    return Scope(*(request.path_params.get(part, "") for part in SCOPES))
