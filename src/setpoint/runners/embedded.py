"""Tasks as turns of our own drive: one step a turn, under the lease of its shard."""

from msgspec import Struct
from msgspec.structs import replace

from setpoint.engine.agenda import NEVER
from setpoint.engine.entity import Ref
from setpoint.engine.rows import Task, Wake
from setpoint.engine.store import WAKES_OF, Change, Drop
from setpoint.engine.tenure import Tenure
from setpoint.runners.steps import Steps


class EmbeddedRunner(Struct, frozen=True):
    """Needs nothing but the store."""

    steps: Steps
    tenure: Tenure

    async def turn(self, ref: Ref) -> float | None:
        """One step of one task. Returns when the next is due."""
        store, runtime = self.steps.store, self.steps.runtime
        wakes = await store.read(WAKES_OF, ref=ref)
        task = await store.get(Task, ref.partition("/")[2])
        heard = tuple(Drop(Wake, wake.id) for wake in wakes)
        if task is None or not task.open:
            if heard:
                await store.commit(Change(writes=heard))
            return None
        if not self.tenure.holds(task.target):
            return NEVER
        wait = task.due_at - runtime.now()
        if wait > 0 and await self.steps.cancellation(task) is None:
            return wait
        after, saved = await self.steps.step(task)
        if writes := (*saved.writes, *heard):
            fence = self.tenure.fence(task.target)
            await store.commit(replace(saved, expects=(fence, *saved.expects), writes=writes))
        return max(0.0, after.due_at - runtime.now()) if after.open else None
