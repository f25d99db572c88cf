"""One world from its seed to its end: a hostile time, then peace, in which everything must come right."""

import asyncio
from dataclasses import dataclass, field
from typing import Any, Final

from setpoint.access.credential import hash_token
from setpoint.drive.installation import known
from setpoint.engine.entity import Declared
from setpoint.engine.rows import Installation
from setpoint.engine.token import Token
from setpoint.sim.hetzner import Fault, HetznerSim, Record, SimSettings
from setpoint.storage.memory import MemoryStore
from simulation.cloud import furnished
from simulation.difference import Difference
from simulation.failover import FIRST, Standby
from simulation.judge import Judge
from simulation.kernel import SimLoop
from simulation.machines import Machines
from simulation.network import Network
from simulation.people import People
from simulation.phone import ADMINISTRATOR, Phone
from simulation.replica import TOKEN, Ground, Replica, started
from simulation.review import Review
from simulation.truth import Truth
from simulation.vault import Vault
from simulation.weather import CALM, LAG_SECONDS, Weather

AnyJson = Any
HOSTILE_SECONDS: Final = (40.0, 110.0)
AWAY_SECONDS: Final = 20.0
PEACE_SECONDS: Final = 900.0
QUIET_BEGINNINGS: Final = 0.7
RESTORED: Final = 0.25
"""In so many worlds everything is restored from a backup."""
FAILED_OVER: Final = 0.1
"""In so many of the others, unless a cloud lets two have one name, the database fails over."""
CALM_SECONDS: Final = 15.0
"""So long it must stay right, once it is."""


