"""What waits in one lane of the agenda: keys in batches, batches by tenant, tenants by turns."""

from collections import deque

from msgspec import Struct, field

from setpoint.engine.entity import Ref
from setpoint.engine.rows import Lane


class Batch(Struct, eq=False):
    """Keys of one tenant in one lane, due at the same time; those that are elsewhere by now do not count."""

    urgency: int  # The less the more.
    tenant: str
    slot: int = 0  # When they will be due; 0: they are.
    since: float = 0.0
    keys: list[Ref] = field(default_factory=list)
    taken: int = 0  # How many, from the front, have had their turn or are elsewhere.
    absent: int = 0  # How many left before their turn.


class Queue(Struct, eq=False):
    """What one tenant has waiting in one lane, in the order it came."""

    tenant: str
    batches: deque[Batch] = field(default_factory=deque)
    number: int = 0


class Line(Struct, eq=False):
    """What waits in one lane: a ring of tenants."""

    urgency: int
    lane: Lane
    ring: deque[Queue] = field(default_factory=deque)
    queues: dict[str, Queue] = field(default_factory=dict)  # The same, by their tenants.
    served: int = 0  # At which turn of the agenda this line was last served.
    last: str | None = None
    head: Batch | None = None  # Whose key is next, while that is known.

    def next(self, places: dict[Ref, Batch]) -> Batch:
        """With the oldest key of the tenant whose turn it is; nobody has two turns while another waits."""
        ring = self.ring
        if len(ring) > 1 and ring[0].tenant == self.last:
            ring.rotate(-1)
        batches = ring[0].batches
        batch = batches[0]
        while True:
            if batch.taken == len(batch.keys):
                batches.popleft()
                batch = batches[0]
            elif batch.absent and places.get(batch.keys[batch.taken]) is not batch:
                batch.taken += 1
            else:
                self.head = batch
                return batch
