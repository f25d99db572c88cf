"""A whole world for scenario tests: simulated cloud, control plane and client over real sockets.

Tests steer the cloud behind everybody's back, declare over HTTP as people do, and judge by three things that
cannot agree by accident: what the API says, what the cloud's own log says, and what the journal on disk says.
"""

import asyncio
import contextlib
import json
import sqlite3
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import aiohttp

from declarations import setting
from foreign import overheard
from scrape import scrape
from setpoint.engine.entity import Ref
from setpoint.engine.rows import Act
from setpoint.settings import LOOPBACK, Settings
from setpoint.sim.hetzner import Effect, HetznerSim, SimSettings
from setpoint.sim.serve import running as sim_running
from setpoint.storage.form import decoded
from setpoint.up import Running, running

AnyJson = Any
TOKEN = "for-scenario-tests"  # noqa: S105 - opens nothing but the simulators of these tests
ENOUGH = 90.0
"""Seconds to wait for a condition: a busy machine is slow, not wrong, and a green test waits no longer."""
ORGANIZATION = "/v1/organizations/acme"
PROJECT = f"{ORGANIZATION}/projects/shop"
WORKSPACE = f"{PROJECT}/workspaces/prod"
KINDS = (
    "providers",
    "dns_zones",
    "dns_records",
    "workspaces",
    "scaling_groups",
    "hosts",
    "agents",
    "monitoring_objects",
)


def quick(data: Path, **changed: Any) -> Settings:
    """Settings with which minutes pass in seconds."""
    usual: dict[str, Any] = {
        "data": str(data),
        "port": 0,
        "heartbeat_seconds": 0.5,
        "settle_seconds": 0.6,
        "call_seconds": 2.0,
        "park_seconds": 60.0,
        "inventory_seconds": 0.2,
        "intervals": {},
        "limits": {"probation_gap": 0.3},
        "private_networks": LOOPBACK,
        "provider_networks": LOOPBACK,
    }
    return Settings(**(usual | changed))


@dataclass(frozen=True)
class Reply:
    """One answer of the API."""

    status: int
    body: AnyJson


@dataclass(frozen=True)
class Plane:
    """A control plane as its users reach it, and the folder it keeps its database in."""

    url: str
    data: Path
    session: aiohttp.ClientSession

    async def call(self, method: str, path: str, body: AnyJson = None) -> Reply:
        async with self.session.request(method, self.url + path, json=body) as response:
            raw = await response.read()
            return Reply(response.status, json.loads(raw) if raw.startswith((b"{", b"[")) else raw.decode())

    async def good(self, method: str, path: str, body: AnyJson = None) -> AnyJson:
        """The body of an answer that must not be a refusal."""
        reply = await self.call(method, path, body)
        assert reply.status < 300, f"{method} {path}: {reply}"
        return reply.body

    async def declare(self, items: Sequence[AnyJson], owner: str = "", *, prune: bool = False) -> AnyJson:
        body = {"items": list(items), "owner": owner, "prune": prune}
        return (await self.good("POST", f"{ORGANIZATION}/declarations", body))["items"]

    async def every(self, path: str, scope: str = ORGANIZATION) -> list[AnyJson]:
        """All items of a list, page by page."""
        found: list[AnyJson] = []
        after = ""
        while True:
            page = await self.good("GET", f"{scope}/{path}?page_size=500&page_token={after}")
            found += page["items"]
            after = page["next_page_token"]
            if not after:
                return found

    async def named(self, plural: str, name: str) -> AnyJson:
        """The object of that name, or None."""
        return next((o for o in await self.every(plural) if o["metadata"]["name"] == name), None)

    async def events(self, kind: str) -> list[AnyJson]:
        return [event for event in await self.every("events") if event["type"] == kind]

    async def held_plan(self) -> AnyJson:
        """The one plan that waits for a person."""
        plans = (await self.good("GET", f"{ORGANIZATION}/plans?state=held"))["items"]
        assert len(plans) == 1, plans
        return await self.good("GET", f"{ORGANIZATION}/plans/{plans[0]['id']}")

    async def decide(self, plan: AnyJson, verb: str, *, digest: str = "", reason: str = "checked") -> Reply:
        body = {"reason": reason, "digest": digest or plan["digest"]}
        return await self.call("POST", f"{ORGANIZATION}/plans/{plan['id']}:{verb}", body)

    def acts(self) -> list[Act]:
        """The act journal as it is on disk, in the order the acts began."""
        path = f"file:{self.data / 'setpoint.db'}?mode=ro"
        with contextlib.closing(sqlite3.connect(path, uri=True, timeout=10)) as database:
            rows = database.execute("SELECT body FROM act").fetchall()
        return sorted((decoded(Act, row[0]) for row in rows), key=lambda act: (act.began_at, act.id))

    def open_acts(self) -> list[Act]:
        return [act for act in self.acts() if act.open]

    async def story(self) -> str:
        """What a person would want to see when a test waits in vain."""
        lines = []
        for kind in KINDS:
            for one in (await self.every(kind))[:60]:
                status, name = one["status"], one["metadata"]["name"]
                lines.append(
                    f"{kind} {name}: {status['state']} {one['metadata']['deleting']} {status['reason']}"
                )
        lines += [f"open act: {act.verb} {act.item} of {act.domain}" for act in self.open_acts()]
        lines += [f"act: {act.state} {act.verb} {act.item} {act.detail}" for act in self.acts()[-10:]]
        return "\n".join(lines)


