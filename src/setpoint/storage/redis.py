"""Hints through Redis: a topic for each organization. Losing them costs time, and nothing else."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from typing import Any, Final

from redis.asyncio import Redis
from redis.exceptions import RedisError

from setpoint.engine.store import ANYTHING
from setpoint.storage.patience import Patience

ERRORS: Final = (RedisError, OSError, TimeoutError)
CONNECT_SECONDS: Final = 5.0
CANCEL_SECONDS: Final = 0.5
QUIET_SECONDS: Final = 30.0


class RedisNotices:
    """One connection that listens and one that tells, from the moment this exists until `close`.

    Beside the services, others may follow: the topic `NAME:ORGANIZATION` says that something of it moved, as
    the next step of a task.
    """

    def __init__(
        self, url: str, name: str, me: str, patience: Patience, heard: Callable[[frozenset[str]], None]
    ) -> None:
        self._redis: Any = Redis.from_url(
            url, socket_connect_timeout=CONNECT_SECONDS, health_check_interval=int(QUIET_SECONDS)
        )
        self._name, self._me = name, me
        self._patience, self._heard = patience, heard
        self._untold: set[str] = set()
        self._news = asyncio.Event()
        self._tasks = [
            asyncio.create_task(self._listen(), name="setpoint-hears-redis"),
            asyncio.create_task(self._publish(), name="setpoint-tells-redis"),
        ]

    def tell(self, moved: frozenset[str]) -> None:
        """Soon, and together with what else moves until then."""
        if moved:
            self._untold |= moved
            self._news.set()

    async def close(self) -> None:
        for task in self._tasks:
            # The client may take a cancel that meets its own time-out for that: it is said until it is heard.
            while not task.done():
                task.cancel()
                await asyncio.wait([task], timeout=CANCEL_SECONDS)
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._redis.aclose()

    async def _publish(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            untold, self._untold = self._untold, set()
            # What is not told now is found by whoever reads again in two seconds.
            with suppress(*ERRORS):
                async with self._redis.pipeline(transaction=False) as lines:
                    for organization in sorted(untold):
                        lines.publish(f"{self._name}:{organization}", self._me)
                    await lines.execute()

    async def _listen(self) -> None:
        while True:
            await self._patience.wait()
            with suppress(*ERRORS):
                async with aclosing(self._messages()) as messages:
                    async for organization, sender in messages:
                        if sender != self._me.encode():
                            self._heard(frozenset({organization}))
            self._patience.failed()

    async def _messages(self) -> AsyncGenerator[tuple[str, bytes], None]:
        async with self._redis.pubsub() as subscription:
            await subscription.psubscribe(f"{self._name}:*")
            self._patience.succeeded()
            self._heard(frozenset({ANYTHING}))  # Whatever was told while nobody listened.
            async for message in subscription.listen():
                if message["type"] == "pmessage":
                    # Anybody may publish: what cannot be read says that something happened, and no more.
                    channel = message["channel"].decode(errors="replace")
                    yield channel.removeprefix(f"{self._name}:"), message["data"]
