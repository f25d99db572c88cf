"""The simulated cloud before we come: other people's things, perhaps looser rules than the real one has."""

from typing import Any

from setpoint.sim.hetzner import HetznerSim, Record
from setpoint.sim.hetzner.catalogue import offered
from setpoint.sim.hetzner.shelf import Shelf
from setpoint.sim.hetzner.values.rrset import RRSet
from setpoint.sim.hetzner.values.server import Server
from setpoint.sim.hetzner.values.zone import Zone, born_with
from simulation.judge import Judge
from simulation.kernel import SimLoop

DOMAIN = "example.org"


class LaxShelf(Shelf[Server]):
    """Two things may have one name: most clouds let them."""

    def put(self, value: Server) -> Server:
        self._by_id[value.id] = value
        self._id_of[value.name] = value.id
        return value

    def drop(self, object_id: int) -> None:
        gone = self._by_id.pop(object_id, None)
        if gone is not None and self._id_of.get(gone.name) == object_id:
            del self._id_of[gone.name]
            self._id_of |= {s.name: s.id for s in self._by_id.values() if s.name == gone.name}


def furnished(loop: SimLoop, sim: HetznerSim, judge: Judge) -> None:
    """Strangers' things, which we must leave alone."""
    cloud: Any = sim._cloud
    if loop.chance.random() < 0.5:
        judge.lax, cloud.servers = True, LaxShelf("server")
    offer = offered("cx22", "debian-12", "fsn1")
    server = Server(
        id=cloud.new_id(),
        name="theirs",
        created=loop.now() - 1000.0,
        server_type=offer.server_type,
        image=offer.image,
        location=offer.location,
        disk=offer.server_type.disk,
        status="running",
        labels={"team": "other"},
    )
    cloud.servers.put(server)
    judge.strangers.add(("server", f":{server.id}"))
    zone = cloud.zones.put(
        Zone(id=cloud.new_id(), name="theirs.net", created=loop.now() - 1000.0, mode="primary", ttl=300)
    )
    judge.strangers.add(("zone", f":{zone.id}"))
    if loop.chance.random() < 0.5:
        _existing_zone(loop, cloud, judge)


def _existing_zone(loop: SimLoop, cloud: Any, judge: Judge) -> None:
    """Our zone was there before us, with a record of somebody else."""
    zone = cloud.zones.put(
        Zone(id=cloud.new_id(), name=DOMAIN, created=loop.now() - 1000.0, mode="primary", ttl=300)
    )
    for rrset in born_with(zone):
        cloud.rrsets.put(rrset)
    record = RRSet(
        zone=zone.id, name="theirs", type="A", created=loop.now() - 1000.0, records=(Record("203.0.113.1"),)
    )
    cloud.rrsets.put(record)
    judge.strangers |= {("rrset", f"{DOMAIN}:{record.id}"), ("zone", f":{zone.id}")}
