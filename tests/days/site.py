"""Where a day is played: a loop file, and the platform as `bootstrap` builds it, both on virtual clocks."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack
from typing import Any, Final, Protocol

import msgspec

from days.oracle import Domain
from days.script import MINUTE, Wanted
from declarations import group, setting, workspace, zone
from setpoint.access.credential import hash_token
from setpoint.drive.installation import known
from setpoint.engine.entity import Declared, State, Status
from setpoint.engine.errors import Missing, Transient
from setpoint.engine.record import Recorded
from setpoint.engine.rows import Act, Installation, PlanRow, PlanState
from setpoint.engine.token import Token
from setpoint.loop.keyed import Keyed
from setpoint.loop.station import in_memory
from setpoint.loop.trial import Trial, VirtualRuntime
from setpoint.settings import Settings
from setpoint.sim.hetzner import Fault, HetznerSim, SimSettings
from setpoint.storage.memory import MemoryStore
from simulation.judge import Judge
from simulation.kernel import SimLoop
from simulation.machines import Machines
from simulation.network import Network
from simulation.phone import ADMINISTRATOR, Phone
from simulation.replica import TOKEN, Ground, Replica, started
from simulation.truth import Truth
from simulation.weather import CALM

AnyJson = Any
RECORDS: Final = "the records"
GROUP: Final = "the group"
ACME: Final = "/v1/organizations/acme"
SETTINGS: Final = Settings(
    heartbeat_seconds=600.0,
    lease_seconds=600.0,
    park_seconds=900.0,
    intervals={"dns_zone": 300.0, "host": 600.0, "agent": 600.0, "scaling_group": 600.0},
)
"""As for a quiet installation: a day is 24 hours long, and nobody edits anything in most of its minutes."""


class Site(Protocol):
    """One place to play at."""

    store: MemoryStore
    domains: Mapping[str, Domain]
    deletes_by_name: bool
    """Whether there are objects that a person can delete; a loop file only leaves out."""

    @property
    def now(self) -> float: ...

    async def wait(self, seconds: float) -> None: ...

    async def declare(self, wanted: Wanted, deleted: tuple[str, ...]) -> None: ...

    async def scale(self, size: int) -> None: ...

    async def outage(self, seconds: float) -> None: ...

    async def restart(self) -> None: ...

    async def approve(self, plan: PlanRow) -> None: ...

    def domain_of(self, ref: str) -> Domain: ...

    def wrong(self, wanted: Wanted, size: int) -> Iterator[str]: ...


def held_plans(site: Site) -> list[PlanRow]:
    return [plan for plan in site.store.shelves[PlanRow].all() if plan.state is PlanState.HELD]


def passes_of(site: Site, ref: str) -> list[Recorded]:
    return [recorded for recorded in site.store.shelves[Recorded].all() if recorded.ref == ref]


def acts_in(site: Site) -> list[Act]:
    return list(site.store.shelves[Act].all())


def refs_in(site: Site) -> list[str]:
    return sorted({recorded.ref for recorded in site.store.shelves[Recorded].all()})


class Vendor:
    """A service that keeps values by key, and is sometimes away."""

    def __init__(self) -> None:
        self.values: Wanted = {}
        self.is_away = False

    def answer(self) -> Wanted:
        if self.is_away:
            raise Transient("503: the vendor is away")
        return self.values


class Flags(Keyed):
    """Values by key at the vendor."""

    every = "5m"

    def __init__(self, vendor: Vendor) -> None:
        self.vendor = vendor
        self.wanted: Wanted = {}

    async def desired(self) -> Wanted:
        return dict(self.wanted)

    async def observe(self) -> Wanted:
        return dict(self.vendor.answer())

    async def put(self, key: str, value: str) -> None:
        self.vendor.answer()[key] = value

    async def delete(self, key: str) -> None:
        self.vendor.answer().pop(key, None)


class LoopSite:
    """The loop on a trial's clock; a restart builds everything but the store anew."""

    deletes_by_name = False

    def __init__(self, seed: int) -> None:
        self.store, self.runtime = MemoryStore(), VirtualRuntime(seed)
        self.flags = Flags(Vendor())
        self.domains = {RECORDS: Domain()}
        self._stack = AsyncExitStack()
        self._away_until = 0.0

    async def open(self) -> "LoopSite":
        station = await self._stack.enter_async_context(in_memory((self.flags,), self.runtime, self.store))
        self.trial = Trial(station, self.runtime, self.store)
        return self

    async def close(self) -> None:
        await self._stack.aclose()

    @property
    def now(self) -> float:
        return self.runtime.now()

    async def wait(self, seconds: float) -> None:
        while seconds > 0:
            span = min(seconds, MINUTE)
            self.flags.vendor.is_away = self.now < self._away_until
            await self.trial.run_for(span)
            seconds -= span

    async def declare(self, wanted: Wanted, deleted: tuple[str, ...]) -> None:
        self.flags.wanted = wanted

    async def scale(self, size: int) -> None:
        """A loop file has no group."""

    async def outage(self, seconds: float) -> None:
        self._away_until = self.now + seconds

    async def restart(self) -> None:
        await self.close()
        self.runtime.time += MINUTE  # In which nobody looks.
        await self.open()

    async def approve(self, plan: PlanRow) -> None:
        await self.trial.approve(reason="it is meant")

    def domain_of(self, ref: str) -> Domain:
        return self.domains[RECORDS]

    def wrong(self, wanted: Wanted, size: int) -> Iterator[str]:
        status = self.trial.status()
        if self.flags.vendor.values != wanted:
            yield f"the vendor has {self.flags.vendor.values}, declared are {wanted}"
        if status.state is not State.READY:
            yield f"{status.state}: {status.reason}"


