"""HTTP over real sockets, by aiohttp."""

import aiohttp
from aiohttp.connector import Connection

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
            return aiohttp.TCPConnector(socket_factory=self._guard.socket, use_dns_cache=False)
        return aiohttp.TCPConnector(
            socket_factory=self._guard.socket, use_dns_cache=False, force_close=True, limit_per_host=4
        )


class _Punctual(aiohttp.ClientRequest):
    """Looks at the clock once more when it has its connection, which may have taken a while."""

    async def send(self, conn: Connection) -> aiohttp.ClientResponse:
        require_time()
        return await super().send(conn)
