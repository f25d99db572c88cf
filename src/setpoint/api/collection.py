"""The collection of one kind as a list: filtered, in an order, in pages, with bounded work for each."""

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.permission import Permission, key_of
from setpoint.api.filter import Filter, read_filter
from setpoint.api.mask import Path, masked, read_fields
from setpoint.api.order import WALKS, Mark, Order, read_mark, read_order, token_of
from setpoint.api.paging import MAX_SIZE, Page, page_of
from setpoint.api.problem import Refused
from setpoint.api.render import Ready, answer
from setpoint.api.rendered import Rendered
from setpoint.api.services import Services
from setpoint.api.sight import Sight
from setpoint.engine.entity import AnyEntity, Declared, Scope, State
from setpoint.engine.intent import Intent
from setpoint.engine.kind import Kind
from setpoint.engine.store import DECLARED_PAGE, UNWELL, Query, Scalar

AnyJson = Any
SCANNED: Final = 5_000
"""So many objects are looked at for one page. A filter that leaves fewer gets a shorter page, and a token."""
SORTED: Final = 10_000
"""So many of all organizations can be put in another order than that in which they were made."""
COUNTED: Final = 10_000
"""So many are looked at for a total."""
REMEMBERED: Final = 100
SEEN: Final = (State.FAILED, State.HELD, State.DEGRADED)
"""States that only a pass says of something, and of few."""


class Asked(Struct, frozen=True):
    """What a request wants of a collection."""

    page: Page
    order: Order
    filter: Filter | None
    fields: tuple[Path, ...]
    total: bool
    after: Mark | None
    text: str = ""
    """What its name, or one of its labels, has in it."""

    @property
    def plain(self) -> bool:
        """Whether all there is is wanted, whole and in the order in which it was made."""
        chosen = self.page.filtered or self.filter is not None or self.fields or self.total or self.text
        return self.order.plain and not chosen

    @property
    def walk(self) -> Query[Declared]:
        """Which question the store is asked: where a state is rare, along those that are in it."""
        rare = self.order.plain and self.page.state in SEEN
        return UNWELL if rare else WALKS[self.order.by, self.order.down]

    @property
    def narrowed(self) -> dict[str, Scalar]:
        """All that the store itself leaves out; what it lets through is looked at once more."""
        state = self.page.state
        labels = (f"{key}={value}".lower() for key, value in self.page.labels.items())
        text = max(labels, key=len, default=self.text)
        return {"text": text, "state": state, "unseen": "" if state in SEEN else state}

    def wants(self, entity: AnyEntity, rendered: Rendered) -> bool:
        if not self.page.wants(entity) or not _mentions(entity.declared, self.text):
            return False
        return self.filter is None or self.filter.wants(rendered.object(entity))

    async def bodies(self, entities: Sequence[AnyEntity], rendered: Rendered) -> list[dict[str, AnyJson]]:
        whole = await rendered.objects(entities)
        return [masked(each, self.fields) for each in whole] if self.fields else whole


def asked_of(request: Request, spec_fields: Callable[[], Sequence[str]]) -> Asked:
    """From the query; all mistakes in one refusal."""
    query = request.query_params
    wanted, wrong = read_filter(query["filter"]) if query.get("filter") else (None, ())
    fields, misspelt = read_fields(query["fields"], spec_fields()) if query.get("fields") else ((), ())
    order, disordered = read_order(query.get("order_by", "created"))
    after, broken = read_mark(query.get("page_token", ""), order)
    page = page_of(request, State, (*wrong, *misspelt, *disordered, *broken))
    return Asked(page, order, wanted, fields, query.get("total") in ("1", "true"), after)


class Wishes(Struct, frozen=True):
    """What queries ask for: the same few come again and again, and each is read once."""

    _known: dict[bytes, Asked] = field(default_factory=dict)

    def of(self, request: Request, spec_fields: Callable[[], Sequence[str]]) -> Asked:
        query: bytes = request.scope["query_string"]
        found = self._known.get(query)
        if found is None:
            found = asked_of(request, spec_fields)
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            self._known[query] = found
        return found


