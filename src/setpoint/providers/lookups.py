"""Names looked up for outgoing calls: on threads of their own, few at once for each organization.

The system's own look-up blocks and cannot be called off: a name whose servers never answer holds a thread for
as long as the system tries. So whoever names such hosts waits for their own look-ups, and nobody else does.
"""

import asyncio
import socket
import threading
from collections import defaultdict
from collections.abc import Callable
from typing import Any, Final

from setpoint.access.hosts import canonical_host
from setpoint.capabilities.urgency import BEHALF

EACH: Final = 4
"""Of one organization at once; further ones wait for these."""
ALL: Final = 256
"""Of all together: a thread that waits costs next to nothing."""
SECONDS: Final = 10.0
"""So long somebody waits at most, for their turn and for the answer."""
AddressInfo = tuple[Any, Any, int, str, tuple[Any, ...]]
"""As `getaddrinfo` tells it: family, type, protocol, name, and where to connect to."""
Ask = Callable[[str, int, int], list[AddressInfo]]


def ask_system(host: str, port: int, family: int) -> list[AddressInfo]:
    return socket.getaddrinfo(host, port, family, socket.SOCK_STREAM)


class LookUps:
    """All of one process."""

    def __init__(self, ask: Ask = ask_system) -> None:
        self._ask = ask
        self._all = asyncio.Semaphore(ALL)
        self._each: defaultdict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(EACH))

    async def addresses(self, host: str, port: int, family: int = 0) -> list[AddressInfo]:
        """OSError where there are none, also where nobody says so in time."""
        if not canonical_host(host):  # Long ones take the system minutes, here on the loop.
            raise OSError(f"{host[:64]} is no name of a host")
        try:
            return _written(host, port, family)
        except OSError:
            pass  # A name: it has to be looked up.
        try:
            async with asyncio.timeout(SECONDS):
                return await self._looked_up(host, port, family)
        except TimeoutError as error:
            raise OSError(f"no answer in {SECONDS:g} s to what the address of {host} is") from error

    async def _looked_up(self, host: str, port: int, family: int) -> list[AddressInfo]:
        loop, own = asyncio.get_running_loop(), self._each[BEHALF.get()]
        await own.acquire()
        try:
            await self._all.acquire()
        except asyncio.CancelledError:
            own.release()
            raise
        answer: asyncio.Future[list[AddressInfo]] = loop.create_future()

        def ended(found: list[AddressInfo] | Exception) -> None:
            # Only now, however long ago whoever asked has left: the thread was there until now.
            self._all.release()
            own.release()
            if answer.done():
                return
            if isinstance(found, Exception):
                answer.set_exception(found)
            else:
                answer.set_result(found)

        def look() -> None:
            found = _tried(self._ask, host, port, family)
            if not loop.is_closed():
                loop.call_soon_threadsafe(ended, found)

        threading.Thread(target=look, name="look up", daemon=True).start()
        return await answer


def _written(host: str, port: int, family: int) -> list[AddressInfo]:
    """Of what is an address already; OSError for a name. Nobody is asked."""
    return socket.getaddrinfo(host, port, family, socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)


def _tried(ask: Ask, host: str, port: int, family: int) -> list[AddressInfo] | Exception:
    try:
        return ask(host, port, family)
    except Exception as error:  # noqa: BLE001 - raised where it was asked
        return error
