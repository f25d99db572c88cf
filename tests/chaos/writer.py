"""Somebody who writes all the time, one object or many at once, and remembers what was acknowledged."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from random import Random

import aiohttp

from declarations import channel
from fleet import Fleet
from harness import ORGANIZATION, AnyJson

CHANNELS = f"{ORGANIZATION}/notification_channels"
BULK = 40
OWN, SHARED, BULKS = 3, 2, 3


@dataclass(frozen=True)
class Written:
    """One object as an answer showed it: what a number says is never said twice."""

    name: str
    generation: int
    number: int


@dataclass
class Writer:
    """Asks whichever API answers; a connection that breaks says nothing about what was done."""

    name: str
    here: Fleet
    numbers: Iterator[int]
    chance: Random
    acknowledged: list[Written] = field(default_factory=list)
    refused: set[int] = field(default_factory=set)
    done: Counter[str] = field(default_factory=Counter)
    _stopped: bool = False

    async def write(self) -> None:
        kinds: tuple[Callable[[int], Coroutine[None, None, None]], ...] = (self._new, self._again, self._bulk)
        while not self._stopped:
            with contextlib.suppress(OSError, TimeoutError, aiohttp.ClientError):
                await self.chance.choice(kinds)(next(self.numbers))
            await asyncio.sleep(0.02)

    def stop(self) -> None:
        """After the answer that is waited for: one that nobody waits for could still be written down."""
        self._stopped = True

    async def _new(self, number: int) -> None:
        await self._send("POST", CHANNELS, channel(f"{self.name}-new-{number}", number), number)

    async def _again(self, number: int) -> None:
        """One of its own, or one that all of them write."""
        own = self.chance.random() < 0.7
        name = f"{self.name}-{number % OWN}" if own else f"shared-{number % SHARED}"
        await self._send("PUT", f"{CHANNELS}/{name}", channel(name, number), number)

    async def _bulk(self, number: int) -> None:
        items = [channel(name, number) for name in bulk(f"{self.name}-{number % BULKS}")]
        body = {"items": items, "owner": "", "prune": False}
        await self._send("POST", f"{ORGANIZATION}/declarations", body, number)

    async def _send(self, method: str, path: str, body: AnyJson, number: int) -> None:
        status, said = await self.here.call(method, path, body)
        assert status < 500 or status == 503, said
        self.done[f"{method} {'bulk' if 'items' in body else 'one'} {status}"] += 1
        if status < 300:
            self.acknowledged += map(written, said.get("items", [said]))
        elif status < 500:
            self.refused.add(number)


def bulk(name: str) -> list[str]:
    """The names of one bulk declaration; it says the same number of all of them."""
    return [f"bulk-{name}-{each}" for each in range(BULK)]


def written(shown: AnyJson) -> Written:
    metadata = shown["metadata"]
    number = int(shown["spec"]["url"].rpartition("/")[2])
    return Written(metadata["name"], metadata["generation"], number)
