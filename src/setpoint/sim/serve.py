"""Serves a simulator on a real socket, in the event loop that is already running."""

import asyncio
import contextlib
import logging
import socket
from collections.abc import AsyncIterator, Callable
from typing import Protocol

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn import Config, Server
from uvicorn.protocols.http.h11_impl import H11Protocol

# The name under which an application finds the function that drops its connection without a word.
DROP = "setpoint.drop"


class Sim(Protocol):
    """What can be served: a simulator of any cloud."""

    @property
    def app(self) -> ASGIApp: ...

    async def close(self) -> None: ...


async def serve(sim: Sim, *, port: int, host: str = "127.0.0.1", ready: Callable[[str], None]) -> None:
    """Serves until cancelled, then closes the simulator; port 0 takes a free one."""
    async with running(sim, port=port, host=host) as url:
        ready(url)
        await asyncio.Event().wait()


@contextlib.asynccontextmanager
async def running(sim: Sim, *, port: int = 0, host: str = "127.0.0.1") -> AsyncIterator[str]:
    """The simulator on a socket, at the url it yields; afterwards it is closed."""
    listener = _listener(host, port)
    server = Server(_config(sim.app))
    server.config.load()
    server.lifespan = server.config.lifespan_class(server.config)
    await server.startup(sockets=[listener])
    try:
        yield f"http://{host}:{listener.getsockname()[1]}"
    finally:
        await _stop(server)
        await sim.close()


def _listener(host: str, port: int) -> socket.socket:
    # Named as TCP, or asyncio leaves Nagle's algorithm on and every reply waits 40 ms for an acknowledgement.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError:
        listener.close()
        raise
    return listener


def _config(app: ASGIApp) -> Config:
    # Only mistakes of ours are worth a line; a request that was cut off is what a simulator is for.
    log = logging.getLogger("uvicorn.error")
    log.setLevel(logging.ERROR)
    log.addFilter(_is_a_mistake)
    # Without a date header nothing in uvicorn has to tick.
    return Config(
        app,
        http=_Droppable,
        interface="asgi3",
        lifespan="off",
        proxy_headers=False,
        log_config=None,
        access_log=False,
        date_header=False,
        server_header=False,
        timeout_keep_alive=75,
    )


def _is_a_mistake(record: logging.LogRecord) -> bool:
    return record.exc_info is None or not isinstance(record.exc_info[1], asyncio.CancelledError)


async def _stop(server: Server) -> None:
    """Hangs up on everybody: uvicorn's own shutdown waits for callers, and a hanging fault never ends."""
    for listening in server.servers:
        listening.close()
    for connection in tuple(server.server_state.connections):
        connection.transport.abort()
    # Connections must know that they are lost before their requests are cancelled.
    await asyncio.sleep(0)
    tasks = tuple(server.server_state.tasks)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


class _Droppable(H11Protocol):
    """HTTP whose application can drop the connection, which no ASGI message can ask for."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        app = self.app

        async def with_drop(scope: Scope, receive: Receive, send: Send) -> None:
            await app({**scope, "extensions": {DROP: transport.abort}}, receive, send)

        self.app = with_drop
