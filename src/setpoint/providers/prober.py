"""Probes from where we run."""

import asyncio
from collections.abc import Callable
from typing import Final

from msgspec import Struct, field

from setpoint.capabilities.probe import Probed
from setpoint.providers.outbound import EVERYWHERE, Guard
from setpoint.providers.wire import Asked, Lost, SocketWire, Unreachable, Wire

READ_BYTES: Final = 65_536
ANYWHERE: Final = Guard(allowed=EVERYWHERE)


class Prober(Struct):
    """Every failure is a finding, never an error."""

    monotonic: Callable[[], float]
    wire: Wire = field(default_factory=SocketWire)
    guard: Guard = ANYWHERE

    async def http(self, url: str, timeout: float) -> Probed:  # noqa: ASYNC109 - the time-out is a finding
        began = self.monotonic()
        asked = Asked("GET", url, {}, seconds=timeout, at_most=READ_BYTES)
        try:
            status = (await self.wire.ask(asked)).status
        except (Unreachable, Lost, TimeoutError) as error:
            return Probed(up=False, milliseconds=self._since(began), error=_words(error))
        return Probed(up=True, milliseconds=self._since(began), http_status=status)

    async def tcp(self, host: str, port: int, timeout: float) -> Probed:  # noqa: ASYNC109 - as above
        began = self.monotonic()
        try:
            async with asyncio.timeout(timeout):
                await self.guard.connect(host, port)
        except (OSError, TimeoutError, ValueError, OverflowError) as error:
            # The last two: a name that no resolver takes, a port that cannot be.
            return Probed(up=False, milliseconds=self._since(began), error=_words(error))
        return Probed(up=True, milliseconds=self._since(began))

    async def close(self) -> None:
        await self.wire.close()

    def _since(self, began: float) -> float:
        return (self.monotonic() - began) * 1000


def _words(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    return str(error) or type(error).__name__
