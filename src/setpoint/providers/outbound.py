"""Where we go on a tenant's word: to what is public, never to what is behind us unless the operator says so.

The address is judged when the socket for it is made, after every name was resolved: whatever a name says the
next time, or a redirect, is judged as well.
"""

import asyncio
import socket
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

from msgspec import Struct, field

from setpoint.providers.lookups import AddressInfo, LookUps

Network = IPv4Network | IPv6Network
PORTS: Final = frozenset((80, 443))
UNICAST: Final = ip_network("2000::/3")
NOT_PUBLIC: Final[tuple[Network, ...]] = tuple(
    map(
        ip_network,
        (
            "192.0.0.0/24",  # protocol assignments
            "192.88.99.0/24",  # 6to4 relays
            "2002::/16",  # 6to4: an IPv4 address inside, public or not
            "2001::/23",  # protocol assignments, Teredo among them
            "2001:db8::/32",
            "3fff::/20",
        ),
    )
)
"""What the standard library calls global, or did in one version, and we do not."""
EVERYWHERE: Final[tuple[Network, ...]] = (ip_network("0.0.0.0/0"), ip_network("::/0"))


class Forbidden(OSError):
    """This address, or this port of it, is not for tenants to reach."""


class Guard(Struct, frozen=True):
    """`allowed`: private networks that may be reached, any port of them."""

    allowed: tuple[Network, ...] = ()
    ports: frozenset[int] | None = None
    """None: any port."""
    setting: str = "private_networks"
    """The one that names them."""
    names: LookUps = field(default_factory=LookUps)
    """How a name becomes addresses."""

    def check(self, host: str, port: int) -> None:
        """Forbidden, or nothing."""
        address = plain(ip_address(host.partition("%")[0]))
        if any(address in network for network in self.allowed):
            return
        if not is_public(address):
            raise Forbidden(f"{address} is not a public address; the setting {self.setting} names others")
        if self.ports is not None and port not in self.ports:
            raise Forbidden(f"port {port} is not one of {', '.join(map(str, sorted(self.ports)))}")

    def socket(self, info: AddressInfo) -> socket.socket:
        """A socket for this address, if it may be reached."""
        family, kind, protocol, _, where = info
        self.check(str(where[0]), int(where[1]))
        return socket.socket(family, kind, protocol)

    async def connect(self, host: str, port: int) -> None:
        """Reaches it and leaves again; OSError if that cannot be."""
        loop = asyncio.get_running_loop()
        infos = await self.names.addresses(host, port)
        error: OSError = OSError(f"{host} has no address")
        for info in infos:
            try:
                with self.socket(info) as opened:
                    opened.setblocking(False)
                    await loop.sock_connect(opened, info[4])
                    return
            except OSError as failed:
                error = failed
        raise error


def plain(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """An IPv4 address in the clothes of an IPv6 one is judged as what it is."""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def is_public(address: IPv4Address | IPv6Address) -> bool:
    if isinstance(address, IPv6Address) and address not in UNICAST:
        return False  # NAT64, IPv4-compatible, site-local and whatever else is not unicast.
    if address.is_multicast or any(address in network for network in NOT_PUBLIC):
        return False
    return address.is_global


def networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """From a setting; ValueError names what is no network."""
    return tuple(ip_network(text.strip()) for text in texts if text.strip())
