"""An account at a vendor that lives in memory: servers, zones, firewalls, and every call that changed it."""

from typing import Any

from msgspec.structs import replace

from setpoint.capabilities.account import Calls, Inventory
from setpoint.capabilities.compute import Order, Server
from setpoint.capabilities.dns import RecordSet, Zone
from setpoint.capabilities.firewall import Firewall
from setpoint.engine.errors import Conflict, Missing
from setpoint.engine.plan import ABSENT, Absence


class FakeCloud:
    """Compute, DNS and firewalls of one account. What is in `broken` is raised by the next such call."""

    def __init__(self) -> None:
        self.machines: dict[str, Server] = {}
        self.zones: dict[str, Zone] = {}
        self.sets: dict[tuple[str, str, str], RecordSet] = {}
        self.walls: dict[str, Firewall] = {}
        self.hidden: set[str] = set()
        """Names of firewalls that are there but not shown yet."""
        self.calls: list[tuple[Any, ...]] = []
        self.broken: dict[str, list[Exception]] = {}
        self.fingerprint = "address and credential"
        self.identity = "the one account"
        self.allowance: Calls | None = None
        self.compute = self.dns = self.firewalls = self

    async def sweep(self) -> Inventory:
        self._may_break("sweep")
        found = [f"server/{machine.id}" for machine in self.machines.values()]
        found += [f"zone/{zone.id}" for zone in self.zones.values()]
        return Inventory(
            landmarks=tuple(found),
            servers=len(self.machines),
            zones=len(self.zones),
            marked=0,
            made=tuple(machine for machine in self.machines.values() if machine.labels),
            fingerprint=self.fingerprint,
            calls=self.allowance,
        )

    async def servers(self, about: str = "") -> tuple[Server, ...]:
        return tuple(self.machines.values())

    async def server(self, name: str) -> Server | Absence:
        return next((machine for machine in self.machines.values() if machine.name == name), ABSENT)

    async def create(self, order: Order) -> None:
        self._called("create", order.name)
        if any(machine.name == order.name for machine in self.machines.values()):
            raise Conflict(f"a server called {order.name} exists")
        self.put_server(order.name, order.labels, size=order.size, image=order.image, location=order.location)

    async def label(self, server_id: str, labels: dict[str, str]) -> None:
        self._called("label", server_id)
        self._change(server_id, labels=labels)

    async def power(self, server_id: str, on: bool) -> None:
        self._called("power", server_id, on)
        self._change(server_id, status="running" if on else "off")

    async def resize(self, server_id: str, size: str) -> None:
        self._called("resize", server_id, size)
        self._change(server_id, size=size)

    async def delete(self, server_id: str) -> None:
        self._called("delete", server_id)
        del self.machines[server_id]

    async def zone(self, name: str) -> Zone | Absence:
        return self.zones.get(name, ABSENT)

    async def create_zone(self, name: str, labels: dict[str, str]) -> None:
        self._called("create_zone", name)
        self.zones[name] = Zone(id=f"{len(self.calls)}", name=name, labels=labels)

    async def delete_zone(self, name: str) -> None:
        self._called("delete_zone", name)
        del self.zones[name]

    async def records(self, zone: str) -> tuple[RecordSet, ...]:
        return tuple(record for (place, _, _), record in self.sets.items() if place == zone)

    async def record(self, zone: str, name: str, kind: str) -> RecordSet | Absence:
        return self.sets.get((zone, name, kind), ABSENT)

    async def create_record(self, zone: str, record: RecordSet) -> None:
        self._called("create_record", record.name, record.type)
        if (zone, record.name, record.type) in self.sets:
            raise Conflict(f"{record.name} {record.type} exists")
        self.sets[zone, record.name, record.type] = record

    async def change_record(self, zone: str, record: RecordSet) -> None:
        self._called("change_record", record.name, record.type)
        self.sets[zone, record.name, record.type] = record

    async def delete_record(self, zone: str, name: str, kind: str) -> None:
        self._called("delete_record", name, kind)
        del self.sets[zone, name, kind]

    async def firewall(self, name: str) -> Firewall | Absence:
        self._may_break("firewall")
        return ABSENT if name in self.hidden else self.walls.get(name, ABSENT)

    async def create_firewall(self, name: str, labels: dict[str, str], selector: str) -> None:
        self._called("create_firewall", name, selector)
        if name in self.walls:
            raise Conflict(f"a firewall called {name} exists")
        self.walls[name] = Firewall(id=f"{len(self.calls)}", name=name, labels=labels)

    async def delete_firewall(self, firewall_id: str) -> None:
        self._called("delete_firewall", firewall_id)
        gone = [name for name, wall in self.walls.items() if wall.id == firewall_id]
        if not gone:
            raise Missing(f"firewall {firewall_id} is not there")
        del self.walls[gone[0]]

    def put_server(self, name: str, labels: dict[str, str], **more: Any) -> Server:
        """A running server that nobody ordered."""
        usual = {"status": "running", "size": "cx22", "image": "debian-12", "location": "fsn1"}
        server = Server(id=f"{len(self.machines) + 1}", name=name, labels=labels, **(usual | more))
        self.machines[server.id] = server
        return server

    def _change(self, server_id: str, **more: Any) -> None:
        self.machines[server_id] = replace(self.machines[server_id], **more)

    def _called(self, *call: Any) -> None:
        self.calls.append(call)
        self._may_break(call[0])

    def _may_break(self, call: str) -> None:
        waiting = self.broken.get(call, [])
        if waiting:
            raise waiting.pop(0)
