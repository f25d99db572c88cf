"""All three services in one process on one SQLite file: `setpoint up`."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from setpoint import system
from setpoint.bootstrap import Application, Parts, build, hash_token
from setpoint.drive.installation import begun
from setpoint.drive.runtime import RealRuntime
from setpoint.engine.errors import Denied
from setpoint.engine.kind import Kind
from setpoint.engine.rows import Installation, Token
from setpoint.engine.store import Change, Put, Store
from setpoint.kinds import ALL
from setpoint.providers.secrets import FolderSecrets
from setpoint.settings import Settings
from setpoint.storage.sqlite import open_sqlite

DRAIN_SECONDS = 5
Tasks = tuple[asyncio.Task[None], ...]


@dataclass(frozen=True, slots=True)
class Running:
    """What a started control plane tells whoever started it."""

    url: str
    token: str
    application: Application
    services: Tasks
    """Run until stopped; one that ends earlier has failed."""


@contextlib.asynccontextmanager
async def running(settings: Settings, kinds: tuple[Kind, ...] = ALL) -> AsyncIterator[Running]:
    """Started, reachable and working; stopped gracefully at the end."""
    folder = Path(settings.data)
    store = await open_sqlite(folder)
    try:
        listener = _listener(settings.host, settings.port)
        url = settings.url or f"http://{settings.host}:{listener.getsockname()[1]}"
        parts = Parts(
            store=store,
            runtime=RealRuntime(system.now, system.new_id, system.new_random()),
            secrets=FolderSecrets(folder / "secrets"),
            installation=await begun(store, Installation(id=system.new_id(), secret=system.new_secret())),
            settings=settings,
            url=url,
            kinds=kinds,
        )
        application = build(parts)
        await application.load()
        token = await _administrator(store, folder)
        async with _serving(application, listener) as services:
            yield Running(url, token, application, services)
    finally:
        await store.close()


async def up(settings: Settings, ready: Callable[[Running], None], stopped: asyncio.Event) -> None:
    """Runs until told to stop."""
    async with running(settings) as run:
        ready(run)
        told = asyncio.create_task(stopped.wait())
        ended, _ = await asyncio.wait({told, *run.services}, return_when=asyncio.FIRST_COMPLETED)
        told.cancel()
        for service in ended - {told}:
            raise Denied(f"the {service.get_name()} ended by itself: {service.exception()!r}")


def _listener(host: str, port: int) -> socket.socket:
    """With the protocol named, asyncio turns Nagle off; otherwise small answers wait for an echo."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise Denied(
            f"cannot listen on {host}:{port}: {error.strerror}; choose another with --port"
        ) from error
    listener.listen(2048)
    return listener


@contextlib.asynccontextmanager
async def _serving(application: Application, listener: socket.socket) -> AsyncIterator[Tasks]:
    config = uvicorn.Config(
        application.api,
        log_config=None,
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=DRAIN_SECONDS,
    )
    server = _Server(config)
    serving = [
        asyncio.create_task(server.serve(sockets=[listener]), name="api"),
        asyncio.create_task(application.signs.run(), name="signs"),
        asyncio.create_task(application.scheduling.run(), name="scheduler"),
        asyncio.create_task(application.working.run(), name="worker"),
    ]
    try:
        while not server.started:  # noqa: ASYNC110 - uvicorn offers a flag, no event
            await asyncio.sleep(0.01)
        yield tuple(serving)
    finally:
        application.stop()
        serving[1].cancel()
        await asyncio.gather(*serving[1:], return_exceptions=True)
        server.should_exit = True
        await asyncio.gather(serving[0], return_exceptions=True)
        await application.signs.flush()
        await application.close()


class _Server(uvicorn.Server):
    """Signals are the process's business, not the web server's."""

    @contextlib.contextmanager
    def capture_signals(self):  # type: ignore[no-untyped-def]
        yield


async def _administrator(store: Store, folder: Path) -> str:
    """The administrator's token, made at the first start and kept in a file only its owner can read."""
    file = folder / "admin.token"
    if not file.exists():
        # Whole or not at all: a crash must not leave an empty token behind.
        draft = folder / "admin.token.new"
        draft.unlink(missing_ok=True)
        draft.touch(mode=0o600)
        draft.write_text(system.new_secret())
        draft.rename(file)
    token = file.read_text().strip()
    row = Token(
        hash=hash_token(token), subject="administrator", role="administrator", created_at=system.now()
    )
    await store.commit(Change(writes=(Put(row),)))
    return token
