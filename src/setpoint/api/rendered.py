"""Objects as bytes: what was rendered once is not rendered again while what is stored is the same."""

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

import msgspec
from msgspec import Struct, field

from setpoint.api.render import shown_rows, tag_of
from setpoint.engine.draft import etag
from setpoint.engine.entity import Declared, Status
from setpoint.engine.kind import Kinds, first_status
from setpoint.engine.store import Stored

KEPT: Final = 10_000
"""About 15 MB, of objects as they are usually large."""
PAGES: Final = 50
"""About 5 MB, of pages as they are usually long."""
_DECLARED: Final = msgspec.json.Decoder(Declared)
_STATUS: Final = msgspec.json.Decoder(Status)
KeyT = TypeVar("KeyT")
Page = tuple[int, Sequence[Stored]]
"""How many objects a page has at most, and what was found: one more, if there are more."""


class Bytes(Struct, frozen=True):
    """What is answered, and its tag."""

    raw: bytes
    tag: str


class Rendered(Struct, frozen=True):
    """Pure functions of bodies, with a memory."""

    kinds: Kinds
    _known: dict[Stored, Bytes] = field(default_factory=dict)
    _pages: dict[Page, Bytes] = field(default_factory=dict)
    _last: dict[int, tuple[Sequence[Stored], Bytes]] = field(default_factory=dict)
    """The very page that was rendered last, by its size."""

    def of(self, stored: Stored) -> Bytes:
        """One object. Its tag is what was declared, a dot, and all that is shown."""
        found = self._known.get(stored)
        if found is None:
            declared = _DECLARED.decode(stored[0])
            status = _STATUS.decode(stored[1]) if stored[1] is not None else None
            found = _kept(self._known, KEPT, stored, self.made(declared, status))
        return found

    def made(self, declared: Declared, status: Status | None) -> Bytes:
        """The same of the rows themselves, for what was written a moment ago."""
        status = status or first_status(self.kinds[declared.kind], declared)
        raw = msgspec.json.encode(shown_rows(declared, status))
        return Bytes(raw, f"{etag(declared)}.{tag_of(raw)}")

    def page(self, size: int, stored: Sequence[Stored], token: Callable[[Declared], str]) -> Bytes:
        """So many objects, and the token of the last one where there are more."""
        last = self._last.get(size)
        if last is not None and last[0] is stored:  # The store knows that nobody has committed since.
            return last[1]
        found = self._page(size, stored, token)
        self._last[size] = (stored, found)
        return found

    def _page(self, size: int, stored: Sequence[Stored], token: Callable[[Declared], str]) -> Bytes:
        key = (size, tuple(stored))
        found = self._pages.get(key)
        if found is None:
            items = b",".join([self.of(each).raw for each in stored[:size]])
            more = token(_DECLARED.decode(stored[size - 1][0])) if len(stored) > size else ""
            raw = b'{"items":[%b],"next_page_token":"%b"}' % (items, more.encode())
            found = _kept(self._pages, PAGES, key, Bytes(raw, tag_of(raw)))
        return found


def _kept(known: dict[KeyT, Bytes], most: int, key: KeyT, found: Bytes) -> Bytes:
    if len(known) >= most:
        known.clear()
    known[key] = found
    return found
