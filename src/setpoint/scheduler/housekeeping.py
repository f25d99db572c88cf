"""What nobody misses is taken away: recorded passes after thirty days, or when they fill a gigabyte."""

from dataclasses import dataclass
from typing import Final

from setpoint.engine.entity import Ref
from setpoint.engine.record import KEPT_BYTES, KEPT_SECONDS, Recorded
from setpoint.engine.runtime import Runtime
from setpoint.engine.store import PASSES_KEPT, PASSES_OLDEST, Change, Drop, Store

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
        old = await self.store.read(PASSES_OLDEST, before=before, limit=AT_ONCE)
        if not old:
            return None
        await self.store.commit(Change(writes=tuple(Drop(Recorded, row.id) for row in old)))
        return 0.0
