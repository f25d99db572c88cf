"""What nobody misses is taken away.

Recorded passes after thirty days, or when they fill a gigabyte; what was declared once after a year;
answers that were kept for requests which might be sent again.
"""

from dataclasses import dataclass
from typing import Final

from setpoint.engine.entity import Ref
from setpoint.engine.record import KEPT_BYTES, KEPT_SECONDS, Recorded
from setpoint.engine.request import PAST_SECONDS, Attempt, Past
from setpoint.engine.runtime import Runtime
from setpoint.engine.store import (
    ATTEMPTS_BEFORE,
    PASSES_KEPT,
    PASSES_OLDEST,
    PASTS_BEFORE,
    Change,
    Drop,
    Store,
)

TURN: Final = Ref("housekeeping/passes")
EVERY_SECONDS: Final = 3600.0
AT_ONCE: Final = 200


@dataclass(frozen=True, slots=True)
class Housekeeping:
    """Forgets in small commits, so that nobody waits for it."""

    store: Store
    runtime: Runtime

    async def tidy(self) -> float | None:
        """One page; at once again while there is more to forget."""
        (kept,) = await self.store.read(PASSES_KEPT)
        now = self.runtime.now()
        before = now if kept.bytes > KEPT_BYTES else now - KEPT_SECONDS
        passes = await self.store.read(PASSES_OLDEST, before=before, limit=AT_ONCE)
        attempts = await self.store.read(ATTEMPTS_BEFORE, before=now, limit=AT_ONCE)
        pasts = await self.store.read(PASTS_BEFORE, before=now - PAST_SECONDS, limit=AT_ONCE)
        forgotten = (
            *(Drop(Recorded, row.id) for row in passes),
            *(Drop(Attempt, row.key) for row in attempts),
            *(Drop(Past, row.key) for row in pasts),
        )
        if not forgotten:
            return None
        await self.store.commit(Change(writes=forgotten))
        return 0.0
