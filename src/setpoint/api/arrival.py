"""From which address a request came, and by which name of ours: told once at the door, for all who decide.

The address decides which networks a token is for and whose tries are counted. A proxy is believed only where
the setting `trusted_proxies` names it: what anybody else says about whom they speak for is not even read.
"""

import socket
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct
from starlette.types import Scope

from setpoint.access.hosts import Place, canonical_host, is_address, is_ourselves, place_of, read_place
from setpoint.access.network import lies_in
from setpoint.api.problem import Refused
from setpoint.settings import Settings

FORWARDED_FOR: Final = b"x-forwarded-for"
FORWARDED: Final = b"forwarded"
PROBES: Final = ("/livez", "/readyz", "/startupz", "/metrics")
"""Asked by whoever runs the machine, by any name; they tell nothing about a tenant."""
MOST_HOPS: Final = 32
UNKNOWN: Final = "unknown"
"""Stands for an address where none is believed: it lies in no network, and all who have it count as one."""


class Arrival(Struct, frozen=True):
    """Which proxies are believed, and which names are ours besides addresses and this machine's own."""

    proxies: tuple[str, ...] = ()
    names: tuple[Place, ...] | None = None
    """None: by any name, for who serves no browser."""

    def noted(self, scope: Scope) -> Refused | None:
        """Puts the client's own address into the scope; the refusal where it was sent to another's name."""
        peer = scope.get("client")
        if peer is not None and self.proxies:
            host = read_client(scope["headers"], peer[0], self.proxies)
            scope["client"] = (host, peer[1] if host == peer[0] else 0)
        if self.names is None or scope["path"] in PROBES:
            return None
        # Each of them: who reads a request with two takes one of them, and not always the same.
        asked = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host" and value]
        others = (each for each in asked if not is_ours(each, self.names))
        return next(map(_misdirected, others), None)


def arrival_of(settings: Settings, url: str) -> Arrival:
    """As the settings say; the public address and this machine's name are ours without being named."""
    known = (url, f"http://{settings.host}", f"http://{socket.gethostname()}")
    ours = {place.host for each in known if (place := place_of(each)) is not None}
    named = (read_place(each) for each in _words(settings.allowed_hosts))
    places = (*map(Place, sorted(ours)), *(each for each in named if each is not None))
    return Arrival(_words(settings.trusted_proxies), places)


def is_ours(asked: str, names: Iterable[Place]) -> bool:
    """Whether a Host header is one of ours. An address always is: no name was bent to us."""
    place = read_place(asked)
    if place is None or place.pattern:
        return False
    if is_address(place.host) or is_ourselves(place.host):
        return True
    return any(each.covers(place) for each in names)


def read_client(headers: Iterable[tuple[bytes, bytes]], peer: str, proxies: Sequence[str]) -> str:
    """Returns the client as our proxies say, in the header that they write; `UNKNOWN` where two disagree.

    A proxy writes one of the two and lets the other pass as it was sent, so what disagrees may be made up.
    The peer's own address is no way out: our networks would then be open to who makes the two disagree.
    """
    sent = list(headers)
    ways = (read_forwarded_for(sent), read_forwarded(sent))
    found = {client_of(peer, hops, proxies) for hops in ways if hops}
    return found.pop() if len(found) == 1 else UNKNOWN if found else peer


def client_of(peer: str, hops: Sequence[str], proxies: Sequence[str]) -> str:
    """The first one, from our side, that is no proxy of ours; anybody could have written what lies behind."""
    found = peer
    for hop in reversed(hops[-MOST_HOPS:]):
        if not lies_in(found, proxies):
            break
        address = _address(hop)
        if not address:
            break  # Hidden or unreadable: the proxy that says so is the last that is known.
        found = address
    return found


def read_forwarded_for(headers: Iterable[tuple[bytes, bytes]]) -> list[str]:
    """Whom the request passed by `X-Forwarded-For`, the nearest last; nothing where it was not sent."""
    sent = _joined(headers, FORWARDED_FOR)
    return [each.strip() for each in sent.split(",")] if sent else []


def read_forwarded(headers: Iterable[tuple[bytes, bytes]]) -> list[str]:
    """Whom the request passed by `Forwarded`, the nearest last; nothing where it was not sent."""
    sent, hops = _joined(headers, FORWARDED), []
    for part in sent.split(",") if sent else ():
        pairs = (pair.partition("=") for pair in part.split(";"))
        hops.append(next((value for name, _, value in pairs if name.strip().lower() == "for"), ""))
    return hops


def _joined(headers: Iterable[tuple[bytes, bytes]], wanted: bytes) -> str:
    return ",".join(value.decode("latin-1") for name, value in headers if name == wanted)


def _address(hop: str) -> str:
    """`192.0.2.7`, `192.0.2.7:4711`, `"[2001:db8::1]:4711"`; empty for what is no address."""
    text = hop.strip().strip('"')
    host = canonical_host(text)
    if not is_address(host):
        place = read_place(text)
        host = place.host if place is not None else ""
    return host if is_address(host) else ""


def _misdirected(asked: str) -> Refused:
    detail = f"this installation does not answer to the name {asked[:200]!r}"
    hint = "whoever runs it: name it in SETPOINT_ALLOWED_HOSTS, or set SETPOINT_PUBLIC_URL"
    return Refused(421, "misdirected", detail, hint=hint)


def _words(text: str) -> tuple[str, ...]:
    return tuple(each.strip() for each in text.split(",") if each.strip())
