"""What stands between a watcher and the replicas: it picks one for each connection, and cuts it off."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from random import Random

from fleet import Member

EVERY_SO_OFTEN = 5
"""Every so many cuts it is the replica that dies, not the connection."""
MOST = 4.5  # Digits: a connection lasts from one byte to so many.


@dataclass
class Gateway:
    """Each connection ends after so many bytes, wherever in a frame that is, until there were enough."""

    members: list[Member]
    chance: Random
    rounds: int
    done: Counter[str] = field(default_factory=Counter)
    enough: asyncio.Event = field(default_factory=asyncio.Event)
    _served: set[asyncio.Task[None]] = field(default_factory=set)

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        try:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        finally:
            server.close()
            for task in self._served:
                task.cancel()
            await asyncio.gather(*self._served, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._serve(reader, writer))
        self._served.add(task)
        task.add_done_callback(self._served.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        member = self.chance.choice(self.members)
        try:
            upstream, downstream = await asyncio.open_connection("127.0.0.1", member.port)
        except OSError:  # It is being started again.
            self.done["nobody there"] += 1
            return writer.transport.abort()
        asking = asyncio.create_task(_passed_on(reader, downstream))
        try:
            with contextlib.suppress(OSError):
                if await self._answered(upstream, writer):
                    await self._strike(member)
        finally:
            asking.cancel()
            writer.transport.abort()
            downstream.transport.abort()

    async def _answered(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Whether so many bytes came; otherwise somebody else ended it before."""
        left = int(10 ** self.chance.uniform(0, MOST))
        while chunk := await reader.read(65536):
            cut = not self.enough.is_set() and len(chunk) >= left
            writer.write(chunk[:left] if cut else chunk)
            await writer.drain()
            if cut:
                return True
            left -= len(chunk)
        return False

    async def _strike(self, member: Member) -> None:
        self.done["rounds"] += 1
        if self.done["rounds"] % EVERY_SO_OFTEN == 0:
            self.done["kills"] += 1
            await member.kill()
            await member.start()
        if self.done["rounds"] >= self.rounds:
            self.enough.set()


async def _passed_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while chunk := await reader.read(65536):
            writer.write(chunk)
            await writer.drain()
