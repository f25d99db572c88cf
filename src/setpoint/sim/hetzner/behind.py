"""Changes behind everybody's back: what people and other programs do to a cloud without asking us."""

from collections.abc import Sequence

from msgspec.structs import replace

from setpoint.sim.hetzner.cloud import Cloud, changed_rrset, changed_server
from setpoint.sim.hetzner.refusal import invalid_input, unprocessable
from setpoint.sim.hetzner.values.rrset import Record, RRSet, mistakes_in_records


class Behind:
    """Changes the world at once, without an action; the judge's log tells these apart."""

    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud

    async def vanish_server(self, name: str) -> None:
        """A server is gone, as if somebody deleted it in the web console."""
        server = self._cloud.servers.named(name)
        await self._cloud.forget_server(server)
        self._cloud.log.write("vanish", changed_server(server), by="behind")

    async def kill_agent(self, name: str) -> None:
        """The process of a server dies; the server runs on."""
        server = self._cloud.servers.named(name)
        await self._cloud.agents.crash(server.id)
        self._cloud.log.write("kill-agent", changed_server(server), by="behind")

    async def start_agent(self, name: str) -> None:
        """The process of a running server starts again."""
        server = self._cloud.servers.named(name)
        if server.status != "running":
            raise unprocessable(f"server '{name}' is {server.status}", "server_not_running")
        await self._cloud.agents.boot(server.id, server.name, server.user_data)
        self._cloud.log.write("start-agent", changed_server(server), by="behind")

    def change_rrset(
        self, zone: str, name: str, kind: str, records: Sequence[Record], ttl: int | None = None
    ) -> RRSet:
        """A record set says something else; without a ttl it keeps the one it had."""
        held_zone = self._cloud.zones.named(zone)
        rrset = self._cloud.rrsets.get(held_zone, name, kind)
        mistakes = mistakes_in_records(kind, records)
        if mistakes:
            raise invalid_input(mistakes)
        changed = replace(rrset, records=tuple(records), ttl=rrset.ttl if ttl is None else ttl)
        self._cloud.rrsets.put(changed)
        self._cloud.log.write("change", changed_rrset(changed, held_zone), by="behind")
        return changed

    def vanish_rrset(self, zone: str, name: str, kind: str) -> None:
        """A record set is gone."""
        held_zone = self._cloud.zones.named(zone)
        rrset = self._cloud.rrsets.get(held_zone, name, kind)
        self._cloud.rrsets.drop(rrset)
        self._cloud.log.write("vanish", changed_rrset(rrset, held_zone), by="behind")