class PlatformSite:
    """One replica of the platform before the simulated cloud, on the simulation's own event loop."""

    deletes_by_name = True

    def __init__(self, loop: SimLoop) -> None:
        self.loop, self.store = loop, MemoryStore(loop.now)
        settings = SimSettings(token=f"{TOKEN}-hetzner", max_agents=0, action_seconds=0.5)
        self.sim = HetznerSim(settings, now=loop.now)
        self.judge = Judge(loop, Truth(self.store, self.sim, "sim"))
        self.network = Network(loop, self.sim, self.judge, CALM)
        self.ground = Ground(
            loop, self.store, self.judge, self.network, Installation(id="sim"), settings=SETTINGS
        )
        self.phone = Phone(loop, self.network, lambda: [self.replica])
        self.machines = Machines(loop, self.sim, self.phone, SETTINGS.heartbeat_seconds)
        self.domains = {RECORDS: Domain(), GROUP: Domain()}

    async def open(self) -> "PlatformSite":
        token = Token(
            hash=hash_token(ADMINISTRATOR), subject="administrator", role="administrator", may_approve=True
        )
        self.store.shelves[Token].put(token.hash, token)
        await known(self.store, self.ground.installation)
        self.replica: Replica = started(self.ground, "replica")
        self.loop.spawn(None, self.machines.run(), "machines")
        await self._declared([*setting("http://cloud/v1"), workspace(), zone()], owner="platform.yaml")
        return self

    @property
    def now(self) -> float:
        return self.loop.now()

    async def wait(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def declare(self, wanted: Wanted, deleted: tuple[str, ...]) -> None:
        for key in deleted:
            await self._good("DELETE", f"{ACME}/projects/shop/dns_records/{key}")
        items = [_record(key, value) for key, value in wanted.items()]
        await self._declared(items, owner="records.yaml", prune=True)

    async def scale(self, size: int) -> None:
        await self._declared([group(size, cooldown_seconds=60.0)])

    async def outage(self, seconds: float) -> None:
        """Half of the time it says so, otherwise nobody answers."""
        if self.loop.chance.random() < 0.5:
            fault = self.sim.faults.add(Fault(kind="error", status=503))
            self.loop.soon(None, seconds, lambda: self.sim.faults.remove(fault))
        else:
            self.network.away_until[self.replica.process.name] = self.loop.time() + seconds

    async def restart(self) -> None:
        """Asked to stop, or killed; back within two minutes."""
        if self.loop.chance.random() < 0.5:
            await self.replica.stop()
        else:
            self.replica.kill("by the operator")
        await asyncio.sleep(self.loop.chance.uniform(5.0, 2 * MINUTE))
        self.replica = started(self.ground, "replica")

    async def approve(self, plan: PlanRow) -> None:
        body = {"reason": "it is meant", "digest": plan.digest}
        await self.phone.insist("POST", f"{ACME}/plans/{plan.id}:approve", body)

    def domain_of(self, ref: str) -> Domain:
        """Hosts have none of their own: they go when the group deletes them by name."""
        names = {"dns_zone": RECORDS, "scaling_group": GROUP}
        return self.domains.get(names.get(ref.partition("/")[0], ""), Domain())

    def wrong(self, wanted: Wanted, size: int) -> Iterator[str]:
        for row in self.store.shelves[Declared].all():
            status: Status | None = self.store.shelves[Status].get(row.ref)
            if row.kind in ("organization", "project"):
                continue
            if row.deleting or status is None or status.state is not State.READY:
                said = f"{status.state}: {status.reason}" if status else "not looked at"
                yield f"{row.kind} {row.name} {row.deleting or 'declared'}: {said}"
        cloud = self.sim._cloud
        there = {
            record.name: record.records[0].value
            for found in cloud.zones
            for record in cloud.rrsets.of(found)
            if record.name != "@"
        }
        if there != {key: _value(value)[1] for key, value in wanted.items()}:
            yield f"records at the cloud are {there}, declared are {wanted}"
        if len(cloud.servers) != size:
            yield f"there are {len(cloud.servers)} servers, declared are {size}"

    async def _declared(self, items: list[AnyJson], owner: str = "", *, prune: bool = False) -> None:
        await self._good("POST", f"{ACME}/declarations", {"items": items, "owner": owner, "prune": prune})

    async def _good(self, method: str, path: str, body: AnyJson = None) -> None:
        reply = await self.phone.insist(method, path, body)
        if not reply.good:
            raise Missing(f"{method} {path} was answered {reply.status}: {msgspec.json.decode(reply.body)}")


def _record(key: str, value: str) -> AnyJson:
    kind, written = _value(value)
    spec = {"zone": "example-org", "name": key, "type": kind, "values": [written]}
    return {"kind": "dns_record", "metadata": {"name": key, "project": "shop"}, "spec": spec}


def _value(value: str) -> tuple[str, str]:
    return ("CNAME", "www.example.net.") if value == "alias" else ("A", value)
