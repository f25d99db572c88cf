"""Hosts as people write them, in one spelling, and the one rule for where a secret may be sent.

A secret names the hosts that it serves. One that names none serves the published address of its vendor and
this machine itself; whether that may be reached at all is the installation's own rule, kept at the socket.
"""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from ipaddress import IPv6Address, ip_address
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

NAME: Final = re.compile(
    r"(?=.{1,253}\Z)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*\Z"
)
PORTS: Final = {"http": 80, "https": 443}
HIGHEST_PORT: Final = 65535
ADDRESS: Final = re.compile(r"(https?)://([^/?#@]+)(?:[/?#].*)?\Z", re.IGNORECASE | re.DOTALL)
"""A name and a password before the host are no part of it."""
ANY: Final = "*."
"""Begins a pattern: exactly one label stands in its place."""
LONGEST: Final = 253
"""Characters of a name (RFC 1035). Writing a long text in punycode takes minutes, so none is begun."""
OURSELVES: Final = "localhost"
UNSAFE: Final = re.compile(r"[\x00-\x20\x7f\\]")
"""What different readers of one address understand differently."""


class Place(Struct, frozen=True):
    """A host, and a port where it is one port only; `pattern` stands for every host one label below."""

    host: str
    port: int = 0
    pattern: bool = False

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{ANY if self.pattern else ''}{host}{f':{self.port}' if self.port else ''}"

    def covers(self, other: "Place") -> bool:
        """Whether the other one, of an address, is meant by this."""
        label, dot, rest = other.host.partition(".")
        same = bool(label and dot) and rest == self.host if self.pattern else other.host == self.host
        return same and self.port in (0, other.port)


def canonical_host(text: str) -> str:
    """The one spelling of a host: small letters, punycode, no last dot; empty for what is none."""
    bare = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    with suppress(ValueError):
        found = ip_address(bare)
        mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
        return str(mapped or found)
    if bare != text:
        return ""
    if len(bare) > LONGEST + len("."):
        return ""
    try:
        name = bare.removesuffix(".").encode("idna").decode().lower()
    except UnicodeError:
        return ""
    return name if NAME.match(name) else ""


def read_place(text: str) -> Place | None:
    """`api.example.org`, `*.example.org`, with a port or without, or `[2001:db8::1]:8443`; else None."""
    pattern = text.startswith(ANY)
    rest = text.removeprefix(ANY)
    host, port = rest, ""
    if not canonical_host(rest):
        host, _, port = rest.rpartition(":")
        if not (port.isascii() and port.isdigit() and 0 < int(port[:6]) <= HIGHEST_PORT):
            return None
    found = canonical_host(host)
    if not found or (pattern and (is_address(found) or "." not in found)):
        return None
    return Place(found, int(port or 0), pattern)


def place_of(url: str) -> Place | None:
    """The host and port that a web address is sent to; None where readers of it could disagree."""
    parts = ADDRESS.match(url)
    if parts is None or UNSAFE.search(url):
        return None
    scheme, rest = parts[1].lower(), parts[2]
    place = read_place(rest)
    if place is None or place.pattern or (rest.count(":") > 1 and not rest.startswith("[")):
        return None
    return replace(place, port=place.port or PORTS[scheme])


def is_address(host: str) -> bool:
    """Whether a canonical host is an address and no name."""
    with suppress(ValueError):
        return bool(ip_address(host))
    return False


def is_ourselves(host: str) -> bool:
    """Whether a canonical host is this machine by its text alone; a name that resolves to it is not."""
    if host == OURSELVES or host.endswith(f".{OURSELVES}"):
        return True
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return False


def names_it(hosts: Iterable[str], url: str) -> bool:
    """Whether one of these hosts, as they are kept, means the address."""
    place = place_of(url)
    places = (read_place(each) for each in hosts)
    return place is not None and any(each.covers(place) for each in places if each is not None)


def agrees_to(hosts: Iterable[str], before: str, url: str) -> bool:
    """Whether one of these hosts says yes to moving from one address to the other, so that nobody is asked.

    A host without a port says yes to HTTPS at its own port. Another port is named; and what was sent over TLS
    goes on in clear only to port 80 where that is named, and to this machine.
    """
    place = place_of(url)
    if place is None or (takes_tls_off(before, url) and place.port != PORTS["http"]):
        return False
    places = [replace(each, port=each.port or PORTS["https"]) for each in map(read_place, hosts) if each]
    return any(each.covers(place) for each in places)


def takes_tls_off(before: str, url: str) -> bool:
    """Whether what was sent to the one over TLS would go to the other in clear, and leave this machine."""
    place = place_of(url)
    leaves = place is None or not is_ourselves(place.host)
    return leaves and before.lower().startswith("https:") and not url.lower().startswith("https:")


def why_not_sent(name: str, hosts: Sequence[str], url: str, published: str) -> str:
    """Why the secret of this name is not sent to this address, and what to do; empty where it is."""
    place = place_of(url)
    if place is None:
        return f"{name} is not sent to {url[:200]}: write https://HOST/PATH, without a name or a password"
    if hosts and names_it(hosts, url):
        return ""
    if not hosts and (is_ourselves(place.host) or _is_published(url, published)):
        return ""
    serves = ", ".join(hosts) if hosts else (str(place_of(published)) if published else "no host yet")
    short = name.removeprefix("secret://")
    return (
        f"{name} is not sent to {place}: it serves {serves}; "
        f"if it belongs there: setpoint secret set {short} --host {place}"
    )


def _is_published(url: str, published: str) -> bool:
    """The same host and port, and never in clear where the vendor's own is not."""
    secure = url.lower().startswith("https:") or not published.startswith("https:")
    return bool(published) and secure and place_of(url) == place_of(published)
