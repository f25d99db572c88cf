"""Who uses us: people who declare, change their minds, pull levers and approve, over calls that get lost."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from declarations import group, host, record, setting, workspace, zone
from setpoint.engine.entity import Declared
from simulation.kernel import SimLoop
from simulation.phone import Phone
from simulation.wishes import GROWN, Wishes, declared_in, host_in, record_in

AnyJson = Any
CLOUD_URL: Final = "http://cloud/v1"
ORGANIZATION: Final = "/v1/organizations/acme"
PROJECT: Final = f"{ORGANIZATION}/projects/shop"
WORKSPACE: Final = f"{PROJECT}/workspaces/prod"
COMPUTE: Final = "compute"
"""A second account, so that two replicas have work to do."""
BARE: Final = ("db-0", "db-1", "db-2")
IMAGES: Final = ("debian-12", "ubuntu-24.04")


@dataclass
class People:
    """Each of them does one thing after the other, and knows what was acknowledged."""

    loop: SimLoop
    phone: Phone
    wishes: Wishes = field(default_factory=Wishes)
    _flipped: set[str] = field(default_factory=set)
    _protected: set[str] = field(default_factory=set)
    _grown: set[str] = field(default_factory=set)
    _numbers: int = 0
    _called: dict[int, str] = field(default_factory=dict)
    """Records that were adopted have another name."""
    _filed: set[int] = field(default_factory=set)
    """Records that the file has named: leaving out what it never named withdraws nothing."""

    # First of all.

    async def begin(self) -> None:
        """What everybody starts with."""
        chance = self.loop.chance
        second = setting(CLOUD_URL, credential="secret://compute")[2] | {"metadata": {"name": COMPUTE}}
        await self._declared([*setting(CLOUD_URL), second, workspace(), zone()])
        self.wishes.records = {self._number(): self._value() for _ in range(chance.randint(3, 6))}
        await self._apply()
        for _ in range(chance.randint(1, 2)):
            await self._new_host()
        if chance.random() < 0.5:
            await self._size(chance.randint(1, 3))

    # While it goes on.

    async def keep_zone(self, until: float) -> None:
        often = (self._edit, self._edit, self._edit, self._add, self._add, self._drop, self._delete)
        await self._work((*often, *often, self._drop_many, self._empty), until)

    async def keep_hosts(self, until: float) -> None:
        await self._work((self._new_host, self._delete_host, self._change_host, self._resize), until)

    async def operate(self, until: float) -> None:
        often = (self._approve, self._approve, self._flip)
        await self._work((*often, *often, self._reject, self._protect), until)

    async def _work(self, works: tuple[Callable[[], Any], ...], until: float) -> None:
        while self.loop.time() < until:
            await asyncio.sleep(self.loop.chance.expovariate(1 / 6.0))
            work = self.loop.chance.choice(works)
            self.loop.counted[f"people{work.__name__}"] += 1
            await work()

    # At the end.

    async def make_peace(self) -> None:
        """Nobody wants anything new: levers back, protections off."""
        for key in sorted(self._flipped):
            await self.phone.insist("DELETE", f"/v1/switches/{key}")
        self._flipped.clear()
        for item in sorted(self._protected):
            body = {"item": item, "reason": "peace", "protection": True}
            await self.phone.insist("POST", f"{PROJECT}/dns_zones/example-org:release", body)

    async def agree(self) -> None:
        """Everything that is held is meant by now."""
        for plan in await self._held():
            body = {"reason": "it is meant", "digest": plan["digest"]}
            await self.phone.insist("POST", f"{ORGANIZATION}/plans/{plan['id']}:approve", body)

    async def release(self, kind: str, name: str) -> None:
        """Whoever fought with us has stopped."""
        place = {"host": f"{WORKSPACE}/hosts", "dns_zone": f"{PROJECT}/dns_zones"}
        if kind in place:
            await self.phone.insist("POST", f"{place[kind]}/{name}:release", {"reason": "peace"})

    # After a restore.

    def start_over(self, rows: Iterable[Declared]) -> None:
        """What is declared now is what was acknowledged, whatever came after the backup."""
        there = tuple(rows)
        self.wishes = declared_in(there)
        self._filed = {record_in(row.spec)[0] for row in there if row.kind == "dns_record" and row.owner}

    async def apply(self, records: dict[int, str]) -> None:
        """A file that is newer than the backup."""
        self.wishes.records = records
        await self._apply()

    def adopted(self, found: AnyJson) -> None:
        name, spec = found["metadata"]["name"], found["spec"]
        if found["kind"] == "host":
            self.wishes.hosts[name] = host_in(spec)
        else:
            number, self.wishes.records[number] = record_in(spec)
            self._called[number] = name

    async def grow_again(self) -> None:
        for name, spec in list(self.wishes.hosts.items()):
            if name in self._grown and "size" not in spec:
                await self._host(name, **spec)

    async def resume(self, modes: Iterable[str]) -> None:
        """Whatever is paused, everything last."""
        self._flipped = set(modes)
        await self._resume()

    # Zones.

    async def _edit(self) -> None:
        if self.wishes.records:
            self.wishes.records[self.loop.chance.choice(sorted(self.wishes.records))] = self._value()
            await self._apply()

    async def _add(self) -> None:
        self.wishes.records[self._number()] = self._value()
        await self._apply()

    async def _drop(self) -> None:
        await self._drop_some(1)

    async def _drop_many(self) -> None:
        await self._drop_some(self.loop.chance.randint(2, 4))

    async def _drop_some(self, count: int) -> None:
        there = sorted(self._filed & self.wishes.records.keys())
        for number in self.loop.chance.sample(there, min(count, max(0, len(there) - 1))):
            del self.wishes.records[number]
        await self._apply()

    async def _empty(self) -> None:
        """A file that could not be read, most likely; put right after a while, or meant."""
        before = self.wishes.records
        left = {number: value for number, value in before.items() if number not in self._filed}
        self.wishes.records = dict(left)
        await self._apply()
        await asyncio.sleep(self.loop.chance.uniform(0.0, 20.0))
        self.wishes.records = before
        if self.loop.chance.random() < 0.8:
            await self._apply()
        else:
            self.wishes.records = left

    async def _delete(self) -> None:
        """By name, so that no guard stands in the way; perhaps regretted at once."""
        if len(self.wishes.records) < 2:
            return
        number = self.loop.chance.choice(sorted(self.wishes.records))
        reply = await self.phone.insist("DELETE", f"{PROJECT}/dns_records/{self._name(number)}")
        if reply.status in (202, 404):
            value = self.wishes.records.pop(number)
            if self.loop.chance.random() < 0.3:
                self.wishes.records[number] = value
                await self._apply()

    async def _apply(self) -> None:
        """The file as it is now; what it no longer mentions is withdrawn."""
        wanted = sorted(self.wishes.records.items())
        items = [record(n, value, name=self._name(n)) for n, value in wanted]
        await self._declared(items, owner="zone.yaml", prune=True)
        self._filed = {number for number, _ in wanted}

    # Hosts.

    async def _new_host(self) -> None:
        """Under a name that may be leaving; one with an agent only under a new name, see `_delete_host`."""
        if len(self.wishes.hosts) < 3:
            agent = self.loop.chance.random() < 0.4
            await self._host(f"app-{self._number()}" if agent else self.loop.chance.choice(BARE), agent=agent)

    async def _delete_host(self) -> None:
        if self.wishes.hosts:
            name = self.loop.chance.choice(sorted(self.wishes.hosts))
            reply = await self.phone.insist("DELETE", f"{WORKSPACE}/hosts/{name}")
            if reply.status in (202, 404):
                gone = self.wishes.hosts.pop(name)
                # Known gap: with a host its agent is let go, and cannot come back if the host does.
                if self.loop.chance.random() < 0.3 and not gone["agent"]:
                    await self._host(name, **gone)

    async def _change_host(self) -> None:
        if self.wishes.hosts:
            name = self.loop.chance.choice(sorted(self.wishes.hosts))
            # Known gap: an agent whose server was replaced cannot come back either, so there is no way back.
            agent = self.wishes.hosts[name]["agent"]
            image = IMAGES[1] if agent else self.loop.chance.choice(IMAGES)
            changed = self.loop.chance.choice(({"size": GROWN}, {"image": image}))
            await self._host(name, **(self.wishes.hosts[name] | changed))

    async def _resize(self) -> None:
        if self.wishes.group is not None:
            await self._size(self.loop.chance.randint(1, 4))

    async def _host(self, name: str, **spec: AnyJson) -> None:
        # Never smaller: a server cannot become that.
        self._grown |= {name} if "size" in spec else set()
        spec |= {"size": GROWN} if name in self._grown else {}
        await self._declared([host(name, provider=COMPUTE, **spec)])
        self.wishes.hosts[name] = spec

    async def _size(self, size: int) -> None:
        await self._declared([group(size, provider=COMPUTE, cooldown_seconds=0.0)])
        self.wishes.group = size

    # Levers and plans.

    async def _flip(self) -> None:
        keys = ("all", "kind:dns_zone", "kind:host", "scope:acme", "scope:acme/shop", "scope:acme/shop/prod")
        key = self.loop.chance.choice(keys)
        mode = self.loop.chance.choice(("stop", "observe", "no-deletes"))
        reply = await self.phone.insist("PUT", f"/v1/switches/{key}", {"mode": mode, "reason": "to see"})
        if reply.status == 200:
            self._flipped.add(key)
            await asyncio.sleep(self.loop.chance.uniform(0.0, 10.0))
            await self._resume()

    async def stop_all(self) -> None:
        """For a moment."""
        await self.phone.insist("PUT", "/v1/switches/all", {"mode": "stop", "reason": "at once"})
        self._flipped.add("all")
        await asyncio.sleep(self.loop.chance.uniform(1.0, 8.0))
        await self.phone.insist("DELETE", "/v1/switches/all")

    async def _resume(self) -> None:
        for key in sorted(self._flipped):
            await self.phone.insist("DELETE", f"/v1/switches/{key}")
        self._flipped.clear()

    async def _approve(self) -> None:
        """Yes to a held plan as it was shown, which may be a while ago."""
        plans = await self._held()
        if plans:
            plan = self.loop.chance.choice(plans)
            await asyncio.sleep(self.loop.chance.uniform(0.0, 8.0))
            body = {"reason": "it is meant", "digest": plan["digest"]}
            reply = await self.phone.insist("POST", f"{ORGANIZATION}/plans/{plan['id']}:approve", body)
            self.loop.counted[f"approval {reply.status}"] += 1

    async def _reject(self) -> None:
        plans = await self._held()
        if plans:
            plan = self.loop.chance.choice(plans)
            body = {"reason": "not meant", "digest": plan["digest"]}
            await self.phone.insist("POST", f"{ORGANIZATION}/plans/{plan['id']}:reject", body)

    async def _protect(self) -> None:
        item = f"r{self.loop.chance.randint(1, self._numbers)}/A"
        self._protected.add(item)
        body = {"item": item, "reason": "dear to us"}
        await self.phone.insist("POST", f"{PROJECT}/dns_zones/example-org:protect", body)

    async def _held(self) -> list[AnyJson]:
        reply = await self.phone.insist("GET", f"{ORGANIZATION}/plans?state=held")
        return msgspec.json.decode(reply.body)["items"] if reply.good else []

    async def _declared(self, items: list[AnyJson], owner: str = "", *, prune: bool = False) -> None:
        body = {"items": items, "owner": owner, "prune": prune}
        while True:
            reply = await self.phone.insist("POST", f"{ORGANIZATION}/declarations", body)
            if reply.good:
                return
            if reply.status != 409:
                self.loop.violated("bug", f"a good declaration was answered {reply.status}: {reply.body!r}")
            await asyncio.sleep(1.0)

    def _name(self, number: int) -> str:
        return self._called.get(number, f"r{number}")

    def _number(self) -> int:
        self._numbers += 1
        return self._numbers

    def _value(self) -> str:
        return f"192.0.2.{self.loop.chance.randint(1, 250)}"
