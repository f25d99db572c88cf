"""The collection of one kind as a list: filtered, in an order, in pages, with bounded work for each."""

import base64
import binascii
import math
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
from setpoint.api.paging import MAX_SIZE, Page, page_of
from setpoint.api.render import Ready, answer, shown
from setpoint.api.services import Services
from setpoint.api.sight import Sight
from setpoint.engine.entity import AnyEntity, Declared, Scope, State
from setpoint.engine.errors import Mistake
from setpoint.engine.intent import Intent
from setpoint.engine.kind import Kind
from setpoint.engine.store import (
    BY_CHANGED,
    BY_CHANGED_DOWN,
    BY_CREATED,
    BY_CREATED_DOWN,
    BY_NAME,
    BY_NAME_DOWN,
    DECLARED_PAGE,
    UNWELL,
    Query,
    Scalar,
)

AnyJson = Any
SCANNED: Final = 5_000
"""So many objects are looked at for one page. A filter that leaves fewer gets a shorter page, and a token."""
COUNTED: Final = 10_000
"""So many are looked at for a total."""
REMEMBERED: Final = 100
LAST: Final = "\U0010ffff"
"""Comes after any text there is."""
WALKS: Final = {
    ("created", False): BY_CREATED,
    ("created", True): BY_CREATED_DOWN,
    ("name", False): BY_NAME,
    ("name", True): BY_NAME_DOWN,
    ("changed", False): BY_CHANGED,
    ("changed", True): BY_CHANGED_DOWN,
}
ORDERS: Final = tuple(dict.fromkeys(by for by, _ in WALKS))
SEEN: Final = (State.FAILED, State.HELD, State.DEGRADED)
"""States that only a pass says of something, and of few."""
Mark = tuple[str | float, str]
"""Where a page ended: what it is sorted by, and the ref."""


class Order(Struct, frozen=True):
    by: str = "created"
    down: bool = False

    @property
    def plain(self) -> bool:
        """Refs rise in the order in which they are made."""
        return self.by == "created" and not self.down

    @property
    def start(self) -> Mark:
        """Before the first one."""
        if not self.down:
            return (0.0 if self.by == "changed" else "", "")
        return (math.inf if self.by == "changed" else LAST, LAST)

    def mark(self, row: Declared) -> Mark:
        match self.by:
            case "name":
                return (row.name, row.ref)
            case "changed":
                return (row.changed_at, row.ref)
            case _:
                return ("", row.ref)


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
        """All that the store itself leaves out."""
        state = self.page.state
        return {"text": self.text, "state": state, "unseen": "" if state in SEEN else state}

    def wants(self, entity: AnyEntity) -> bool:
        if not self.page.wants(entity) or not _mentions(entity.declared, self.text):
            return False
        return self.filter is None or self.filter.wants(shown(entity))

    def body(self, entity: AnyEntity) -> dict[str, AnyJson]:
        whole = shown(entity)
        return masked(whole, self.fields) if self.fields else whole


def asked_of(request: Request, spec_fields: Callable[[], Sequence[str]]) -> Asked:
    """From the query; all mistakes in one refusal."""
    query = request.query_params
    wanted, wrong = read_filter(query["filter"]) if query.get("filter") else (None, ())
    fields, misspelt = read_fields(query["fields"], spec_fields()) if query.get("fields") else ((), ())
    order, disordered = _order(query.get("order_by", "created"))
    after, broken = _mark(query.get("page_token", ""), order)
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
        page = self.services.rendered.page(size, found, lambda last: _token(order, order.mark(last)))
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
            "items": [asked.body(entity) for entity in found],
            "next_page_token": _token(asked.order, more) if more else "",
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
        intent = Intent(self.services.store, self.services.kinds)
        async for rows in self._read(asked):
            seen = [row for row in rows if self.sight.may_to("read", row)]
            joined = {entity.ref: entity for entity in await intent.joined(seen) if asked.wants(entity)}
            for row in rows:
                yield row, joined.get(row.ref)

    async def _read(self, asked: Asked) -> AsyncIterator[Sequence[Declared]]:
        """In steps: no more than the page needs, where nothing is left out of it here."""
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


def _mentions(row: Declared, text: str) -> bool:
    labels = (f"{key}={value}" for key, value in row.labels.items())
    return not text or any(text in each.lower() for each in (row.name, *labels))


def _order(text: str) -> tuple[Order, tuple[Mistake, ...]]:
    by, _, way = text.strip().partition(" ")
    down = way.strip() == "desc" or by.startswith("-")
    by = by.removeprefix("-")
    if by not in ORDERS or way.strip() not in ("", "asc", "desc"):
        message = f"order_by is one of {', '.join(ORDERS)}, each also with desc after it, not {text[:64]!r}"
        return Order(), (Mistake(pointer="", code="bad_parameter", message=message),)
    return Order(by, down), ()


def _token(order: Order, mark: Mark) -> str:
    raw = msgspec.json.encode([order.by, order.down, *mark])
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _mark(token: str, order: Order) -> tuple[Mark | None, tuple[Mistake, ...]]:
    """Where the page before ended; a token goes on in its own order only."""
    if not token:
        return None, ()
    try:
        raw = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
        by, down, value, ref = msgspec.json.decode(raw, type=tuple[str, bool, str | float, str])
    except (binascii.Error, msgspec.MsgspecError, ValueError):
        by, down, value, ref = "", False, "", ""
    if (by, down) != (order.by, order.down) or isinstance(value, float) != (by == "changed"):
        message = "page_token is not one of this list in this order; begin again without it"
        return None, (Mistake(pointer="", code="bad_parameter", message=message),)
    return (value, ref), ()
