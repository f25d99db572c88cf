"""What is so, whatever any replica believes: the raw rows of the store and the raw cloud."""

from dataclasses import dataclass
from typing import Any

from setpoint.capabilities.mark import ENTITY, INSTALLATION, made_by
from setpoint.engine.entity import Declared
from setpoint.engine.rows import Act
from setpoint.sim.hetzner import HetznerSim
from setpoint.storage.memory import MemoryStore

AnyJson = Any
Finding = tuple[str, str]
"""Which invariant, and what was seen."""


@dataclass
class Truth:
    """Read, never changed; after a restore it is another store."""

    store: MemoryStore
    sim: HetznerSim
    installation: str

    def marked_servers(self, ref: str) -> list[AnyJson]:
        """Our servers of this host that are there, those on their way out left aside."""
        found = [s for s in self.sim._cloud.servers if self.is_marked(s.labels, ref)]
        return [server for server in found if server.status != "deleting"]

    def marked_records(self, ref: str) -> dict[str, AnyJson]:
        """Our records of this zone: item -> values."""
        cloud = self.sim._cloud
        found = [r for zone in cloud.zones for r in cloud.rrsets.of(zone) if self.is_marked(r.labels, ref)]
        return {record.id: (sorted(each.value for each in record.records), record.ttl) for record in found}

    def has_made(self, act: Act) -> bool:
        """Whether something is at the cloud that says this act made it."""
        cloud = self.sim._cloud
        records = (record for zone in cloud.zones for record in cloud.rrsets.of(zone))
        servers = (server for server in cloud.servers if server.status != "deleting")
        return any(made_by(each.labels) == act.id for each in (*servers, *cloud.zones, *records))

    def is_marked(self, labels: AnyJson, ref: str) -> bool:
        """Whether these labels say that we made it for this entity."""
        return labels.get(INSTALLATION) == self.installation and labels.get(ENTITY) == ref.replace("/", ".")

    def row(self, row: type[AnyJson], key: str) -> AnyJson:
        return self.store.shelves[row].get(key)

    def children(self, ref: str) -> list[Declared]:
        return self.store.shelves[Declared].where("parent", ref)


def item_of(record: Declared) -> str:
    return f"{record.spec['name']}/{record.spec['type']}"


def words(act: Act) -> str:
    return f"{act.verb} {act.item} of {act.domain} ({act.id})"
