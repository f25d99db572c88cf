"""Where accounts of providers may be. Judged at the socket, and where its text tells when it is declared."""

import socket
from collections.abc import Iterable
from ipaddress import ip_address
from typing import Final, cast
from urllib.parse import unquote, urlsplit

from msgspec.structs import replace

from setpoint.engine.entity import Shape
from setpoint.engine.kind import Kind
from setpoint.kinds.provider import PROVIDER, Provider
from setpoint.providers.lookups import LookUps
from setpoint.providers.outbound import Forbidden, Guard, networks
from setpoint.settings import Settings

ANY_PORT: Final = 443
OURSELVES: Final = "localhost"
UNSPECIFIED: Final = "0.0.0.0"  # noqa: S104 - stands for what is no address
PORTS: Final = {"http": 80, "https": 443}


def endpoint_guard(settings: Settings, names: LookUps) -> Guard:
    places = networks(settings.provider_places.split(","))
    return Guard(places, setting="provider_networks", names=names)


def judged(kinds: Iterable[Kind], guard: Guard) -> tuple[Kind, ...]:
    """The same kinds; a provider is refused where its address says that it will never be reached."""

    def check(spec: Shape) -> tuple[tuple[str, str], ...]:
        why = never_reached(cast(Provider, spec).endpoint, guard)
        return (("endpoint", why),) if why else ()

    return tuple(replace(kind, check=check) if kind.name == PROVIDER.name else kind for kind in kinds)


def never_reached(url: str, guard: Guard) -> str:
    """Why, if no look at a name is needed to know; any other name is judged when it is resolved."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError as error:
        return f"it is no address: {error}"
    if not host:
        return "it names no host"
    literal = _literal(host)
    try:
        if literal:
            guard.check(literal, ANY_PORT)
    except Forbidden as error:
        return str(error)
    return ""


def one_spelling(url: str) -> str:
    """The address without what may be written in several ways; one that cannot be read stays as it is."""
    try:
        parts = urlsplit(url.strip())
        port = parts.port or PORTS.get(parts.scheme.lower())
    except ValueError:
        return url
    host = (parts.hostname or "").rstrip(".")
    literal = ip_address(_literal(host) or UNSPECIFIED)
    # All ways to this very machine are one.
    mapped = getattr(literal, "ipv4_mapped", None) or literal
    host = OURSELVES if mapped.is_loopback else host if mapped.is_unspecified else str(mapped)
    path = "/".join(filter(None, unquote(parts.path).split("/")))
    return f"{host}:{port}/{path}"


def _literal(host: str) -> str:
    """The address that is written there, however it is spelt; empty for a name."""
    if host.rstrip(".") == OURSELVES or host.endswith(f".{OURSELVES}"):
        return "127.0.0.1"
    try:
        return str(ip_address(host.partition("%")[0]))
    except ValueError:
        pass
    try:
        # As resolvers read it: 127.1, 0x7f000001 and the like.
        return socket.inet_ntoa(socket.inet_aton(host))
    except (OSError, UnicodeError):
        return ""
