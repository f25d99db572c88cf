"""In what the world still differs from what was acknowledged, by the raw rows and the raw cloud."""

from collections.abc import Iterator
from dataclasses import dataclass

from setpoint.engine.entity import Declared, State, Status
from setpoint.engine.rows import Act
from setpoint.storage.memory import MemoryStore
from simulation.judge import Judge
from simulation.kernel import SimLoop
from simulation.people import People
from simulation.truth import AnyJson


@dataclass
class Difference:
    """Between what people were told and what is."""

    loop: SimLoop
    judge: Judge
    people: People

    def wrong(self) -> Iterator[str]:
        """Sentences; none when everything is right."""
        declared = self._store.shelves[Declared].all()
        statuses = {row.ref: row for row in self._store.shelves[Status].all()}
        for row in declared:
            status = statuses.get(row.ref)
            if self._rejected(row.ref) or (row.kind == "agent" and self._rejected(row.parent or "")):
                continue  # A person said no, and that stands; so does a server that is off because of it.
            if row.deleting:
                yield f"{row.kind} {row.name} is still leaving: {status and status.reason}"
            elif row.kind in ("organization", "project"):
                continue
            elif status is None or status.state is not State.READY:
                yield f"{row.kind} {row.name} is {status and status.state}: {status and status.reason}"
        yield from self._wrong_records(declared)
        yield from self._wrong_hosts(declared)
        yield from (f"open act {act.verb} {act.item}" for act in self._store.shelves[Act].where("open", True))

    def _wrong_records(self, declared: list[Declared]) -> Iterator[str]:
        wishes = {f"r{number}/A": ([value], 300) for number, value in self.people.wishes.records.items()}
        zone = next(row for row in declared if row.kind == "dns_zone")
        stored = {
            f"{row.spec['name']}/A": (row.spec["values"], row.spec["ttl"])
            for row in declared
            if row.kind == "dns_record" and not row.deleting
        }
        if stored != wishes:
            self.loop.violated("S1", f"acknowledged were {wishes}, stored are {stored}")
        if (there := self.judge.truth.marked_records(zone.ref)) != wishes and not self._rejected(zone.ref):
            yield f"records at the cloud are {there}, acknowledged were {wishes}"

    def _wrong_hosts(self, declared: list[Declared]) -> Iterator[str]:
        wishes, group = self.people.wishes, self.people.wishes.group or 0
        hosts = [row for row in declared if row.kind == "host" and not row.deleting]
        own = {row.name: row for row in hosts if row.parent is None}
        if own.keys() != wishes.hosts.keys():
            self.loop.violated(
                "S1", f"acknowledged were hosts {sorted(wishes.hosts)}, stored are {sorted(own)}"
            )
        groups = [row for row in declared if row.kind == "scaling_group" and self._rejected(row.ref)]
        if len(hosts) - len(own) != group and not groups:
            yield f"the group has {len(hosts) - len(own)} hosts, wanted are {group}"
        marked = 0
        for row in hosts:
            servers = self.judge.truth.marked_servers(row.ref)
            marked += len(servers)
            made = [(s.status, s.image.name, s.server_type.name) for s in servers]
            if made != [("running", row.spec["image"], row.spec["size"])] and not self._rejected(row.ref):
                yield f"host {row.name} has servers {made}"
        # Somebody refused that these go: what was asked for stays asked for, and their servers stay.
        kept = [row for row in declared if row.kind == "host" and row.deleting and self._rejected(row.ref)]
        marked += sum(len(self.judge.truth.marked_servers(row.ref)) for row in kept)
        strangers = [s for s in self._servers if ("server", f":{s.id}") in self.judge.strangers]
        if marked + len(strangers) != len(self._servers):
            yield f"there are {len(self._servers)} servers, {marked} belong to hosts"

    def fought(self) -> list[Declared]:
        """What was left to another writer."""
        statuses = self._store.shelves[Status].all()
        found = [status.ref for status in statuses if "ours was undone" in status.reason]
        return [row for row in map(self._store.shelves[Declared].get, found) if row is not None]

    def _rejected(self, ref: str) -> bool:
        status = self._store.shelves[Status].get(ref)
        return status is not None and "rejected by administrator" in status.reason

    @property
    def _store(self) -> MemoryStore:
        return self.judge.truth.store

    @property
    def _servers(self) -> AnyJson:
        return self.judge.truth.sim._cloud.servers
