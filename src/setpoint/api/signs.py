"""Signs of life: kept in memory, written once a moment; the first after a silence wakes its host."""

import asyncio
from contextlib import suppress
from typing import Any, Final

from msgspec import Struct, field

from setpoint.api.services import Services
from setpoint.engine.entity import Declared, Ref
from setpoint.engine.errors import FAILURES
from setpoint.engine.rows import Sign, Wake, told
from setpoint.engine.store import Change, Put

AnyJson = Any
SILENCES: Final = 3
"""Silence is this many heartbeats missed."""
RESUMED: Final = "host.heartbeat_resumed"


class Signs(Struct):
    """Coalesces heartbeats. `run` writes them; losing the last moment of them is harmless."""

    services: Services
    every: float
    _last: dict[Ref, Sign] = field(default_factory=dict)
    _unwritten: dict[Ref, Sign] = field(default_factory=dict)

    async def beat(self, agent: Declared, facts: dict[str, AnyJson]) -> None:
        """One heartbeat of an agent that has proven who it is."""
        sign = Sign(ref=agent.ref, at=self.services.runtime.now(), facts=facts)
        before = self._last.get(agent.ref)
        self._last[agent.ref] = self._unwritten[agent.ref] = sign
        if before is None or sign.at - before.at > SILENCES * self.every or before.facts != facts:
            await self._heard_again(agent, sign)

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            await asyncio.sleep(min(1.0, self.every / 2))
            with suppress(*FAILURES):  # The store is away: the next moment brings them, and newer ones.
                await self.flush()

    async def flush(self) -> None:
        signs, self._unwritten = self._unwritten, {}
        if not signs:
            return
        try:
            await self.services.store.sign(tuple(signs.values()))
        except FAILURES:
            self._unwritten = signs | self._unwritten
            raise

    async def _heard_again(self, agent: Declared, sign: Sign) -> None:
        """Written at once, then told: whoever is woken by it must find it."""
        await self.services.store.sign((sign,))
        woken = (agent.ref, *((agent.parent,) if agent.parent else ()))
        new_id = self.services.runtime.new_id
        wakes = tuple(Put(Wake(id=new_id(), ref=ref, reason=RESUMED)) for ref in woken)
        await self.services.store.commit(
            Change(writes=wakes, events=(told(agent, RESUMED, "heard from", sign.at),))
        )
