"""Objects as bytes: what was rendered once is not rendered again while what is stored is the same."""

from dataclasses import dataclass, field
from typing import Final

import msgspec

from setpoint.api.render import shown
from setpoint.engine.entity import Declared, Status
from setpoint.engine.kind import Kinds, entity_from

KEPT: Final = 10_000
"""About 15 MB, of objects as they are usually large."""
Stored = tuple[bytes, bytes | None]
"""A declaration and its status, as the store has them."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A pure function of two bodies, with a memory."""

    kinds: Kinds
    _known: dict[Stored, bytes] = field(default_factory=dict)

    def of(self, stored: Stored) -> bytes:
        found = self._known.get(stored)
        if found is None:
            found = self._rendered(stored)
            if len(self._known) >= KEPT:
                self._known.clear()
            self._known[stored] = found
        return found

    def _rendered(self, stored: Stored) -> bytes:
        declared = msgspec.json.decode(stored[0], type=Declared)
        status = msgspec.json.decode(stored[1], type=Status) if stored[1] is not None else None
        return msgspec.json.encode(shown(entity_from(self.kinds, declared, status)))
