"""Networks that a credential may be used from."""

import ipaddress
from collections.abc import Iterable

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def network(text: str) -> Network | None:
    """`192.0.2.0/24`, or one address; None for anything else."""
    try:
        return ipaddress.ip_network(text)
    except ValueError:
        return None


def lies_in(address: str, networks: Iterable[str]) -> bool:
    """Whether the address is in one of these. One that cannot be read is in none."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return any((mapped or found) in known for text in networks if (known := network(text)) is not None)
