"""HTTP as adapters need it: one request, one whole reply. Over sockets here; the simulation has its own."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol

import aiohttp
from aiohttp.connector import Connection

from setpoint.capabilities.urgency import UNTIL

CALL_SECONDS: Final = 15.0


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, before it is sent."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None = None
    params: Mapping[str, str] | None = None
    seconds: float = CALL_SECONDS
    at_most: int = -1
    """So many bytes of the reply are read; all of them if negative."""


@dataclass(frozen=True, slots=True)
class Reply:
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
    """A session that is opened when first needed and closed once."""

    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None

    async def ask(self, asked: Asked) -> Reply:
        try:
            async with self._opened().request(
                asked.method,
                asked.url,
                headers=asked.headers,
                data=asked.body,
                params=asked.params,
                timeout=aiohttp.ClientTimeout(total=asked.seconds),
                allow_redirects=False,
            ) as response:
                return Reply(response.status, response.headers, await response.content.read(asked.at_most))
        except aiohttp.ClientConnectorError as error:
            raise Unreachable(str(error)) from error
        except (aiohttp.ClientError, ValueError) as error:
            if isinstance(error, TimeoutError):
                raise
            raise Lost(str(error) or type(error).__name__) from error

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(request_class=_Punctual)
        return self._session


class _Punctual(aiohttp.ClientRequest):
    """Looks at the clock once more when it has its connection, which may have taken a while."""

    async def send(self, conn: Connection) -> aiohttp.ClientResponse:
        require_time()
        return await super().send(conn)
