"""The simulated cloud: everything that exists in it, and the few changes that touch several resources."""

from collections.abc import Callable, Iterator
from itertools import count
from random import Random

import msgspec

from setpoint.sim.hetzner.actions import Actions
from setpoint.sim.hetzner.agents import Agents
from setpoint.sim.hetzner.faults import Faults
from setpoint.sim.hetzner.judge import Changed, JudgeLog
from setpoint.sim.hetzner.rate import Limiter
from setpoint.sim.hetzner.records import RecordSets
from setpoint.sim.hetzner.settings import SimSettings
from setpoint.sim.hetzner.shelf import Shelf
from setpoint.sim.hetzner.values.firewall import Firewall
from setpoint.sim.hetzner.values.rrset import RRSet
from setpoint.sim.hetzner.values.server import Server, ServerStatus
from setpoint.sim.hetzner.values.server import shown as shown_server
from setpoint.sim.hetzner.values.zone import Zone


class Cloud:
    """The state behind the API; resources read and change it, nobody else does."""

    def __init__(self, settings: SimSettings, now: Callable[[], float]) -> None:
        self.settings = settings
        self.now = now
        self.random = Random(settings.seed)  # noqa: S311 - made-up passwords must be the same in every run
        self.faults = Faults(settings.seed)
        self.limiter = Limiter(settings.rate_limit, now())
        self.log = JudgeLog(now, settings.log_file)
        self.actions = Actions(now, settings.action_seconds)
        self.agents = Agents(settings.max_agents, settings.agent_grace_seconds)
        self.servers: Shelf[Server] = Shelf("server")
        self.firewalls: Shelf[Firewall] = Shelf("firewall")
        self.zones: Shelf[Zone] = Shelf("zone")
        self.rrsets = RecordSets()
        self._ids = count(1)

    def new_id(self) -> int:
        return next(self._ids)

    def firewalls_of(self, server: Server) -> Iterator[int]:
        return (firewall.id for firewall in self.firewalls if firewall.covers(server))

    def shown_server(self, server: Server) -> dict[str, object]:
        return shown_server(
            server, firewalls=self.firewalls_of(server), locked=self.actions.locks(server.ref)
        )

    async def settle_server(self, server_id: int, status: ServerStatus) -> None:
        """Gives a server the status that an action leads to, and its process what that status means."""
        server = self.servers.find(server_id)
        if server is None:
            # It vanished while the action was under way.
            return
        self.servers.put(msgspec.structs.replace(server, status=status))
        if status == "running":
            await self.agents.boot(server.id, server.name, server.user_data)
        else:
            await self.agents.halt(server.id)

    async def forget_server(self, server: Server) -> None:
        """Takes a server out of the world: its process, its firewalls' memory of it, itself."""
        self.servers.drop(server.id)
        for firewall in self.firewalls:
            kept = tuple(
                one for one in firewall.applied_to if one.server is None or one.server.id != server.id
            )
            self.firewalls.put(msgspec.structs.replace(firewall, applied_to=kept))
        await self.agents.remove(server.id)

    async def close(self) -> None:
        """Ends what is under way and every process; what exists stays readable."""
        await self.actions.close()
        await self.agents.close()
        self.log.close()


def changed_server(server: Server) -> Changed:
    return Changed(resource="server", id=server.id, name=server.name, labels=server.labels)


def changed_firewall(firewall: Firewall) -> Changed:
    return Changed(resource="firewall", id=firewall.id, name=firewall.name, labels=firewall.labels)


def changed_zone(zone: Zone) -> Changed:
    return Changed(resource="zone", id=zone.id, name=zone.name, labels=zone.labels)


def changed_rrset(rrset: RRSet, zone: Zone) -> Changed:
    return Changed(resource="rrset", id=rrset.id, name=rrset.name, labels=rrset.labels, zone=zone.name)
