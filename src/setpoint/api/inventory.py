"""Everything that is declared in a scope, whatever its kind: as one list, and counted by state."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from msgspec import Struct, to_builtins
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.permission import Permission, key_of
from setpoint.access.subject import Subject
from setpoint.api.address import BASES
from setpoint.api.collection import SCANNED, Collection, asked_of
from setpoint.api.paging import check, page_of
from setpoint.api.render import answer
from setpoint.api.served import Served, demand
from setpoint.api.services import Services
from setpoint.api.sight import Sight
from setpoint.api.unwell import unwell
from setpoint.api.validate import SCOPES
from setpoint.engine.entity import Declared, Scope, State
from setpoint.engine.errors import Mistake
from setpoint.engine.intent import Intent
from setpoint.engine.kind import Kind
from setpoint.engine.rows import Tally
from setpoint.engine.store import BY_CREATED, TALLIES

AnyJson = Any
LONGEST_TEXT: Final = 100
AT_ONCE: Final = 1000
UNSEEN: Final = "-"
"""No state is called so: what was never looked at is found by it."""
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
        found = unwell(self.services.store, _scope(request), page.size + 1, page.after)
        async for place, row in found:
            if len(seen) == page.size or scanned == SCANNED:
                more = last
                break
            last, scanned = place, scanned + 1
            seen += [row] if row.kind in self.services.kinds and sight.may_to("read", row) else []
        joined = await Intent(self.services.store, self.services.kinds).joined(seen)
        return answer({"items": await self.services.rendered.objects(joined), "next_page_token": more})

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
        """Each row once, however many states there are: only those of this tally are read."""
        count, after = 0, ""
        wanted = {"kind": tally.kind, **to_builtins(tally.scope), "text": "", "value": "", "limit": AT_ONCE}
        said = tally.state or UNSEEN
        while rows := await self.services.store.read(
            BY_CREATED, **wanted, state=said, unseen=UNSEEN, after=after
        ):
            count += sum(row.scope == tally.scope and sight.may_to("read", row) for row in rows)
            after = rows[-1].ref
        return Counted({(tally.kind, state): count} if count else {})

    def _kinds(self, request: Request) -> tuple[Kind, ...]:
        name = request.query_params.get("kind", "")
        if name and name not in self.services.kinds:
            message = f"there is no kind {name[:64]!r}"
            check([Mistake(pointer="", code="bad_parameter", message=message, hint="see /v1/kinds")])
        return (self.services.kinds[name],) if name else tuple(self.services.kinds.values())


def _first(kind: Kind) -> State:
    """Before any pass, and for ever where none will come."""
    return State.PENDING if kind.loop is not None or kind.parent else State.READY


def _scope(request: Request) -> Scope:
    return Scope(*(request.path_params.get(part, "") for part in SCOPES))
