"""A relay on loopback between a browser and the server, which can be cut as a network is."""

import asyncio
import contextlib
import threading
from collections.abc import Coroutine, Iterator
from typing import Any
from urllib.parse import urlsplit

CHUNK = 65_536


class Relay:
    """Hands bytes on both ways while it is open; cut, it ends every connection and takes no new one."""

    def __init__(self, url: str) -> None:
        self._upstream = urlsplit(url)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._server: asyncio.Server | None = None
        self._pipes: set[asyncio.StreamWriter] = set()
        self._port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def open(self) -> None:
        """Lets connections through, on the same port as before."""
        self._do(self._open())

    def cut(self) -> None:
        """Resets what is connected, and refuses whoever comes."""
        self._do(self._cut())

    def start(self) -> None:
        self._thread.start()
        self.open()

    def stop(self) -> None:
        self.cut()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _open(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]

    async def _cut(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
        for pipe in self._pipes:
            pipe.transport.abort()
        self._pipes.clear()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        back, forth = await asyncio.open_connection(self._upstream.hostname, self._upstream.port)
        self._pipes |= {writer, forth}
        with contextlib.suppress(ConnectionError):
            await asyncio.gather(_carry(reader, forth), _carry(back, writer))
        self._pipes -= {writer, forth}


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while chunk := await reader.read(CHUNK):
        writer.write(chunk)
        await writer.drain()
    writer.close()


@contextlib.contextmanager
def relayed(url: str) -> Iterator[Relay]:
    """The same server through a relay."""
    relay = Relay(url)
    relay.start()
    try:
        yield relay
    finally:
        relay.stop()
