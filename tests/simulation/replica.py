"""One process of ours: the application as `bootstrap` builds it, on the one store and the simulated cloud."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

from setpoint.access.credential import enrolled, enrolment, hash_token
from setpoint.bootstrap import Application, Parts, build
from setpoint.capabilities.world import Destination, Opened
from setpoint.drive.runtime import RealRuntime
from setpoint.engine.entity import Ref
from setpoint.engine.rows import Installation
from setpoint.settings import Settings
from setpoint.storage.memory import MemoryStore
from simulation.failover import Noting
from simulation.judge import SKEW_SECONDS, Judge
from simulation.kernel import Process, SimLoop
from simulation.network import Network, SimWire
from simulation.shared_store import ReplicaStore

DIGITS: Final = "0123456789abcdefghjkmnpqrstvwxyz"
TOKEN: Final = "for-the-simulation"  # noqa: S105 - opens nothing but a simulated cloud
SETTINGS: Final = Settings(
    call_seconds=8.0,
    settle_seconds=15.0,
    park_seconds=12.0,
    heartbeat_seconds=5.0,
    inventory_seconds=2.0,
    intervals={
        "dns_zone": 20.0,
        "host": 12.0,
        "provider": 60.0,
        "workspace": 30.0,
        "scaling_group": 20.0,
        "agent": 30.0,
    },
    limits={"slow_seconds": 40.0, "brake_probe_seconds": 10.0, "probation_gap": 2.0},
)


class Secrets:
    """A token for each account."""

    async def open(
        self, organization: str, name: str, by: Ref, to: Destination, *, newest: bool = False
    ) -> Opened:
        return Opened(value=f"{TOKEN}-{name.rpartition('/')[2]}")

    async def used(self, organization: str, name: str, by: Ref, version: int) -> None:
        """There is one version."""


async def given(host: Ref, act: str) -> str:
    """A server's token: nobody here forges a signature, so none is made, and no time passes over it."""
    return enrolment(host, act, 2 * hash_token(f"{TOKEN} {host} {act}"))  # As long as a signature.


async def is_given(token: str) -> bool:
    host, act, _ = enrolled(token)
    return token == await given(host, act)


@dataclass
class Clock:
    """A process's own view of time: a little off, and its ids rise with it."""

    loop: SimLoop
    skew: float
    rate: float
    _last: int = 0

    def now(self) -> float:
        return self.loop.now() + self.skew

    def monotonic(self) -> float:
        return 1_000.0 + self.loop.time() * self.rate

    def new_id(self) -> str:
        self._last = max(self._last + 1, int(self.now() * 1000) << 10)
        return _digits(self._last, 11) + _digits(self.loop.chance.getrandbits(45), 9)


@dataclass
class Ground:
    """What all replicas stand on."""

    loop: SimLoop
    store: MemoryStore
    judge: Judge
    network: Network
    installation: Installation
    frozen: Callable[[str], None] = lambda point: None
    """Told of whoever is frozen at a named point: the moment to do something nasty."""
    inspected: bool = False
    """Whether replicas look now and then which database this is: only where it may become another."""
    settings: Settings = SETTINGS


@dataclass
class Replica:
    """A process while it lives; a restart makes another one."""

    ground: Ground
    process: Process
    store: ReplicaStore
    application: Application
    tasks: tuple[asyncio.Task[Any], ...] = ()

    @property
    def alive(self) -> bool:
        return self.process.alive

    def kill(self, why: str) -> None:
        self.ground.loop.note("killed", self.process.name, why)
        self.process.alive = False

    async def stop(self) -> None:
        """As a signal would ask it to."""
        self.application.stop()
        await asyncio.wait(self.tasks[:2], timeout=30.0)
        self.process.alive = False


def started(ground: Ground, name: str) -> Replica:
    """A fresh process under a name of its own."""
    loop = ground.loop
    clock = Clock(loop, loop.chance.uniform(-SKEW_SECONDS, SKEW_SECONDS), loop.chance.uniform(0.999, 1.001))
    owner = clock.new_id()
    process = Process(f"{name}/{owner[-4:]}")
    store = ReplicaStore(ground.store, loop, ground.judge, ground.network, process, owner)
    parts = Parts(
        store=store,
        runtime=RealRuntime(clock.now, clock.new_id, Random(loop.chance.getrandbits(64))),  # noqa: S311
        secrets=Secrets(),
        installation=ground.installation,
        owner=owner,
        alone=False,
        settings=ground.settings,
        url="http://setpoint",
        key="of the simulation",
        enrolment=given,
        genuine=is_given,
        monotonic=clock.monotonic,
        new_secret=lambda: f"{loop.chance.getrandbits(128):032x}",
        wire=lambda _: SimWire(ground.network, process),
        outbound=lambda _: SimWire(ground.network, process),
        reached=_at_points(ground, process),
    )
    loop.note("started", process.name)
    replica = Replica(ground, process, store, build(parts))
    application = replica.application
    works = [application.scheduling.run(), application.working.run(), application.signs.run()]
    works += [Noting(store, Path(), clock.now).run()] if ground.inspected else []
    replica.tasks = tuple(loop.spawn(process, work) for work in works)
    for task in replica.tasks:
        task.add_done_callback(lambda task: _ended(ground, process, task))
    return replica


def _at_points(ground: Ground, process: Process) -> Callable[[str], None]:
    """Where it hurts most, a process dies or freezes with a chance of its own."""
    loop, network = ground.loop, ground.network

    def reached(point: str) -> None:
        loop.counted[f"reached {point}"] += 1
        if network.hit("killed_there"):
            loop.note("killed", process.name, "at", point)
            process.alive = False
        elif network.hit("paused_there"):
            seconds = loop.chance.uniform(0.0, loop.chance.choice((10.0, 60.0)))
            loop.note("paused", process.name, "at", point, f"{seconds:.0f} s")
            loop.pause(process, seconds)
            ground.frozen(point)

    return reached


def _ended(ground: Ground, process: Process, task: "asyncio.Task[Any]") -> None:
    if (
        process.alive
        and not ground.loop.is_closed()
        and not task.cancelled()
        and (error := task.exception()) is not None
    ):
        ground.loop.violated("bug", f"{process.name} ended by itself: {error!r}")


def _digits(number: int, width: int) -> str:
    text = ""
    for _ in range(width):
        number, digit = divmod(number, 32)
        text = DIGITS[digit] + text
    return text