class Collection(Struct, frozen=True):
    """What one subject sees of one kind, or of all, in one scope."""

    services: Services
    kinds: tuple[Kind, ...]
    """One, or all there are."""
    scope: Scope
    sight: Sight

    @property
    def _called(self) -> str:
        """As the store takes it: no name is every kind."""
        return self.kinds[0].name if len(self.kinds) == 1 else ""

    async def shown(self, asked: Asked) -> Response:
        """A page as JSON; what is plain is passed through as it lies in the store."""
        now = self.services.runtime.now()
        permissions = [Permission("read", key_of(kind)) for kind in self.kinds]
        may = self.sight.subject.may_everywhere
        if not asked.plain or not all(may(each, self.scope, now) for each in permissions):
            return answer(await self.page(asked))
        size, after = asked.page.size, asked.after[1] if asked.after else ""
        scope = msgspec.to_builtins(self.scope)
        found = await self.services.store.bodies(
            DECLARED_PAGE, kind=self._called, **scope, after=after, limit=size + 1
        )
        order = asked.order
        rendered = self.services.rendered
        page = await rendered.page(size, found, lambda last: token_of(order, order.mark(last)))
        return Ready(page.raw, page.tag)

    async def page(self, asked: Asked) -> dict[str, AnyJson]:
        found: list[AnyEntity] = []
        more: Mark | None = None
        scanned = 0
        async for row, entity in self._entities(asked):
            if len(found) == asked.page.size and entity is not None:
                more = asked.order.mark(found[-1].declared)
                break
            found += [entity] if entity is not None else []
            scanned += 1
            if scanned >= SCANNED:
                more = asked.order.mark(row)
                break
        body: dict[str, AnyJson] = {
            "items": await asked.bodies(found, self.services.rendered),
            "next_page_token": token_of(asked.order, more) if more else "",
        }
        return {**body, "total": await self._total(asked)} if asked.total else body

    async def _total(self, asked: Asked) -> dict[str, AnyJson]:
        """How many there are, or at least how many."""
        count = scanned = 0
        async for _, entity in self._entities(replace(asked, order=Order(), after=None)):
            scanned += 1
            count += entity is not None
            if scanned >= COUNTED:
                return {"count": count, "exact": False}
        return {"count": count, "exact": True}

    async def _entities(self, asked: Asked) -> AsyncIterator[tuple[Declared, AnyEntity | None]]:
        """Every row after the mark, in order, with its entity where that is wanted and theirs to see."""
        intent, rendered = Intent(self.services.store, self.services.kinds), self.services.rendered
        async for rows in self._read(asked):
            seen = [row for row in rows if self.sight.may_to("read", row)]
            wanted = (entity for entity in await intent.joined(seen) if asked.wants(entity, rendered))
            joined = {entity.ref: entity for entity in wanted}
            for row in rows:
                yield row, joined.get(row.ref)

    async def _read(self, asked: Asked) -> AsyncIterator[Sequence[Declared]]:
        """In steps: no more than the page needs, where nothing is left out of it here."""
        if not self.scope.organization and any(kind.level != "installation" for kind in self.kinds):
            async for rows in self._everywhere(asked):
                yield rows
            return
        whole = all(self.sight.may("read", key_of(kind), self.scope) for kind in self.kinds)
        step = asked.page.size + 1 if whole and not asked.page.labels and asked.filter is None else MAX_SIZE
        wanted = {"kind": self._called, **msgspec.to_builtins(self.scope), **asked.narrowed, "limit": step}
        value, after = asked.after or asked.order.start
        while True:
            rows = await self.services.store.read(asked.walk, **wanted, value=value, after=after)
            yield rows
            if len(rows) < step:
                return
            value, after = asked.order.mark(rows[-1])

    async def _everywhere(self, asked: Asked) -> AsyncIterator[Sequence[Declared]]:
        """Across all organizations, which no index has in another order than that of being made."""
        after = asked.after[1] if asked.after and asked.order.plain else ""
        found: list[Declared] = []
        while True:
            rows = await self.services.store.read(
                DECLARED_PAGE,
                kind=self._called,
                **msgspec.to_builtins(self.scope),
                after=after,
                limit=MAX_SIZE,
            )
            if asked.order.plain:
                yield rows
            found += () if asked.order.plain else rows
            if len(found) > SORTED:
                raise _too_many(self.kinds, asked.order)
            if len(rows) < MAX_SIZE:
                break
            after = rows[-1].ref
        found.sort(key=asked.order.mark, reverse=asked.order.down)
        left = [row for row in found if _follows(asked, row)]
        for start in range(0, len(left), MAX_SIZE):
            yield left[start : start + MAX_SIZE]


def _mentions(row: Declared, text: str) -> bool:
    labels = (f"{key}={value}" for key, value in row.labels.items())
    return not text or any(text in each.lower() for each in (row.name, *labels))


def _follows(asked: Asked, row: Declared) -> bool:
    if asked.after is None:
        return True
    mark = asked.order.mark(row)
    return mark < asked.after if asked.order.down else mark > asked.after


def _too_many(kinds: tuple[Kind, ...], order: Order) -> Refused:
    called = kinds[0].plural if len(kinds) == 1 else "objects"
    detail = f"more than {SORTED} {called} are in all organizations, too many to sort by {order.by}"
    hint = "ask in one organization, or in the order in which they were made"
    return Refused(422, "too_many_to_sort", detail, hint=hint)
