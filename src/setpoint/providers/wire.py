"""HTTP as adapters need it: one request, one whole reply. Over sockets here; the simulation has its own."""

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import Final, Protocol

from msgspec import Struct

from setpoint.capabilities.urgency import UNTIL
from setpoint.providers.outbound import Guard

CALL_SECONDS: Final = 15.0


class Asked(Struct, frozen=True):
    """One request, before it is sent."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None = None
    params: Mapping[str, str] | None = None
    seconds: float = CALL_SECONDS
    at_most: int = -1
    """So many bytes of the reply are read; all of them if negative."""


class Reply(Struct, frozen=True):
    """What came back, read to its end."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def good(self) -> bool:
        return 200 <= self.status < 300  # noqa: PLR2004


class Unreachable(Exception):
    """Nobody was there to be asked, so nothing was done."""


class Lost(Exception):
    """It was asked, and no whole reply came."""


class Wire(Protocol):
    """Follows no redirect. Raises Unreachable, Lost, or TimeoutError when the request's time is up.

    Calls `require_time` right before it sends.
    """

    async def ask(self, asked: Asked) -> Reply: ...

    async def close(self) -> None: ...


def require_time() -> None:
    """Unreachable when the time is up. A process that was frozen must not send what others count as over."""
    late = asyncio.get_running_loop().time() - UNTIL.get()
    if late > 0:
        raise Unreachable(f"the time for it was up {late:.1f} s before it could be sent")


class SocketWire:
    """Opened when first needed and closed once. Its library is loaded then, beside the event loop.

    It is a quarter of what a control plane would load before its first answer. A guard judges every address.
    """

    def __init__(self, guard: Guard | None = None, *, kept: bool = False) -> None:
        self._opened: Wire | None = None
        self._made = partial(_sockets, guard, kept=kept)

    async def ask(self, asked: Asked) -> Reply:
        if self._opened is None:
            await asyncio.to_thread(self._made)
        return await self._wire().ask(asked)

    async def close(self) -> None:
        if self._opened is not None:
            await self._opened.close()

    def _wire(self) -> Wire:
        if self._opened is None:
            self._opened = self._made()
        return self._opened


def account_wire(guard: Guard) -> Wire:
    """To one account: its connections are kept, each judged when it is made."""
    return SocketWire(guard, kept=True)


def _sockets(guard: Guard | None, *, kept: bool) -> Wire:
    from setpoint.providers.sockets import Sockets  # noqa: PLC0415 - see above

    return Sockets(guard, kept=kept)