@dataclass
class World:
    """Everything in it."""

    loop: SimLoop
    weather: Weather
    replicas: list[Replica] = field(default_factory=list)

    def __post_init__(self) -> None:
        loop = self.loop
        self.store = MemoryStore(loop.now)
        settings = SimSettings(
            token=f"{TOKEN}-hetzner",
            more_tokens=(f"{TOKEN}-compute",),
            max_agents=0,
            action_seconds=loop.chance.choice((0.0, 0.3, 2.0)),
        )
        self.sim = HetznerSim(settings, now=loop.now)
        self.judge = Judge(loop, Truth(self.store, self.sim, "sim"))
        furnished(loop, self.sim, self.judge)
        self.network = Network(loop, self.sim, self.judge, CALM)
        installation = Installation(id="sim")
        self.ground = Ground(loop, self.store, self.judge, self.network, installation, self._seize)
        self.phone = Phone(loop, self.network, lambda: self.replicas)
        self.people = People(loop, self.phone)
        self.difference = Difference(loop, self.judge, self.people)
        self.machines = Machines(loop, self.sim, self.phone)
        self.vault = Vault(loop)
        self.review = Review(loop, self.phone, self.people, self.judge.forgotten, self.sim)
        self.hostile = True
        self._down = False  # Nobody starts a replica.
        self._hasty: list[asyncio.Task[Any]] = []

    async def story(self) -> None:
        """A quiet beginning, a hostile time, peace."""
        loop = self.loop
        token = Token(
            hash=hash_token(ADMINISTRATOR), subject="administrator", role="administrator", may_approve=True
        )
        self.store.shelves[Token].put(token.hash, token)
        await known(self.store, self.ground.installation)
        self.store.here = FIRST
        failing = loop.fate("failed over") < FAILED_OVER and not self.judge.lax
        self.ground.inspected = failing or loop.fate("restored") < RESTORED
        for number in range(loop.chance.choice((1, 2, 2, 3, 3))):
            loop.spawn(None, self._kept_running(f"replica-{number}"), "keeper")
        loop.spawn(None, self.machines.run(), "machines")
        quiet = loop.chance.random() < QUIET_BEGINNINGS
        self.network.weather = CALM if quiet else self.weather
        await self.people.begin()
        while quiet and any(self.difference.wrong()):  # noqa: ASYNC110 - the whole world is what is waited for
            await asyncio.sleep(2.0)
        self.network.weather = self.weather
        until = loop.time() + loop.chance.uniform(*HOSTILE_SECONDS)
        if self.ground.inspected:
            await (self._restore(until) if loop.fate("restored") < RESTORED else self._fail_over(until))
        await self._hostility(until)
        await self._peace()

    async def _kept_running(self, name: str) -> None:
        """Whoever dies is started again after a while."""
        place = len(self.replicas)
        self.replicas.append(started(self.ground, name))
        while True:
            await asyncio.sleep(1.0)
            if not self.replicas[place].alive:
                self.loop.counted["restarts"] += 1
                await asyncio.sleep(self.loop.chance.uniform(0.0, 20.0) if self.hostile else 0.5)
                while self._down:  # noqa: ASYNC110 - as above
                    await asyncio.sleep(0.5)
                self.replicas[place] = started(self.ground, name)

    async def _restore(self, until: float) -> None:
        """A backup at some moment; life goes on; then everything is as it was at that moment."""
        loop, began = self.loop, self.loop.time()
        lost_at = began + (until - began) * loop.chance.uniform(0.4, 0.9)
        saved_in = (lost_at - began) * loop.chance.uniform(0.0, 0.5)
        loop.soon(None, saved_in, lambda: self.vault.save(self.store))
        await self._hostility(lost_at)
        while self._hasty:  # While somebody answers: whoever dies is not started again once it is down.
            await self._hasty.pop()
        self._down = True
        for replica in self.replicas:
            replica.kill("before the restore")
        before, self.store = self.store, await self.vault.restored()
        self.ground.store = self.judge.truth.store = self.store
        self.judge.forgotten.restored(before)
        filed = self.people.wishes.records
        self.people.start_over(self.store.shelves[Declared].all())
        self._down = False
        await self.review.run(filed)

    async def _fail_over(self, until: float) -> None:
        """The last commits are lost; whoever runs goes on with what it knows, on another server."""
        chance = self.loop.chance
        await self._hostility(until - (until - self.loop.time()) * chance.uniform(0.2, 0.6))
        standby = Standby(self.store)
        await self._hostility(self.loop.time() + chance.uniform(0.5, 5.0))
        if standby.is_known:
            self._lose_connections()
            self.judge.forgotten.failed_over(standby.take_over())
            self.people.start_over(self.store.shelves[Declared].all())
            self.review.choose()
            await self.people.grow_again()
            await asyncio.sleep(AWAY_SECONDS)  # Peace would bring back connections that were lost.

    def _lose_connections(self) -> None:
        """Known gap: a pass that slept through it could take a generation that is given again for its own."""
        for replica in self.replicas:
            replica.store.away_until = self.loop.time() + self.loop.chance.uniform(10.0, AWAY_SECONDS)
            if replica.alive and replica.process.paused_until > self.loop.time():
                replica.kill("while another server takes over")

    # The hostile time.

    async def _hostility(self, until: float) -> None:
        works = (self.people.keep_zone, self.people.keep_hosts, self.people.operate, self._trouble)
        await asyncio.gather(*(self.loop.spawn(None, work(until)) for work in works))

    async def _trouble(self, until: float) -> None:
        """What happens by itself, second by second."""
        strikes = {
            "killed": self._kill,
            "stopped": self._stop,
            "paused": self._pause,
            "store_away": self._store_away,
            "cut_off": self._cut_off,
            "broken_page": self._broken_page,
            "lagging": self._lag,
            "failing_action": self._failing_action,
            "meddling": self._meddle,
        }
        while self.loop.time() < until:
            await asyncio.sleep(1.0)
            for fault, strike in strikes.items():
                alive = [replica for replica in self.replicas if replica.alive]
                if alive and self.network.hit(fault):
                    strike(self.loop.chance.choice(alive))

    def _seize(self, point: str) -> None:
        """Somebody is frozen between a decision and its commit: just then a person pulls the lever."""
        hurts = point == "begin.before_commit" and self.hostile and not self._down
        if hurts and self.loop.chance.random() < 0.5:
            self.loop.counted["seized"] += 1
            self._hasty.append(self.loop.spawn(None, self.people.stop_all(), "a person"))

    def _kill(self, replica: Replica) -> None:
        replica.kill("by chance")

    def _stop(self, replica: Replica) -> None:
        self.loop.note("stopped", replica.process.name)
        self.loop.spawn(replica.process, replica.stop())

    def _pause(self, replica: Replica) -> None:
        seconds = self.loop.chance.uniform(0.0, 60.0)
        self.loop.note("paused", replica.process.name, f"{seconds:.0f} s")
        self.loop.pause(replica.process, seconds)

    def _store_away(self, replica: Replica) -> None:
        replica.store.away_until = self.loop.time() + self.loop.chance.uniform(1.0, 45.0)

    def _cut_off(self, replica: Replica) -> None:
        until = self.loop.time() + self.loop.chance.uniform(1.0, 30.0)
        self.network.away_until[replica.process.name] = until

    def _broken_page(self, replica: Replica) -> None:
        kind = self.loop.chance.choice(("missing_page", "early_end"))
        path = self.loop.chance.choice(("/servers", "/zones/*/rrsets", "/zones"))
        self.sim.faults.add(Fault(kind=kind, method="GET", path=path, times=2))

    def _lag(self, replica: Replica) -> None:
        direct, seconds = self.loop.chance.random() < 0.5, self.loop.chance.uniform(1.0, LAG_SECONDS)
        fault = self.sim.faults.add(Fault(kind="lag", seconds=seconds, direct=direct))
        self.loop.soon(None, self.loop.chance.uniform(5.0, 40.0), lambda: self.sim.faults.remove(fault))

    def _failing_action(self, replica: Replica) -> None:
        self.sim.faults.add(Fault(kind="failing_action", times=1))

    def _meddle(self, replica: Replica) -> None:
        """Somebody changes the world behind our back."""
        cloud, behind = self.sim._cloud, self.sim.behind
        records = [r for zone in cloud.zones for r in cloud.rrsets.of(zone) if r.type == "A"]
        if records and self.loop.chance.random() < 0.8:
            record = self.loop.chance.choice(records)
            if ("rrset", f"example.org:{record.id}") in self.judge.strangers:
                return
            if self.loop.chance.random() < 0.5:
                behind.vanish_rrset("example.org", record.name, "A")
            else:
                behind.change_rrset("example.org", record.name, "A", [Record(value="203.0.113.9")])
        elif len(cloud.servers):
            server = self.loop.chance.choice(list(cloud.servers))
            if ("server", f":{server.id}") not in self.judge.strangers:
                self.loop.spawn(None, behind.vanish_server(server.name))

    # Peace.

    async def _peace(self) -> None:
        """No fault is left; within its time everything is as it was last acknowledged, and stays so."""
        self.hostile, self.network.weather = False, CALM
        self.sim.faults.clear()
        self.network.away_until.clear()
        for replica in self.replicas:
            replica.store.away_until = 0.0
        await self.people.make_peace()
        right_since, until = None, self.loop.time() + PEACE_SECONDS
        while self.loop.time() < until:
            await self.people.agree()
            await self.review.tidy()
            for row in self.difference.fought():
                await self.people.release(row.kind, row.name)
            wrong = list(self.difference.wrong())
            right_since = None if wrong else right_since or self.loop.time()
            if right_since is not None and self.loop.time() >= right_since + CALM_SECONDS:
                self.judge.forgotten.last_look()
                return
            await asyncio.sleep(5.0)
        self.loop.violated("L1", f"after {PEACE_SECONDS:.0f} s of peace: {'; '.join(wrong[:4])}")
