"""The one store of all replicas, as each of them reaches it: slow, away, and with replies that get lost."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from setpoint.engine.entity import Declared
from setpoint.engine.errors import Transient
from setpoint.engine.rows import Sign
from setpoint.engine.store import Change, Identity, Lease, Leased, Query, Scalar, Stored
from setpoint.storage.memory import MemoryStore
from simulation.judge import Judge
from simulation.kernel import Process, SimLoop
from simulation.network import Network

RowT = TypeVar("RowT")


@dataclass
class ReplicaStore:
    """Commits are whole and in one order; everything around them is unreliable."""

    inner: MemoryStore
    loop: SimLoop
    judge: Judge
    network: Network
    process: Process
    owner: str
    away_until: float = 0.0

    async def commit(self, change: Change) -> None:
        await self._reached()
        self.judge.commits(change, self.owner)
        await self.inner.commit(change)
        self.judge.committed(change, self.owner)
        if self.network.hit("store_lost"):
            raise Transient("the store's answer got lost", landed=True)
        await self._latency()

    async def get(self, row: type[RowT], key: str) -> RowT | None:
        await self._reached()
        return await self.inner.get(row, key)

    async def read(self, query: Query[RowT], **values: Scalar) -> list[RowT]:
        await self._reached()
        return await self.inner.read(query, **values)

    async def bodies(self, query: Query[Declared], **values: Scalar) -> Sequence[Stored]:
        await self._reached()
        return await self.inner.bodies(query, **values)

    async def identity(self) -> Identity:
        await self._reached()
        return await self.inner.identity()

    async def lease(self, asked: Lease) -> Leased:
        await self._reached()
        before = self.judge.owners(asked.service)
        leased = await self.inner.lease(asked)
        self.judge.leased(leased, before)
        if self.network.hit("store_lost"):
            raise Transient("the store's answer got lost", landed=True)
        await self._latency()
        return leased

    async def sign(self, signs: Sequence[Sign], hint: str = "") -> None:
        await self._reached()
        await self.inner.sign(signs, hint)

    def listen(self, heard: Callable[[frozenset[str]], None]) -> Callable[[], None]:
        pending = False

        def deliver(moved: frozenset[str]) -> None:
            nonlocal pending
            pending = False
            heard(moved)

        def hint(moved: frozenset[str]) -> None:
            nonlocal pending
            if pending or not self.process.alive or self.network.hit("hint_lost"):
                return
            pending = True
            for _ in range(10 if self.network.hit("hint_repeated") else 1):
                delay = self.loop.chance.uniform(0.0, 0.05)
                self.loop.soon(self.process, delay, lambda: deliver(moved))

        return self.inner.listen(hint)

    async def close(self) -> None:
        """It is not ours to close."""

    async def _reached(self) -> None:
        await self.loop.here(self.process)
        if self.away_until > self.loop.time():
            await asyncio.sleep(self.loop.chance.uniform(0.05, 1.0))
            raise Transient("the store is away")
        if self.network.hit("store_refused"):
            raise Transient("the store refused the connection")
        await self._latency()
        await self.loop.here(self.process)
        if self.away_until > self.loop.time():
            raise Transient("the store went away before it was asked")

    async def _latency(self) -> None:
        """Most answers come at once; the moment of the others lets everybody else in between."""
        if self.network.hit("store_slow"):
            await asyncio.sleep(self.loop.chance.uniform(0.0, 1.5))
        elif self.loop.chance.random() < 0.2:
            await asyncio.sleep(self.loop.chance.uniform(0.0, 0.01))