@dataclass
class World:
    """Cloud and control plane in one process."""

    sim: HetznerSim
    sim_url: str
    plane: Plane
    run: Running
    _marks: list[int] = field(default_factory=lambda: [0])
    _begun: Counter[str] = field(default_factory=Counter)
    _ended: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        """Counts the turns of every entity: one that was under way already proves nothing about now."""
        drive = self.run.application.scheduling
        take = drive.turns.take

        async def counting(ref: Ref) -> float | None:
            self._begun[ref] += 1
            try:
                return await take(ref)
            finally:
                self._ended[ref] += 1

        drive.turns = replace(drive.turns, take=counting)

    def setting(self, **provider: Any) -> list[AnyJson]:
        """Organization, project and a provider that may do everything."""
        return setting(f"{self.sim_url}/v1", **provider)

    def effects(self, verb: str = "", resource: str = "") -> list[Effect]:
        """What really happened at the cloud since `mark`, by our hand."""
        return [
            e
            for e in self.sim.effects[self._marks[-1] :]
            if e.by == "api" and verb in ("", e.verb) and resource in ("", e.resource)
        ]

    def mark(self) -> None:
        """Effects are counted from here on."""
        self._marks.append(len(self.sim.effects))

    async def sim_call(self, method: str, path: str, body: AnyJson = None) -> AnyJson:
        """What somebody else with the same token does at the cloud."""
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with (
            aiohttp.ClientSession(headers=headers) as session,
            session.request(method, self.sim_url + path, json=body) as response,
        ):
            answer = await response.json()
            assert response.ok, answer
            return answer

    async def found_zone(self, numbers: Iterable[int], value: str = "192.0.2.1") -> None:
        """A zone that stands at the cloud already, with records nobody marked."""
        rrsets = [
            {"name": f"r{number}", "type": "A", "ttl": 300, "records": [{"value": value}]}
            for number in numbers
        ]
        body = {"name": "example.org", "mode": "primary", "rrsets": rrsets}
        await self.sim_call("POST", "/v1/zones", body)
        self.mark()

    async def waves(self, zone: str = "example-org") -> list[int]:
        """How many acts each pass over a zone made: what a pass tells at its end lies between two waves."""
        ref = (await self.plane.named("dns_zones", zone))["metadata"]["ref"]
        sizes = [0]
        for event in await self.plane.every("events"):
            if event["ref"] == ref and event["type"].startswith("act."):
                sizes[-1] += 1
            elif sizes[-1]:
                sizes.append(0)
        return [size for size in sizes if size]

    async def until(self, condition: Callable[[], Awaitable[Any]], what: str, within: float = ENOUGH) -> Any:
        return await until(condition, what, self.plane.story, within)

    async def all_ready(self, plural: str, number: int, within: float = ENOUGH) -> list[AnyJson]:
        """Waits until there are exactly that many and each is READY at its newest generation."""

        async def ready() -> list[AnyJson] | None:
            found = await self.plane.every(plural)
            return found if len(found) == number and all(is_ready(one) for one in found) else None

        return await self.until(ready, f"{number} {plural} READY", within)

    async def in_state(self, plural: str, name: str, state: str, says: str = "") -> AnyJson:
        """Waits until one object is in a state, with these words in its reason."""

        async def there() -> AnyJson:
            one = await self.plane.named(plural, name)
            good = one and one["status"]["state"] == state and says in one["status"]["reason"]
            return one if good else None

        return await self.until(there, f"{plural} {name} {state} {says!r}")

    async def passes(self, kind: str, number: int) -> None:
        """Waits until the loop of this kind has finished that many more passes."""
        goal = self._passes(kind) + number

        async def counted() -> bool:
            return self._passes(kind) >= goal

        await self.until(counted, f"{number} more passes of {kind}")

    async def looked(self, kind: str, name: str, number: int = 1) -> None:
        """Wakes one entity that many times, and waits each time for a turn that began afterwards."""
        ref = (await self.plane.named(f"{kind}s", name))["metadata"]["ref"]
        for _ in range(number):
            goal = self._begun[ref] + 1
            self.wake(ref)

            async def over(goal: int = goal) -> bool:
                return self._ended[ref] >= goal

            await self.until(over, f"a turn of {kind} {name}")

    def wake(self, ref: str) -> None:
        """As if a timer had gone off: looked at now."""
        drive = self.run.application.scheduling
        drive.agenda.at(ref, 0.0)  # type: ignore[arg-type]
        drive._hint.set()

    def _passes(self, kind: str) -> int:
        name = "setpoint_pass_duration_seconds_count"
        outcomes = ("acted", "quiet", "failed")
        found = scrape(self.run.application.meter.render())
        return int(sum(found.value(name, kind=kind, outcome=outcome) or 0 for outcome in outcomes))


