"""A scheduler's own sign of life: the pulse of its loops, every few seconds while somebody looks at them.

Losing one is harmless, and when nobody looks nothing is written. It is kept under the first shard that we
own: at most as many as there are shards.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import islice
from typing import Final

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from setpoint.drive.ownership import Ownership
from setpoint.drive.pulse import LOOKED, LOOKED_SECONDS, PULSE, Beat, Key, Pulse
from setpoint.engine.agenda import Agenda
from setpoint.engine.entity import Declared, Ref
from setpoint.engine.errors import FAILURES
from setpoint.engine.rows import Sign
from setpoint.engine.store import DECLARED_OF, Store, listed, signs_of

EVERY_SECONDS: Final = 5.0
LISTENS_SECONDS: Final = 1.0
"""How soon the first who looks is told."""
COUNTED: Final = 1_000
"""So many of those that wait are looked up by name; where there are more, they stand for the others."""
MOST_QUEUED: Final = 20


class Beating(Struct, frozen=True):
    """Until cancelled."""

    store: Store
    now: Callable[[], float]
    pulse: Pulse
    agenda: Agenda
    ownership: Ownership

    async def run(self) -> None:
        while True:
            told = False
            with suppress(*FAILURES):  # The store is away: the next one tells as much.
                told = await self.beat()
            await asyncio.sleep(EVERY_SECONDS if told else LISTENS_SECONDS)

    async def beat(self) -> bool:
        """Once, and whether anything was told: nothing while no shard is ours, or nobody looks."""
        home = self.ownership.first
        if not home or not await self._is_looked_at():
            return False
        waiting = list(islice(self.agenda.waiting(), COUNTED))
        rows = await self.store.read(DECLARED_OF, refs=listed(waiting)) if waiting else []
        beats = with_due(self.pulse.beats(), rows, len(self.agenda) / max(1, len(waiting)))
        told = to_builtins(beats, str_keys=True)
        facts = {"owner": self.ownership.owner, "beats": told}
        await self.store.sign((Sign(ref=Ref(f"{PULSE}/{home}"), at=self.now(), facts=facts),))
        return True

    async def _is_looked_at(self) -> bool:
        looked = (await signs_of(self.store, (LOOKED,))).get(LOOKED)
        return looked is not None and self.now() - looked.at < LOOKED_SECONDS


def with_due(beats: Sequence[Beat], waiting: Sequence[Declared], each: float) -> tuple[Beat, ...]:
    """The beats with those that wait: each row stands for so many of them."""
    due: Counter[Key] = Counter()
    queues: dict[Key, list[Ref]] = {}
    for row in waiting:
        due[row.kind, row.scope] += 1
        queues.setdefault((row.kind, row.scope), []).append(row.ref)
    known = {(beat.kind, beat.scope): beat for beat in beats}
    known |= {key: Beat(kind=key[0], scope=key[1]) for key in due.keys() - known.keys()}
    return tuple(
        replace(beat, due=round(due[key] * max(1.0, each)), queue=tuple(queues.get(key, ())[:MOST_QUEUED]))
        for key, beat in known.items()
    )
