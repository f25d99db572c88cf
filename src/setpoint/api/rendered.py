"""Objects as bytes: what was rendered once is not rendered again while what is stored is the same.

Only the times of observations move by themselves. They end each object, so they are put behind what is kept;
a page that is asked for again and again gets new ones once a second.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from setpoint.api.contents import Contents
from setpoint.api.observations import Observations, Seen, Watched
from setpoint.api.render import shown, shown_rows, shown_seen, tag_of
from setpoint.engine.draft import etag
from setpoint.engine.entity import AnyEntity, Condition, Declared, State, Status
from setpoint.engine.kind import Kinds, first_status
from setpoint.engine.store import Stored
from setpoint.kinds.container import HOLDERS
from setpoint.storage.quarantine import BROKEN, unreadable

KEPT: Final = 10_000
"""About 15 MB, of objects as they are usually large."""
PAGES: Final = 50
"""About 5 MB, of pages as they are usually long."""
PAGE_SECONDS: Final = 1.0
END: Final = b"}}"
"""The end of a status, which is the end of an object."""
_DECLARED: Final = msgspec.json.Decoder(Declared)
_STATUS: Final = msgspec.json.Decoder(Status)
AnyJson = Any
KeyT = TypeVar("KeyT")
ValueT = TypeVar("ValueT")
Page = tuple[int, Sequence[Stored]]
"""How many objects a page has at most, and what was found: one more, if there are more."""


class Bytes(Struct, frozen=True):
    """What is answered, and its tag."""

    raw: bytes
    tag: str


class Kept(Struct, frozen=True):
    """One object as its rows have it, up to its times, and what tells those."""

    head: bytes
    version: str
    watched: Watched | None

    def with_times(self, seen: Seen) -> bytes:
        return self.head + b"," + msgspec.json.encode(shown_seen(seen))[1:] + END[1:]


class Rendered(Struct):
    """Pure functions of bodies, with a memory, and the times of observations."""

    kinds: Kinds
    observations: Observations
    _known: dict[Stored, Kept] = field(default_factory=dict)
    _pages: dict[Page, tuple[Bytes, float]] = field(default_factory=dict)
    _last: dict[int, tuple[Sequence[Stored], Bytes, float]] = field(default_factory=dict)
    """The very page that was rendered last, by its size, and when."""

    async def of(self, stored: Stored) -> Bytes:
        """One object. Its tag is what was declared, a dot, and all that is shown."""
        kept = await self._of(stored, self._contents())
        [seen] = await self.observations.of((kept.watched,))
        return _whole(kept, seen)

    def made(self, declared: Declared, status: Status | None) -> Bytes:
        """The same of the rows themselves, for what was written a moment ago."""
        kept = self._made(declared, status)
        [seen] = self.observations.known((kept.watched,))
        return _whole(kept, seen)

    async def objects(self, entities: Sequence[AnyEntity]) -> list[dict[str, AnyJson]]:
        """Objects as values, with their times; waits a moment where nobody has asked for those lately."""
        seen = await self.observations.of([self._watched(each) for each in entities])
        contents = self._contents()
        current = [await self.current(each, contents) for each in entities]
        return [shown(entity, times) for entity, times in zip(current, seen, strict=True)]

    async def current(self, entity: AnyEntity, contents: Contents | None = None) -> AnyEntity:
        """With what it holds now, if it holds anything."""
        status = await (contents or self._contents()).fill(entity.declared, entity.status)
        return replace(entity, status=status)

    def _contents(self) -> Contents:
        return Contents(self.observations.store)

    def object(self, entity: AnyEntity) -> dict[str, AnyJson]:
        """The same of one, with what is known by now."""
        [seen] = self.observations.known((self._watched(entity),))
        return shown(entity, seen)

    def _watched(self, entity: AnyEntity) -> Watched | None:
        return self.observations.watched(entity.declared, entity.status)

    async def page(self, size: int, stored: Sequence[Stored], token: Callable[[Declared], str]) -> Bytes:
        """So many objects, and the token of the last one where there are more."""
        now, last = self.observations.now(), self._last.get(size)
        # The store knows that nobody has committed since.
        if last is not None and last[0] is stored and now - last[2] < PAGE_SECONDS:
            return last[1]
        key = (size, tuple(stored))
        page, at = self._pages.get(key, (None, 0.0))
        if page is None or now - at >= PAGE_SECONDS:
            page, at = await self._page(size, stored, token), self.observations.now()
            _keep(self._pages, PAGES, key, (page, at))
        self._last[size] = (stored, page, at)
        return page

    async def _page(self, size: int, stored: Sequence[Stored], token: Callable[[Declared], str]) -> Bytes:
        contents = self._contents()
        rows = [each for each in stored[:size] if self._declared(each[0]) is not None]
        kept = [await self._of(each, contents) for each in rows]
        seen = await self.observations.of([each.watched for each in kept])
        items = b",".join([each.with_times(times) for each, times in zip(kept, seen, strict=True)])
        more = token(_DECLARED.decode(rows[-1][0])) if len(stored) > size and rows else ""
        raw = b'{"items":[%b],"next_page_token":"%b"}' % (items, more.encode())
        return Bytes(raw, tag_of(raw))

    async def _of(self, stored: Stored, contents: Contents) -> Kept:
        found = self._known.get(stored)
        if found is not None:
            return found
        declared = self._declared(stored[0])
        if declared is None:
            raise unreadable(Declared, tag_of(stored[0]))
        status = _status(declared, stored[1]) if stored[1] is not None else None
        if declared.kind in HOLDERS and status is not None:  # Never kept: what is inside has rows of its own.
            return self._made(declared, await contents.fill(declared, status))
        found = self._made(declared, status)
        _keep(self._known, KEPT, stored, found)
        return found

    def _declared(self, body: bytes) -> Declared | None:
        """None for a row that cannot be read; a list goes on without it."""
        try:
            return _DECLARED.decode(body)
        except BROKEN:
            unreadable(Declared, tag_of(body))
            return None

    def _made(self, declared: Declared, status: Status | None) -> Kept:
        rows = shown_rows(declared, status or first_status(self.kinds[declared.kind], declared))
        head = msgspec.json.encode(rows).removesuffix(END)
        return Kept(head, etag(declared), self.observations.watched(declared, status))


def _status(declared: Declared, body: bytes) -> Status:
    """As it lies there; one that cannot be read says so, and its object waits until it can be."""
    try:
        return _STATUS.decode(body)
    except BROKEN:
        why = str(unreadable(Status, declared.ref))
        told = Condition(type="Unreadable", status="True", reason="Unreadable", message=why)
        return Status(ref=declared.ref, state=State.DEGRADED, reason=why, conditions=(told,))


def _whole(kept: Kept, seen: Seen) -> Bytes:
    raw = kept.with_times(seen)
    return Bytes(raw, f"{kept.version}.{tag_of(raw)}")


def _keep(known: dict[KeyT, ValueT], most: int, key: KeyT, found: ValueT) -> None:
    if len(known) >= most:
        known.clear()
    known[key] = found
