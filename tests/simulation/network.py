"""The way to the cloud: the real client on this side, the real simulator on the other, faults between.

What the cloud does is a task of its own: whoever asked for it may be killed or tired of waiting meanwhile.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from setpoint.providers.wire import Asked, Lost, Reply, Unreachable, require_time
from setpoint.sim.hetzner import HetznerSim
from simulation.asgi import called
from simulation.judge import ACT, Judge
from simulation.kernel import Process, SimLoop
from simulation.weather import LATE_SECONDS, Weather

READS: Final = ("GET", "HEAD")
REFUSALS: Final = ((429, "rate_limit_exceeded"), (500, "server_error"), (502, "bad_gateway"), (423, "locked"))
LISTS: Final = ("/v1/servers", "/v1/zones", "/v1/firewalls")


@dataclass
class Network:
    """Between every replica and the cloud."""

    loop: SimLoop
    sim: HetznerSim
    judge: Judge
    weather: Weather
    away_until: dict[str, float] = field(default_factory=dict)
    """By process name: no way through until then."""

    def hit(self, fault: str) -> bool:
        """Whether this fault strikes now."""
        if self.loop.chance.random() >= getattr(self.weather, fault):
            return False
        self.loop.counted[fault] += 1
        return True

    def latency(self) -> float:
        return (
            self.loop.chance.uniform(0.5, 4.0) if self.hit("slow") else self.loop.chance.uniform(0.002, 0.1)
        )

    async def exchange(self, asked: Asked, process: Process) -> Reply:
        """One request of this process and its reply, if fate lets it."""
        await self.loop.here(process)
        require_time()
        self.judge.sends(asked)
        if self.away_until.get(process.name, 0.0) > self.loop.time():
            await asyncio.sleep(self.loop.chance.uniform(0.01, 1.0))
            raise Unreachable("no route to host")
        if self.hit("refused"):
            await asyncio.sleep(0.01)
            raise Unreachable("connection refused")
        reply: asyncio.Future[Reply] = self.loop.create_future()
        self.loop.spawn(None, self._served(asked, reply), "cloud")
        if self.weather.heard_late and asked.method in READS and self.hit("heard_late"):
            self.loop.pause(process, self.loop.chance.uniform(0.0, 40.0))
        async with asyncio.timeout(asked.seconds):
            return await reply

    async def _served(self, asked: Asked, reply: "asyncio.Future[Reply]") -> None:
        """On the other side; nobody can stop this."""
        writes = asked.method not in READS
        if self.hit("dropped"):
            return
        await asyncio.sleep(self._arrives_in() if writes and self.hit("late") else self.latency())
        answer = self._refusal() if self.hit("refusing") else await self._handled(asked)
        if writes and self.judge.may_repeat(asked) and self.hit("twice"):
            await asyncio.sleep(self.loop.chance.uniform(0.0, 1.0))
            again = await self._handled(asked)
            answer = self.loop.chance.choice((answer, again))
        if writes and self.hit("failing_after"):
            answer = self._error(502, "bad_gateway")
        if self.hit("lost"):
            return
        await asyncio.sleep(self.latency())
        if self.hit("truncated"):
            answer = replace(answer, body=answer.body[: len(answer.body) // 2])
        if not reply.done():
            self._tell(reply, answer)

    def _tell(self, reply: "asyncio.Future[Reply]", answer: Reply) -> None:
        if answer.body and self.loop.chance.random() < self.weather.lost / 10:
            reply.set_exception(Lost("connection reset by peer"))
        else:
            reply.set_result(answer)

    def _arrives_in(self) -> float:
        """Late: around the deadline of the act it belongs to, or after it."""
        act = ACT.get()
        latest = 8.0 if act is None else act.deadline - self.loop.now() + LATE_SECONDS
        return self.loop.chance.uniform(0.5, max(1.0, latest))

    async def _handled(self, asked: Asked) -> Reply:
        before = len(self.sim._cloud.log._effects)
        answer = await called(self.sim.app, asked)
        self.judge.happened(self.sim._cloud.log._effects[before:], asked)
        return self._lied(asked, answer)

    def _lied(self, asked: Asked, answer: Reply) -> Reply:
        """A listing without everything, or without something, whose numbers look honest all the same."""
        path = asked.url.partition("://")[2].partition("/")[2]
        listing = asked.method == "GET" and f"/{path}".endswith((*LISTS, "/rrsets"))
        if not listing or "name" in (asked.params or {}) or not answer.good:
            return answer
        if self.hit("empty"):
            return _without(answer, lambda items: [])
        if self.hit("hidden"):
            unlucky = self.loop.chance.random()
            return _without(
                answer, lambda items: [i for n, i in enumerate(items) if n != int(unlucky * len(items))]
            )
        return answer

    def _refusal(self) -> Reply:
        status, code = self.loop.chance.choice(REFUSALS)
        return self._error(status, code)

    def _error(self, status: int, code: str) -> Reply:
        body = msgspec.json.encode({"error": {"code": code, "message": "a fault was asked for here"}})
        says_when = status == 429 and self.loop.chance.random() < 0.5
        return Reply(status, {"Retry-After": "2"} if says_when else {}, body)


def _without(answer: Reply, kept: Any) -> Reply:
    body = msgspec.json.decode(answer.body)
    noun = next(key for key in body if key != "meta")
    body[noun] = kept(body[noun])
    body["meta"]["pagination"]["total_entries"] = len(body[noun])
    return replace(answer, body=msgspec.json.encode(body))


@dataclass(frozen=True)
class SimWire:
    """One process's end of it."""

    network: Network
    process: Process

    async def ask(self, asked: Asked) -> Reply:
        return await self.network.exchange(asked, self.process)

    async def close(self) -> None:
        """Nothing is open."""
