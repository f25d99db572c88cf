"""Which wakes are new. Rows are read, never events: what is missed once is read again."""

from collections.abc import Callable
from typing import Final

from msgspec import Struct, field

from setpoint.engine.entity import Ref
from setpoint.engine.rows import Wake
from setpoint.engine.store import ANYTHING, WAKES_AFTER, WOKEN, Store

REREAD_SECONDS: Final = 2.0
"""All wakes are read again this often: the hints only shorten the wait."""
PAGE: Final = 10_000
OVERLAP: Final = 1_000
"""So many of the latest are read again at every hint: ids are given before the commit, which may overtake."""


class Ear(Struct):
    """Remembers what it has heard, so that a failing turn is not woken by its own wake."""

    store: Store
    mine: Callable[[Ref], bool]
    _heard: set[str] = field(default_factory=set)
    _after: str = ""
    _whole_at: float = 0.0
    _news: bool = False

    def prick(self, moved: frozenset[str]) -> bool:
        """Whether a hint is about wakes: most commits wake nobody, and are no reason to read anything."""
        woken = not moved.isdisjoint((WOKEN, ANYTHING))
        self._news = self._news or woken
        return woken

    async def hear(self, now: float) -> list[Wake]:
        """Our wakes that were not heard before."""
        whole = now >= self._whole_at
        if not whole and not self._news:
            return []
        self._news = False  # Before the read: whoever is woken during it is read of once more.
        after = "" if whole else self._after
        rows = await self._rows(after)
        ours = [wake for wake in rows if self.mine(wake.ref)]
        new = [wake for wake in ours if wake.id not in self._heard]
        ids = {wake.id for wake in ours}
        self._heard = ids if whole else self._heard | ids
        self._after = rows[-OVERLAP].id if len(rows) > OVERLAP else after
        if whole:
            # A long list is read again less often: never more than a page in so many seconds.
            self._whole_at = now + REREAD_SECONDS * max(1, len(rows) // PAGE)
        return new

    def forget(self) -> None:
        """More is ours than before: wakes that were none of our business may be now."""
        self._heard, self._after, self._whole_at = set(), "", 0.0

    async def _rows(self, after: str) -> list[Wake]:
        found: list[Wake] = []
        while True:
            page = await self.store.read(WAKES_AFTER, after=after, limit=PAGE)
            found += page
            if len(page) < PAGE:
                return found
            after = page[-1].id
