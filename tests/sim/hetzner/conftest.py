"""The world of these tests: a simulator on a real socket, a raw client and the vendor's own SDK.

Every response that leaves the simulator in any of these tests is held against the specification."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import pytest
from hcloud import Client
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from setpoint.sim.hetzner import HetznerSim, SimSettings
from setpoint.sim.serve import running

from . import specification

TOKEN = "for-tests"  # noqa: S105 - opens nothing but the simulator of these tests
ROTATED = "another-token-for-tests"
ENOUGH = 90.0


class Clock:
    """Time that stands still until a test moves it."""

    def __init__(self) -> None:
        self.time = 1_800_000_000.0

    def __call__(self) -> float:
        return self.time

    def pass_by(self, seconds: float) -> None:
        self.time += seconds


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: Any

    @property
    def code(self) -> str:
        return str(self.body["error"]["code"])

    @property
    def bad_fields(self) -> set[str]:
        return {one["name"] for one in self.body["error"]["details"]["fields"]}

    def names(self, key: str) -> list[str]:
        return [item["name"] for item in self.body[key]]


@dataclass
class World:
    """A simulator that is up, and ways to talk to it."""

    sim: HetznerSim
    url: str
    clock: Clock
    session: aiohttp.ClientSession
    token: str = TOKEN

    async def call(self, method: str, path: str, **options: Any) -> Reply:
        headers = {"Authorization": f"Bearer {self.token}"} | options.pop("headers", {})
        async with self.session.request(method, self.url + path, headers=headers, **options) as response:
            body = await response.json() if response.content_type == "application/json" else None
            return Reply(response.status, {key.lower(): one for key, one in response.headers.items()}, body)

    async def get(self, path: str, /, **params: Any) -> Reply:
        return await self.call("GET", f"/v1{path}", params=params)

    async def post(self, path: str, /, **body: Any) -> Reply:
        return await self.call("POST", f"/v1{path}", json=body)

    async def put(self, path: str, /, **body: Any) -> Reply:
        return await self.call("PUT", f"/v1{path}", json=body)

    async def delete(self, path: str) -> Reply:
        return await self.call("DELETE", f"/v1{path}")

    async def steer(self, path: str, /, **body: Any) -> Reply:
        return await self.call("POST", f"/_sim{path}", json=body)

    async def judge(self, path: str) -> Any:
        return (await self.call("GET", f"/_sim{path}")).body

    async def new_server(self, name: str, **more: Any) -> int:
        """The id of a server that is there; its action may still be under way."""
        body = {"name": name, "server_type": "cx22", "image": "debian-12"} | more
        created = await self.post("/servers", **body)
        assert created.status == 201, created.body
        return int(created.body["server"]["id"])

    async def new_zone(self, name: str = "example.com", **more: Any) -> str:
        created = await self.post("/zones", **({"name": name, "mode": "primary"} | more))
        assert created.status == 201, created.body
        return name

    async def status_is(self, server: int, status: str) -> None:
        async def reached() -> bool:
            return bool((await self.get(f"/servers/{server}")).body["server"]["status"] == status)

        await eventually(reached)

    async def finished(self, reply: Reply) -> str:
        """The status in which the action of a reply ends."""
        action = reply.body["action"]["id"]

        async def over() -> str:
            status = str((await self.get(f"/actions/{action}")).body["action"]["status"])
            return "" if status == "running" else status

        return await eventually(over)


async def eventually(condition: Callable[[], Awaitable[Any]]) -> Any:
    """The first answer of a condition that is true."""
    async with asyncio.timeout(ENOUGH):
        # What is waited for happens behind a socket or in another process: there is no event to wait on.
        while not (answer := await condition()):  # noqa: ASYNC110
            await asyncio.sleep(0.005)
    return answer


@dataclass
class Watched:
    """A simulator whose every response is kept, to be held against the specification."""

    sim: HetznerSim
    seen: list[tuple[str, str, int, bytes]] = field(default_factory=list)

    @property
    def app(self) -> ASGIApp:
        return self._watch

    async def close(self) -> None:
        await self.sim.close()

    async def _watch(self, scope: Scope, receive: Receive, send: Send) -> None:
        status, body = 0, b""

        async def keep(message: Message) -> None:
            nonlocal status, body
            status = message.get("status", status)
            body += message.get("body", b"")
            await send(message)

        await self.sim.app(scope, receive, keep)
        if status and scope["path"].startswith("/v1/"):
            self.seen.append((scope["method"], scope["path"].removeprefix("/v1"), status, body))


@pytest.fixture
def settings() -> SimSettings:
    return SimSettings(token=TOKEN, more_tokens=(ROTATED,), action_seconds=0.02, agent_grace_seconds=0.5)


@pytest.fixture
async def world(settings: SimSettings) -> AsyncIterator[World]:
    clock = Clock()
    watched = Watched(HetznerSim(settings, now=clock))
    async with running(watched) as url, aiohttp.ClientSession() as session:
        yield World(watched.sim, url, clock, session)
    if specification.AVAILABLE:
        assert [mistake for seen in watched.seen for mistake in specification.mistakes(*seen)] == []


@pytest.fixture
async def sdk(world: World) -> AsyncIterator[Callable[..., Awaitable[Any]]]:
    """Runs a function of the vendor's client beside the event loop, as the client is not asynchronous."""
    client = Client(TOKEN, api_endpoint=f"{world.url}/v1", poll_interval=0.01, timeout=ENOUGH)

    async def run(use: Callable[[Client], Any]) -> Any:
        return await asyncio.to_thread(use, client)

    yield run
    # The client has no close of its own, and an open socket at the end is a warning.
    client._client._session.close()
    client._client_hetzner._session.close()