@contextlib.asynccontextmanager
async def simulator(port: int = 0, **settings: Any) -> AsyncIterator[tuple[HetznerSim, str]]:
    """A simulated cloud with actions that take next to no time."""
    chosen: dict[str, Any] = {"token": TOKEN, "action_seconds": 0.0, "agent_grace_seconds": 0.5} | settings
    sim = HetznerSim(SimSettings(**chosen), now=time.time)
    async with sim_running(sim, port=port) as url:
        yield sim, url


@contextlib.asynccontextmanager
async def control_plane(data: Path, **settings: Any) -> AsyncIterator[tuple[Plane, Running]]:
    """The real application in this process, with the simulator's token among its secrets."""
    keep_secret(data, "hetzner", TOKEN)
    async with running(quick(data, **settings)) as run, overheard(run), client(run.url, run.token) as session:
        yield Plane(run.url, data, session), run


@contextlib.asynccontextmanager
async def world(data: Path, sim: dict[str, Any] | None = None, **settings: Any) -> AsyncIterator[World]:
    async with simulator(**(sim or {})) as (cloud, url), control_plane(data, **settings) as (plane, run):
        yield World(cloud, url, plane, run)


@contextlib.asynccontextmanager
async def client(url: str, token: str, *ears: aiohttp.TraceConfig) -> AsyncIterator[aiohttp.ClientSession]:
    headers = {"Authorization": f"Bearer {token}"}
    timeout = aiohttp.ClientTimeout(total=30)
    async with aiohttp.ClientSession(headers=headers, timeout=timeout, trace_configs=[*ears]) as session:
        yield session


def keep_secret(data: Path, name: str, value: str) -> None:
    folder = data / "secrets"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(value)


async def until(
    condition: Callable[[], Awaitable[Any]],
    what: str,
    story: Callable[[], Awaitable[str]],
    within: float = ENOUGH,
) -> Any:
    """The first answer of a condition that is true; after the deadline, an error that shows the state."""
    deadline, pause = time.monotonic() + within, 0.01
    while not (answer := await condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {within:.0f} s in vain for: {what}\n{await story()}")
        await asyncio.sleep(pause)
        pause = min(0.2, 1.3 * pause)
    return answer


def is_ready(one: AnyJson) -> bool:
    """READY, and about what is declared now."""
    newest = one["status"]["observed_generation"] == one["metadata"]["generation"]
    return bool(one["status"]["state"] == "READY" and newest)


def counted(effects: Iterable[Effect]) -> Counter[str]:
    """How often each thing was touched, by its name."""
    return Counter(effect.name for effect in effects)
