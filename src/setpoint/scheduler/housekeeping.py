"""What nobody misses is taken away.

Recorded passes after thirty days, or when they fill a gigabyte; operations thirty days after they ended; what
was declared once after a year; answers that were kept for requests which might be sent again.
"""

from typing import Final

from msgspec import Struct

from setpoint.engine.entity import Ref
from setpoint.engine.record import KEPT_BYTES, KEPT_SECONDS, Recorded
from setpoint.engine.request import OPERATION_SECONDS, PAST_SECONDS, Attempt, Past
from setpoint.engine.rows import PlanRow, Task
from setpoint.engine.runtime import Runtime
from setpoint.engine.store import (
    ATTEMPTS_BEFORE,
    DECLARED_OF,
    PASSES_KEPT,
    PASSES_OLDEST,
    PASTS_BEFORE,
    QUESTIONS_OVER,
    TASKS_OF,
    TASKS_OVER,
    Change,
    Drop,
    Store,
    listed,
)

TURN: Final = Ref("housekeeping/passes")
EVERY_SECONDS: Final = 3600.0
AT_ONCE: Final = 200


class Housekeeping(Struct, frozen=True):
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
        ended = now - OPERATION_SECONDS
        tasks = await self._tasks(ended)
        questions = await self.store.read(QUESTIONS_OVER, limit=AT_ONCE)
        forgotten = (
            *(Drop(Task, row.id) for row in tasks),
            *(Drop(PlanRow, row.id) for row in questions if row.changed_at < ended),
            *(Drop(Recorded, row.id) for row in passes),
            *(Drop(Attempt, row.key) for row in attempts),
            *(Drop(Past, row.key) for row in pasts),
        )
        if not forgotten:
            return None
        await self.store.commit(Change(writes=forgotten))
        return 0.0

    async def _tasks(self, ended: float) -> list[Task]:
        """Those that ended before this and that nobody looks at."""
        found: list[Task] = []
        after = ""
        while len(found) < AT_ONCE:
            page = await self.store.read(TASKS_OVER, after=after, limit=AT_ONCE)
            old = [task for task in page if task.changed_at < ended]
            found += await self._unneeded(old)
            if len(page) < AT_ONCE or page[-1].created_at >= ended:
                break
            after = page[-1].id
        return found[:AT_ONCE]

    async def _unneeded(self, old: list[Task]) -> list[Task]:
        """All but the last one of what is declared: its loop still looks at how that went."""
        rows = await self.store.read(DECLARED_OF, refs=listed(task.target for task in old)) if old else ()
        last = {row.ref: (await self.store.read(TASKS_OF, target=row.ref))[0].id for row in rows}
        return [task for task in old if last.get(task.target) != task.id]
