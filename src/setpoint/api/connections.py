"""Connections: how many there may be, in all and from one address, and how long each may take to ask.

Each is a file of the process, and the store and the providers need theirs whatever callers do.
Deadlines are kept by one walk a second over all connections, so that a request costs no timer.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from enum import Enum
from ipaddress import IPv6Address, ip_address
from typing import Final, Protocol

from msgspec import Struct

from setpoint.access.network import lies_in
from setpoint.settings import Settings

EVERY_SECONDS: Final = 1.0
IDLE_SECONDS: Final = 90.0
"""Longer than the server itself keeps a quiet connection: this ends those that feign to begin."""
STUCK_SECONDS: Final = 60.0
"""So long a reader may take nothing of what it asked for."""
MOST: Final = 50_000
RESERVE_SHARE, RESERVE_LEAST = 0.25, 64
"""Of the files: for the store, providers, probes and what the process itself has open."""
ADDRESS_SHARE: Final = 0.25
NETWORK_BITS: Final = 64
"""What one customer of an IPv6 network has to choose from counts as one address."""


class Stage(Enum):
    """What a connection is at."""

    HEAD = "head"
    BODY = "body"
    ANSWER = "answer"
    IDLE = "idle"


class Allowance(Struct, frozen=True):
    """How many, and how long."""

    all: int = MOST
    per_address: int = MOST
    seconds: float = 15.0
    """For the head of a request; for its body four times that."""
    behind: Callable[[str], bool] = lambda address: False
    """Whether many callers come through this address, as through a proxy: then it has no share of its own."""


def allowance(settings: Settings, files: int) -> Allowance:
    """From the settings, and from how many files the process may have open."""
    spare = files - max(RESERVE_LEAST, int(files * RESERVE_SHARE))
    most = max(1, min(settings.connections or MOST, spare))
    each = settings.connections_per_address or max(1, int(most * ADDRESS_SHARE))
    proxies = tuple(filter(None, map(str.strip, settings.trusted_proxies.split(","))))
    return Allowance(most, min(each, most), settings.head_seconds, lambda address: lies_in(address, proxies))


class Connection(Protocol):
    """One of them, as it is looked at."""

    stage: Stage
    since: float

    def unsent(self) -> int: ...

    def end(self) -> None:
        """Says that it took too long, where that can be said, and hangs up."""
        ...


class Connections:
    """All of one process."""

    def __init__(self, allowed: Allowance) -> None:
        self._allowed = allowed
        self._from: Counter[str] = Counter()
        self._open: dict[Connection, str] = {}
        self._stuck: dict[Connection, tuple[int, float]] = {}

    def admit(self, connection: Connection, address: str) -> str:
        """Why it may not come in; empty where it may."""
        key, allowed = _counted(address), self._allowed
        if len(self._open) >= allowed.all:
            return f"{allowed.all} connections are open, and more are not taken; try again in a moment"
        if self._from[key] >= allowed.per_address and not allowed.behind(address):
            return f"{allowed.per_address} connections are open from {key}, and more are not taken"
        self._open[connection] = key
        self._from[key] += 1
        return ""

    def forget(self, connection: Connection) -> None:
        key = self._open.pop(connection, None)
        self._stuck.pop(connection, None)
        if key is not None:
            self._from[key] -= 1
            if not self._from[key]:
                del self._from[key]

    def end_late(self, now: float) -> None:
        """Hangs up on whoever took too long to ask, or takes nothing of the answer."""
        head = self._allowed.seconds
        longest = {Stage.HEAD: head, Stage.BODY: 4 * head, Stage.IDLE: IDLE_SECONDS}
        for each in tuple(self._open):
            late = now - each.since > longest.get(each.stage, now)
            if late or self._is_stuck(each, now):
                each.end()

    async def run(self) -> None:
        while True:
            await asyncio.sleep(EVERY_SECONDS)
            self.end_late(asyncio.get_running_loop().time())

    def _is_stuck(self, connection: Connection, now: float) -> bool:
        """Nothing of what waits to be sent went out for long."""
        size = connection.unsent()
        if not size:
            self._stuck.pop(connection, None)
            return False
        before, since = self._stuck.get(connection, (size + 1, now))
        self._stuck[connection] = (size, now) if size < before else (before, since)
        return now - self._stuck[connection][1] > STUCK_SECONDS


def _counted(address: str) -> str:
    """The address, or the network of one IPv6 customer."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(found, IPv6Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    network = IPv6Address(int(found) >> NETWORK_BITS << NETWORK_BITS)
    return f"{network}/{NETWORK_BITS}"
