"""The only place where protocols meet implementations."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace
from starlette.applications import Starlette

from setpoint import kinds as all_kinds
from setpoint import pipelines as all_pipelines
from setpoint import system
from setpoint.access.credential import hash_page, hash_token
from setpoint.api.agents import Agents
from setpoint.api.app import build_app, health_app
from setpoint.api.drain import Drain
from setpoint.api.health import Health
from setpoint.api.identity import may_approve
from setpoint.api.observations import Observations
from setpoint.api.pen import Pen
from setpoint.api.people import People
from setpoint.api.quota import Quota
from setpoint.api.rate import Rates
from setpoint.api.rendered import Rendered
from setpoint.api.services import Services
from setpoint.api.signs import Signs
from setpoint.api.streams import Streams
from setpoint.api.validate import Validators
from setpoint.capabilities.people import Mail, Passwords
from setpoint.capabilities.world import Habits, Secrets, World
from setpoint.drive.chronicle import StoreChronicle
from setpoint.drive.drive import Drive
from setpoint.drive.fail_points import fail_point
from setpoint.drive.log import logged
from setpoint.drive.meter import Tally
from setpoint.drive.observations import Look
from setpoint.drive.ownership import Ownership
from setpoint.drive.shipping import Shipping, shipping_of
from setpoint.engine.company import Company
from setpoint.engine.declare import Declarer
from setpoint.engine.entity import Ref
from setpoint.engine.intent import Intent
from setpoint.engine.journal import Journal
from setpoint.engine.kind import Kind, Kinds
from setpoint.engine.loop import Loop
from setpoint.engine.outcome import Door
from setpoint.engine.owners import Owners
from setpoint.engine.reconcile import Reconciler
from setpoint.engine.rows import Installation, Service
from setpoint.engine.runtime import Runtime
from setpoint.engine.store import TASKS_OF, Store, held_acts, signs_of
from setpoint.providers.accounts import Accounts
from setpoint.providers.endpoint import endpoint_guard, judged
from setpoint.providers.lookups import LookUps
from setpoint.providers.outbound import PORTS, Guard, networks
from setpoint.providers.outbox import Outbox
from setpoint.providers.passwords import Argon2Passwords
from setpoint.providers.prober import Prober
from setpoint.providers.seal import AesSeal
from setpoint.providers.webhooks import Webhooks
from setpoint.providers.wire import SocketWire, Wire, account_wire
from setpoint.runners.choice import Background, chosen
from setpoint.runners.steps import Steps
from setpoint.scheduler.rehearsal import Rehearsal
from setpoint.scheduler.service import Scheduler
from setpoint.scheduler.standards import intervals_of, limits_of, narrower, standards
from setpoint.settings import Settings
from setpoint.vault.sealing import digest
from setpoint.worker.service import Worker


class Parts(Struct, frozen=True):
    """What production, tests and the simulation each choose for themselves."""

    store: Store
    runtime: Runtime
    secrets: Secrets
    installation: Installation
    owner: str
    """Names this process among the replicas."""
    alone: bool
    """Whether the store lets no second process in."""
    settings: Settings
    url: str
    key: str
    """Closes what people prove themselves with; kept outside the store."""
    enrolment: Callable[[Ref, str], Awaitable[str]]  # The token of a host for the server that an act makes.
    genuine: Callable[[str], Awaitable[bool]]  # Whether such a token was given out here.
    kinds: tuple[Kind, ...] = all_kinds.ALL
    monotonic: Callable[[], float] = system.monotonic
    new_secret: Callable[[], str] = system.new_secret
    passwords: Callable[[], Passwords] = Argon2Passwords
    mail: Callable[[Mail], Mail] = lambda outbox: outbox
    wire: Callable[[Guard], Wire] = account_wire  # Where tenants say their accounts are.
    outbound: Callable[[Guard], Wire] = SocketWire  # Where else tenants send us.
    halted: Callable[[], str] = lambda: ""
    """Who stops everything on this machine by its switch file; nobody where there is no such file."""
    names: LookUps = field(default_factory=LookUps)
    reached: Callable[[str], None] | None = None
    """Told of every named point of the act protocol, instead of what the settings ask for."""


class Application(Struct):
    """The three services, ready to run."""

    api: Starlette
    health: Starlette
    """All that a worker or a scheduler serves."""
    scheduler: Scheduler
    worker: Worker
    signs: Signs
    scheduling: Drive
    working: Drive
    background: tuple[Background, ...]
    """What the worker needs beside its drive."""
    meter: Tally
    outside: tuple[Accounts, Prober, Webhooks]
    drain: Drain
    shipping: Shipping

    def stop(self) -> None:
        """Not ready from now on; no pass and no step begins."""
        self.drain.begin()
        self.scheduling.stop()
        self.working.stop()
        for each in self.background:
            each.stop()

    async def close(self) -> None:
        for part in self.outside:
            await part.close()


class Core(Struct, frozen=True):
    """What all three services are made from."""

    parts: Parts
    kinds: Kinds
    meter: Tally
    world: World
    drain: Drain = field(default_factory=Drain)


def build(parts: Parts) -> Application:
    """The application, the same for production and for the simulation."""
    seconds = parts.settings.inventory_seconds, parts.settings.call_seconds
    guard = Guard(networks(parts.settings.private_networks.split(",")), names=parts.names)
    endpoints, now = endpoint_guard(parts.settings, parts.names), parts.runtime.now
    meter = Tally(now, parts.halted)
    parts, wire = replace(parts, kinds=judged(parts.kinds, endpoints)), partial(parts.wire, endpoints)
    accounts = Accounts(parts.secrets, now, *seconds, counted=meter.provider, swept=meter.swept, wire=wire)
    prober = Prober(parts.monotonic, parts.outbound(guard), guard)
    outside = (accounts, prober, Webhooks(now, parts.outbound(replace(guard, ports=PORTS))))
    core = _core(parts, meter, outside)
    scheduler, (worker, background) = _scheduler(core, accounts), _worker(core)
    scheduling = scheduler.drive()
    services = _services(core, partial(core.meter.looks.read, scheduling.agenda))
    signs = Signs(services, parts.settings.heartbeat_seconds)
    folder = None if parts.settings.database else Path(parts.settings.data)
    health = Health(parts.store, core.meter, services.drain, parts.halted, folder)
    return Application(
        api=build_app(services, health, Agents(services, signs, parts.genuine).routes),
        health=health_app(health),
        scheduler=scheduler,
        worker=worker,
        signs=signs,
        scheduling=scheduling,
        working=worker.drive(),
        background=background,
        meter=core.meter,
        outside=outside,
        drain=services.drain,
        shipping=services.shipping,
    )


def _core(parts: Parts, meter: Tally, outside: tuple[Accounts, Prober, Webhooks]) -> Core:
    store, kinds, settings = parts.store, all_kinds.by_name(parts.kinds), parts.settings
    accounts, prober, webhooks = outside
    world = World(
        intent=Intent(store, kinds),
        declarer=Declarer(store, kinds, parts.runtime),
        owners=Owners(store, kinds),
        accounts=accounts,
        probe=prober,
        webhook=webhooks,
        secrets=parts.secrets,
        habits=Habits(
            installation=parts.installation.id,
            api_url=parts.url,
            heartbeat_seconds=settings.heartbeat_seconds,
            park_seconds=settings.park_seconds,
            settle_seconds=settings.settle_seconds,
        ),
        now=parts.runtime.now,
        signs=partial(signs_of, store),
        enrolment=parts.enrolment,
        tasks=lambda target: store.read(TASKS_OF, target=target),
        journal=partial(held_acts, store),
        pipelines=all_pipelines.by_name(),
        chronicle=StoreChronicle(store),
    )
    return Core(parts, kinds, meter, world)


def _reconciler(core: Core, tenure: Ownership) -> Reconciler:
    parts, kinds, runtime = core.parts, core.kinds, core.parts.runtime
    store, seconds = parts.store, parts.settings.call_seconds
    reached = parts.reached or fail_point(parts.settings.fail_at)
    return Reconciler(
        store=store,
        kinds=kinds,
        loops=_loops(kinds, core.world),
        journal=Journal(
            store,
            kinds,
            runtime,
            core.meter,
            tenure,
            seconds,
            stopping=lambda: core.drain.begun,
            halted=parts.halted,
            entitled=lambda name, scope: may_approve(store, runtime.now(), name, scope),
            broke=lambda ref, bug: logged("scheduler")("act broke", {"ref": ref, "error": bug}),
            reached=reached,
        ),
        door=Door(store, kinds, runtime, core.meter, tenure, reached),
        runtime=runtime,
        meter=core.meter,
        standards=standards(intervals_of(kinds, parts.settings.intervals), parts.settings.limits),
        company=Company(),
        tenure=tenure,
    )


def _scheduler(core: Core, accounts: Accounts) -> Scheduler:
    parts, kinds, runtime = core.parts, core.kinds, core.parts.runtime
    ownership = _ownership(core, "scheduler")
    reconciler = _reconciler(core, ownership)
    return Scheduler(
        store=parts.store,
        kinds=kinds,
        runtime=runtime,
        reconciler=reconciler,
        rehearsal=Rehearsal(
            parts.store,
            kinds,
            runtime,
            reconciler,
            lambda intent: _loops(kinds, replace(core.world, intent=intent)),
        ),
        intervals=intervals_of(kinds, parts.settings.intervals),
        told=logged("scheduler"),
        at_once=parts.settings.passes_at_once,
        ownership=ownership,
        pulse=core.meter.pulse,
        looks=core.meter.looks,
        forget=core.meter.forget,
        look=accounts.look,
    )


def _worker(core: Core) -> tuple[Worker, tuple[Background, ...]]:
    """The worker, and what runs beside it."""
    parts, at_once = core.parts, core.parts.settings.tasks_at_once
    ownership = _ownership(core, "worker")
    steps = Steps(parts.store, core.kinds, core.world.pipelines, core.world, parts.runtime, parts.halted)
    turn, background = chosen(steps, ownership, parts.settings.runner, at_once)
    worker = Worker(parts.store, parts.runtime, turn, logged("worker"), at_once, ownership)
    return worker, background


def _ownership(core: Core, service: Service) -> Ownership:
    parts = core.parts
    seconds = parts.settings.lease_seconds
    now = None if parts.alone else parts.runtime.now
    return Ownership(parts.store, service, parts.owner, parts.monotonic, parts.alone, seconds, now)


def _services(core: Core, looks: Look) -> Services:
    parts, kinds = core.parts, core.kinds
    pen = Pen(parts.store, parts.runtime.now, parts.reached or fail_point(parts.settings.fail_at))
    intervals = intervals_of(kinds, parts.settings.intervals)
    observations = Observations(pen, parts.runtime.now, kinds, intervals, looks, parts.alone)
    return Services(
        store=pen,
        kinds=kinds,
        pipelines=core.world.pipelines,
        declarer=Declarer(pen, kinds, parts.runtime),
        runtime=parts.runtime,
        validators=Validators(kinds),
        limits=limits_of(parts.settings.limits),
        narrower=narrower(parts.settings.limits),
        intervals=intervals,
        settings=parts.settings,
        hash_token=hash_token,
        new_secret=parts.new_secret,
        people=_people(parts),
        secret_digest=partial(digest, parts.key),
        rendered=Rendered(kinds, observations),
        drain=core.drain,
        monotonic=parts.monotonic,
        rates=Rates(parts.settings, parts.monotonic),
        streams=Streams(parts.settings),
        quota=Quota(parts.store, parts.settings, parts.monotonic),
        owner=parts.owner,
        alone=parts.alone,
        shipping=shipping_of(parts.settings, parts.store, parts.key, parts.runtime.now),
    )


def _people(parts: Parts) -> People:
    seal, settings = AesSeal(parts.key, parts.new_secret), parts.settings
    return People(
        passwords=parts.passwords(),
        seal=seal,
        mail=parts.mail(Outbox(parts.store, parts.runtime, seal, hash_page)),
        url=parts.url,
        session_seconds=settings.session_seconds,
        idle_seconds=settings.session_idle_seconds,
    )


def _loops(kinds: Kinds, world: World) -> Mapping[str, Loop]:
    return {kind.name: kind.loop(world) for kind in kinds.values() if kind.loop is not None}
