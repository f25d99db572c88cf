"""Probes from where we run."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

import aiohttp

from setpoint.capabilities.probe import Probed


@dataclass(slots=True)
class Prober:
    """One session for all probes; every failure is a finding, never an error."""

    monotonic: Callable[[], float]
    _session: aiohttp.ClientSession | None = field(default=None)

    async def http(self, url: str, timeout: float) -> Probed:  # noqa: ASYNC109 - the time-out is a finding
        began = self.monotonic()
        try:
            limit = aiohttp.ClientTimeout(total=timeout)
            async with self._opened().get(url, timeout=limit, allow_redirects=False) as response:
                await response.content.read(65536)
                return Probed(up=True, milliseconds=self._since(began), http_status=response.status)
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            return Probed(up=False, milliseconds=self._since(began), error=_words(error))

    async def tcp(self, host: str, port: int, timeout: float) -> Probed:  # noqa: ASYNC109 - as above
        began = self.monotonic()
        try:
            async with asyncio.timeout(timeout):
                _, writer = await asyncio.open_connection(host, port)
        except (OSError, TimeoutError, ValueError, OverflowError) as error:
            # The last two: a name that no resolver takes, a port that cannot be.
            return Probed(up=False, milliseconds=self._since(began), error=_words(error))
        took = self._since(began)
        writer.close()
        return Probed(up=True, milliseconds=took)

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession()
        return self._session

    def _since(self, began: float) -> float:
        return (self.monotonic() - began) * 1000


def _words(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    return str(error) or type(error).__name__
