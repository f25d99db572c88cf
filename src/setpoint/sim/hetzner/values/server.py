"""A server, and how the API shows it."""

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address
from typing import Literal

import msgspec

from setpoint.sim.hetzner.instant import written
from setpoint.sim.hetzner.labels import Labels
from setpoint.sim.hetzner.values.action import ResourceRef
from setpoint.sim.hetzner.values.image import Image
from setpoint.sim.hetzner.values.image import shown as shown_image
from setpoint.sim.hetzner.values.location import Location, data_centre
from setpoint.sim.hetzner.values.server_type import ServerType
from setpoint.sim.hetzner.values.server_type import shown as shown_type

ServerStatus = Literal[
    "running", "initializing", "starting", "stopping", "off", "deleting", "migrating", "rebuilding", "unknown"
]
# Addresses that are set aside for benchmarks and documentation: no packet to them leaves anybody's network.
_IPV4 = int(IPv4Address("198.18.0.0"))
_IPV4_COUNT = 2**17
_IPV6 = int(IPv6Address("2001:db8::"))


class ServerProtection(msgspec.Struct, frozen=True):
    delete: bool = False
    rebuild: bool = False


class Server(msgspec.Struct, frozen=True, kw_only=True):
    id: int
    name: str
    created: float
    server_type: ServerType
    image: Image
    location: Location
    disk: int
    labels: Labels = {}
    status: ServerStatus = "initializing"
    protection: ServerProtection = ServerProtection()
    user_data: str = ""
    has_ipv4: bool = True
    has_ipv6: bool = True

    @property
    def ref(self) -> ResourceRef:
        return ResourceRef("server", self.id)

    @property
    def ipv4(self) -> str:
        return str(IPv4Address(_IPV4 + self.id % _IPV4_COUNT))

    @property
    def ipv6(self) -> str:
        return f"{IPv6Address(_IPV6 + (self.id << 64))}/64"


def shown(server: Server, *, firewalls: Iterable[int], locked: bool) -> dict[str, object]:
    """A server as the API writes it."""
    return {
        "id": server.id,
        "name": server.name,
        "status": server.status,
        "created": written(server.created),
        "public_net": _public_net(server, firewalls),
        "private_net": [],
        "server_type": shown_type(server.server_type),
        "datacenter": data_centre(server.location),
        "location": server.location,
        "image": shown_image(server.image),
        "iso": None,
        "rescue_enabled": False,
        "locked": locked,
        "backup_window": None,
        "outgoing_traffic": 0,
        "ingoing_traffic": 0,
        "included_traffic": 20 * 2**40,
        "protection": server.protection,
        "labels": server.labels,
        "volumes": [],
        "load_balancers": [],
        "primary_disk_size": server.disk,
        "placement_group": None,
    }


def _public_net(server: Server, firewalls: Iterable[int]) -> dict[str, object]:
    ipv4 = {
        "id": server.id * 2,
        "ip": server.ipv4,
        "blocked": False,
        "dns_ptr": f"{server.ipv4.replace('.', '-')}.sim.example",
    }
    ipv6 = {"id": server.id * 2 + 1, "ip": server.ipv6, "blocked": False, "dns_ptr": []}
    return {
        "ipv4": ipv4 if server.has_ipv4 else None,
        "ipv6": ipv6 if server.has_ipv6 else None,
        "floating_ips": [],
        "firewalls": [{"id": firewall, "status": "applied"} for firewall in firewalls],
    }
