"""The services as processes: all three in one (`setpoint up`), or each on its own with PostgreSQL between."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Final, Literal

import uvicorn
from msgspec import Struct
from starlette.types import ASGIApp

from setpoint import system
from setpoint.api.connections import Connections, allowance
from setpoint.api.headers import SafeHeaders
from setpoint.api.protocol import OneWrite
from setpoint.bootstrap import Application, Parts, build
from setpoint.capabilities.world import Secrets
from setpoint.drive.halting import Halting
from setpoint.drive.installation import known, same_seal
from setpoint.drive.log import logged
from setpoint.drive.newest import Newest
from setpoint.drive.runtime import RealRuntime
from setpoint.engine.entity import Ref
from setpoint.engine.errors import FAILURES, Denied, Transient
from setpoint.engine.kind import Kind
from setpoint.engine.rows import Installation, Mode, Switch
from setpoint.engine.store import Store
from setpoint.first_start import administrator, first_link
from setpoint.kinds import ALL, by_name
from setpoint.log import Log
from setpoint.providers.key_file import people_key
from setpoint.providers.seal import AesSeal
from setpoint.providers.secrets import FolderSecrets
from setpoint.providers.smtp import mail_by
from setpoint.settings import EVERYWHERE, Settings, address_of
from setpoint.storage.sqlite import open_sqlite
from setpoint.storage.switch_file import SwitchFile
from setpoint.vault.enrolment import genuine
from setpoint.vault.keeper import Keeper
from setpoint.vault.keyring import established, missing
from setpoint.vault.master import master_file
from setpoint.vault.secrets import SealedSecrets
from setpoint.vault.signer import Signer

DRAIN_SECONDS = 5
DATABASE_SECONDS = 60.0
LINKS_CURE = "say where people reach this: SETPOINT_PUBLIC_URL=https://setpoint.example.org"
SEAL_CURE = "give every replica of the API the same one: people_key_file"
Tasks = tuple[asyncio.Task[None], ...]
Named = Literal["api", "worker", "scheduler"]
EVERY: Final[frozenset[Named]] = frozenset(("api", "worker", "scheduler"))

log = Log("setpoint")


class Running(Struct, frozen=True):
    """What a started control plane tells whoever started it."""

    url: str
    """Where it listens, as somebody on this machine reaches it."""
    token: str
    application: Application
    services: Tasks
    """Run until stopped; one that ends earlier has failed."""
    link: str = ""
    """Where the first administrator sets up an account, while there is none."""
    paused: str = ""
    """Who paused everything, and why: a person, a restore, or this start, where its database is a copy."""


@contextlib.asynccontextmanager
async def running(
    settings: Settings, kinds: tuple[Kind, ...] = ALL, services: frozenset[Named] = EVERY
) -> AsyncIterator[Running]:
    """Started, reachable and working; stopped gracefully at the end."""
    folder = Path(settings.data)
    store = await opened(settings, services)
    try:
        vault = await _vault(settings, store, services, kinds)
        listener = _listener(settings.host, settings.port)
        url = _reached(settings, listener.getsockname()[1])
        halting = await _switch_file(store, folder)
        parts = Parts(
            store=store,
            halted=halting.file.stopped,
            runtime=RealRuntime(system.now, system.new_id, system.new_random()),
            secrets=vault.secrets,
            installation=await known(store, Installation(id=system.new_id())),
            owner=system.new_id(),
            alone=not settings.database,
            settings=settings,
            url=settings.public_url.rstrip("/") or url,
            key=await asyncio.to_thread(people_key, settings) if "api" in services else "",
            enrolment=vault.enrolment,
            genuine=partial(genuine, store),
            kinds=kinds,
            mail=await asyncio.to_thread(mail_by, settings, logged("mail")),
        )
        await _compare_seals(store, parts.key)
        newest = await _newest(store, folder)
        application = build(parts)
        token = await administrator(store, folder) if "api" in services else ""
        async with (
            _beside(newest, halting, services),
            _keeping(vault.keeper) as kept,
            _serving(application, listener, settings, services) as tasks,
        ):
            link = await first_link(store, parts.url) if "api" in services else ""
            yield Running(url, token, application, (*tasks, *kept), link, await _paused(store))
    finally:
        await store.close()


def _reached(settings: Settings, port: int) -> str:
    url = address_of(settings.host, port)
    if settings.host in EVERYWHERE and not settings.public_url:
        log.warning("links in letters lead to this machine only", url=url, cure=LINKS_CURE)
    return url


async def _compare_seals(store: Store, key: str) -> None:
    if key and not await same_seal(store, AesSeal(key, system.new_secret)):
        log.warning("another people.key than before: no code of an authenticator is taken", cure=SEAL_CURE)


class _Vault(Struct, frozen=True):
    """Who opens secrets here, who gives out enrolment tokens, and who makes keys."""

    secrets: Secrets
    enrolment: Callable[[Ref, str], Awaitable[str]]
    keeper: Keeper | None = None


async def _none_given(host: Ref, act: str) -> str:
    raise Denied("an API that is alone makes no server, and no token for one")


async def _vault(
    settings: Settings, store: Store, services: frozenset[Named], kinds: tuple[Kind, ...]
) -> _Vault:
    """An API that is alone never sees the master key."""
    folder = FolderSecrets(Path(settings.data) / "secrets")
    if services == {"api"}:
        return _Vault(folder, _none_given)
    ring = await established(store, master_file(settings), alone=not settings.database)
    keeper = Keeper(store, ring, system.now, by_name(kinds), logged("keys")) if "worker" in services else None
    if why := await missing(store, ring):
        log.warning("no sealed secret can be opened here", why=why)
    elif keeper is not None:
        with contextlib.suppress(Transient):  # Its keys cannot be read: no server is made, the rest goes on.
            await keeper.provide_enrolments()
    return _Vault(SealedSecrets(store, ring, system.now, folder), Signer(store, ring).issue, keeper)


@contextlib.asynccontextmanager
async def _keeping(keeper: Keeper | None) -> AsyncIterator[Tasks]:
    if keeper is None:
        yield ()
        return
    task = asyncio.create_task(keeper.run(), name="keys")
    try:
        yield (task,)
    finally:
        keeper.stop()
        await asyncio.gather(task, return_exceptions=True)


async def opened(settings: Settings, services: frozenset[Named] = EVERY) -> Store:
    """The store of these settings, opened for what these services write."""
    folder = Path(settings.data)
    if not settings.database:
        return await open_sqlite(folder)
    await asyncio.to_thread(folder.mkdir, mode=0o700, parents=True, exist_ok=True)
    try:
        from setpoint.storage.postgres import open_postgres  # noqa: PLC0415 - not everybody has asyncpg
    except ImportError as error:
        raise Denied(f"{error}; install it with: pip install 'setpoint[postgres]'") from error
    [role] = services if len(services) == 1 else (None,)
    give_up_at = system.monotonic() + DATABASE_SECONDS
    while True:
        try:
            return await open_postgres(
                settings.database,
                role=role,
                allow_unsafe=settings.allow_unsafe_database,
                hints=settings.hints,
            )
        except Transient as error:
            # After a power cut the database may be up later than we are.
            if system.monotonic() > give_up_at:
                raise
            log.warning("waiting for the database", why=str(error))
            await asyncio.sleep(1.0)


async def up(
    settings: Settings, ready: Callable[[Running], None], stopped: asyncio.Event, services: frozenset[Named]
) -> None:
    """Runs until told to stop, also while it still waits for its database."""
    told = asyncio.create_task(stopped.wait())
    async with contextlib.AsyncExitStack() as stack:
        starting = asyncio.create_task(stack.enter_async_context(running(settings, services=services)))
        await asyncio.wait({told, starting}, return_when=asyncio.FIRST_COMPLETED)
        if not starting.done():
            starting.cancel()
            await asyncio.wait({starting})
            return
        run = starting.result()
        ready(run)
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
async def _serving(
    application: Application, listener: socket.socket, settings: Settings, services: frozenset[Named]
) -> AsyncIterator[Tasks]:
    connections = Connections(allowance(settings, system.most_files()))
    app = application.api if "api" in services else SafeHeaders(application.health)
    server = _Server(_config(app, connections))
    works: dict[str, tuple[Named, Callable[[], Coroutine[None, None, None]]]] = {
        "signs": ("api", application.signs.run),
        "shipping": ("api", application.shipping.run),
        "scheduler": ("scheduler", application.scheduling.run),
        "pulse": ("scheduler", partial(application.scheduler.beat, application.scheduling)),
        "worker": ("worker", application.working.run),
        **{f"runner {n}": ("worker", each.run) for n, each in enumerate(application.background)},
    }
    web = asyncio.create_task(server.serve(sockets=[listener]), name="api")
    watching = asyncio.create_task(connections.run(), name="connections")
    others = {
        name: asyncio.create_task(run(), name=name) for name, (of, run) in works.items() if of in services
    }
    try:
        while not server.started:  # noqa: ASYNC110 - uvicorn offers a flag, no event
            await asyncio.sleep(0.01)
        yield (web, watching, *others.values())
    finally:
        application.stop()
        for endless in {"signs", "pulse", "shipping"} & others.keys():
            others[endless].cancel()
        await asyncio.gather(*others.values(), return_exceptions=True)
        server.should_exit = True
        watching.cancel()
        await asyncio.gather(web, watching, return_exceptions=True)
        await _written(application, services)
        await application.close()


async def _written(application: Application, services: frozenset[Named]) -> None:
    """What is only in memory, before the store is closed."""
    await application.signs.flush()
    if "api" in services:
        with contextlib.suppress(*FAILURES):  # The store is away: the next start ships what there is.
            await application.shipping.ship()


def _config(app: ASGIApp, connections: Connections) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=partial(OneWrite, connections=connections),  # type: ignore[arg-type]
        log_config=None,
        access_log=False,
        proxy_headers=False,  # Who is believed about that is ours to say, see `api/arrival.py`.
        server_header=False,
        lifespan="off",
        timeout_graceful_shutdown=DRAIN_SECONDS,
        # Longer than clients and proxies keep a connection: a request must not meet our goodbye.
        timeout_keep_alive=75,
    )


async def _paused(store: Store) -> str:
    switch = await store.get(Switch, "all")
    return (
        "" if switch is None or switch.mode is Mode.RUN else f"{switch.mode} by {switch.by}: {switch.reason}"
    )


async def _newest(store: Store, folder: Path) -> Newest:
    newest = Newest(store, folder, system.now)
    await newest.begin()
    return newest


@contextlib.asynccontextmanager
async def _beside(newest: Newest, halting: Halting, services: frozenset[Named]) -> AsyncIterator[None]:
    """What watches the files in the data folder."""
    async with _noting(newest), _halting(halting, services):
        yield


@contextlib.asynccontextmanager
async def _noting(newest: Newest) -> AsyncIterator[None]:
    noting = asyncio.create_task(newest.run(), name="newest")
    try:
        yield
    finally:
        noting.cancel()
        await asyncio.gather(noting, return_exceptions=True)
        with contextlib.suppress(*FAILURES):  # The store is away: what was noted before stands.
            await newest.note()


async def _switch_file(store: Store, folder: Path) -> Halting:
    """The file that stops everything here, made while there is room for it."""
    file = SwitchFile(folder)
    await asyncio.to_thread(file.prepare, system.new_id())
    return Halting(store, file, system.now)


@contextlib.asynccontextmanager
async def _halting(halting: Halting, services: frozenset[Named]) -> AsyncIterator[None]:
    """Only the Control API moves switches; the file itself is asked by every service."""
    if "api" not in services:
        yield
        return
    with contextlib.suppress(*FAILURES):
        await halting.settle()
    task = asyncio.create_task(halting.run(), name="halting")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


class _Server(uvicorn.Server):
    """Signals are the process's business, not the web server's."""

    @contextlib.contextmanager
    def capture_signals(self):  # type: ignore[no-untyped-def]
        yield
