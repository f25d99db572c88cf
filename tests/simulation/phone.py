"""Calls to our API: to any replica that is there, over a line that may lose them."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from setpoint.providers.wire import Asked, Reply
from simulation.asgi import called
from simulation.kernel import SimLoop
from simulation.network import Network
from simulation.replica import Replica

AnyJson = Any
ADMINISTRATOR: Final = "the-administrator"
PATIENCE: Final = 10.0


@dataclass
class Phone:
    """Calls to any replica that is there."""

    loop: SimLoop
    network: Network
    replicas: Callable[[], list[Replica]]

    async def insist(self, method: str, path: str, body: AnyJson = None, key: str = ADMINISTRATOR) -> Reply:
        """Asks again until somebody answers; a conflict is asked about anew a few times."""
        conflicts = 0
        while True:
            reply = await self.ask(method, path, body, key)
            if reply is not None and (not _may_help(reply) or conflicts > 5):
                return reply
            conflicts += reply is not None and reply.status == 409
            await asyncio.sleep(self.loop.chance.uniform(0.1, 2.0))

    async def ask(
        self, method: str, path: str, body: AnyJson = None, key: str = ADMINISTRATOR
    ) -> Reply | None:
        """One call; None if nobody answered, whatever was done."""
        there = [replica for replica in self.replicas() if replica.alive]
        if not there or self.network.hit("call_lost"):
            await asyncio.sleep(0.5)
            return None
        answer: asyncio.Future[Reply] = self.loop.create_future()
        replica = self.loop.chance.choice(there)
        handling = self._handled(replica, (method, path, body, key), answer)
        task = self.loop.spawn(replica.process, handling, "api")
        try:
            async with asyncio.timeout(PATIENCE):
                reply = await answer
        except TimeoutError:
            # What is said next must not be overtaken by this: nobody could tell then what was meant.
            while replica.alive and not task.done():  # noqa: ASYNC110 - it may die, which no event tells
                await asyncio.sleep(1.0)
            return None
        self.loop.note("api", method, path, reply.status)
        return None if self.network.hit("reply_lost") else reply

    async def _handled(
        self, replica: Replica, asked: tuple[str, str, AnyJson, str], answer: "asyncio.Future[Reply]"
    ) -> None:
        method, path, body, key = asked
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        raw = None if body is None else msgspec.json.encode(body)
        await self.loop.here(replica.process)
        try:
            reply = await called(
                replica.application.api, Asked(method, f"http://setpoint{path}", headers, raw)
            )
        except Exception as error:  # noqa: BLE001 - an error that no handler caught is a finding
            self.loop.violated("bug", f"{method} {path} raised {error!r}")
            return
        if reply.status == 500:
            self.loop.violated("bug", f"{method} {path} was answered 500: {reply.body!r}")
        if not answer.done():
            answer.set_result(reply)


def _may_help(reply: Reply) -> bool:
    """Whether asking again may help, as a refusal says itself."""
    return not reply.good and bool(msgspec.json.decode(reply.body).get("retryable"))
