"""HTTP over real sockets, by aiohttp."""

import socket
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.connector import Connection

from setpoint.providers.lookups import LookUps
from setpoint.providers.outbound import Forbidden, Guard
from setpoint.providers.wire import Asked, Lost, Reply, Unreachable, require_time


class Sockets:
    """A session that is opened when first needed and closed once. A guard judges every address."""

    def __init__(self, guard: Guard | None = None, *, kept: bool = False) -> None:
        self._session: aiohttp.ClientSession | None = None
        self._guard, self._kept = guard, kept

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
            why = error.os_error if isinstance(error.os_error, Forbidden) else error
            raise Unreachable(str(why)) from error
        except (aiohttp.ClientError, ValueError) as error:
            if isinstance(error, TimeoutError):
                raise
            raise Lost(str(error) or type(error).__name__) from error

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(request_class=_Punctual, connector=self._connector())
        return self._session

    def _connector(self) -> aiohttp.TCPConnector | None:
        """Connections of tenants are not kept for other requests, and their names are resolved every time.

        Those of one account are its own, and may be kept: each was judged when it was made.
        """
        if self._guard is None:
            return None
        if self._kept:
            return aiohttp.TCPConnector(
                socket_factory=self._guard.socket, use_dns_cache=False, resolver=_Names(self._guard.names)
            )
        return aiohttp.TCPConnector(
            socket_factory=self._guard.socket,
            use_dns_cache=False,
            resolver=_Names(self._guard.names),
            force_close=True,
            limit_per_host=4,
        )


class _Names(AbstractResolver):
    """Our look-ups, as aiohttp asks for them."""

    def __init__(self, names: LookUps) -> None:
        self._names = names

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        return [
            ResolveResult(
                hostname=host,
                host=_numeric(where),
                port=port,
                family=found,
                proto=protocol,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for found, _, protocol, _, where in await self._names.addresses(host, port, family)
        ]

    async def close(self) -> None:
        """Nothing is held open."""


def _numeric(where: tuple[Any, ...]) -> str:
    """With its zone, where it is an address of one link."""
    return socket.getnameinfo(where, socket.NI_NUMERICHOST | socket.NI_NUMERICSERV)[0]


class _Punctual(aiohttp.ClientRequest):
    """Looks at the clock once more when it has its connection, which may have taken a while."""

    async def send(self, conn: Connection) -> aiohttp.ClientResponse:
        require_time()
        return await super().send(conn)
