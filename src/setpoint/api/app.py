"""The application: routes derived from the kinds, and one way to refuse."""

from collections.abc import Callable, Iterator

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route

from setpoint.access.permission import Permission, key_of
from setpoint.api import console, manual, problem_pages
from setpoint.api.access import Access
from setpoint.api.accounts import Accounts
from setpoint.api.activity import Activity
from setpoint.api.address import BASES, LEVELS, ORGANIZATION
from setpoint.api.adoptions import Adoptions
from setpoint.api.arrival import arrival_of
from setpoint.api.catalog import Catalog
from setpoint.api.declarations import Declarations
from setpoint.api.deliveries import Deliveries
from setpoint.api.dispatch import Dispatch
from setpoint.api.entrance import Entrance
from setpoint.api.guards import Guards
from setpoint.api.health import Health
from setpoint.api.heard import Heard
from setpoint.api.hours import Hours
from setpoint.api.inventory import Inventory
from setpoint.api.late_route import LateRoute
from setpoint.api.links import Links
from setpoint.api.loops import Loops
from setpoint.api.me import Me
from setpoint.api.members import Members
from setpoint.api.openapi import OpenApi
from setpoint.api.operations import Operations
from setpoint.api.plan_routes import plan_routes
from setpoint.api.preview import Previews
from setpoint.api.records import Records
from setpoint.api.reference import Reference
from setpoint.api.related import Related
from setpoint.api.releases import Releases
from setpoint.api.resources import Resources
from setpoint.api.schemas import Schemas
from setpoint.api.secrets import KeptSecrets
from setpoint.api.selection import Selections
from setpoint.api.served import Demand, Gate, Place, Public, Served, check_demands, demand
from setpoint.api.services import Services
from setpoint.api.sessions import Sessions
from setpoint.api.standing import Standings
from setpoint.api.switches import Switches, place_of_lever
from setpoint.api.tokens import Tokens
from setpoint.engine.entity import Scope
from setpoint.engine.kind import Kind


def build_app(services: Services, health: Health, more: Callable[[], Iterator[Served | Public]]) -> Starlette:
    """Every route there is; `more` brings those that are not about declared objects, as the agents'."""
    routes: list[Served | Public] = [*_public_routes(services, health), *_fixed_routes(services), *more()]
    routes += [*_identity_routes(services), *Inventory(services).routes(), *Activity(services).routes()]
    routes += [*Related(services).routes(), *Heard(services).routes(), *Loops(services).routes()]
    routes += [*Selections(services).routes(), *Hours(services).routes(), *console.routes()]
    for kind in services.kinds.values():
        routes += _kind_routes(Resources(services, kind), kind)
    openapi = OpenApi(services.kinds, services.validators, routes)
    routes.append(Public("/openapi.json", openapi.serve))
    check_demands(services.kinds, (each for each in routes if isinstance(each, Served)))
    gate = Gate(services)
    opened = (_opened(each) if isinstance(each, Public) else gate.route(each) for each in routes)
    return Api(Dispatch(opened, console.lost), services)


class Api(Starlette):
    """One door, and behind it the dispatch, which knows an answer to every error."""

    def __init__(self, dispatch: Dispatch, services: Services) -> None:
        super().__init__()
        self.router = dispatch
        runtime, settings = services.runtime, services.settings
        self.middleware_stack = Entrance(
            dispatch.app,
            runtime.new_id,
            services.monotonic,
            settings.log_requests,
            arrival_of(settings, services.people.url),
        )


def health_app(health: Health) -> Starlette:
    """For a service that answers nobody else: whether it lives, is ready, and what it counts."""
    return Starlette(routes=[_opened(each) for each in _health_routes(health)])


def _opened(public: Public) -> Route:
    return LateRoute(public.path, public.handler, public.method)


def _health_routes(health: Health) -> Iterator[Public]:
    yield Public("/livez", health.live)
    yield Public("/readyz", health.ready)
    yield Public("/startupz", health.started)
    yield Public("/metrics", health.metrics)


def _public_routes(services: Services, health: Health) -> Iterator[Public]:
    """Those that tell nothing about a tenant, and need no token."""
    yield from _health_routes(health)
    yield Public("/docs/problems", problem_pages.contents)
    yield Public("/docs/problems/{code}", problem_pages.serve)
    yield Public("/docs/kinds/{name}", Reference(services.kinds).serve)
    yield from manual.routes()
    yield Public("/schemas/{name}.json", Schemas(services.kinds, services.validators).serve)


def _fixed_routes(services: Services) -> Iterator[Served]:
    catalog, switches = Catalog(services), Switches(services)
    known = demand("read", "catalog", "within")
    lever = Demand(Permission("execute", "organization.switch"), place=place_of_lever)
    yield Served("/v1/kinds", catalog.kinds, known)
    yield Served("/v1/loops", catalog.loops, known)
    yield Served("/v1/guards", Guards(services).page, known)
    yield Served("/v1/switches", switches.page, known)
    yield Served("/v1/switches/{key:path}", switches.put, lever, "PUT")
    yield Served("/v1/switches/{key:path}", switches.drop, lever, "DELETE")
    yield from _access_routes(services)
    yield from _secret_routes(services)
    yield from _record_routes(services)
    yield from _operation_routes(services)
    yield from _webhook_routes(services)


def _access_routes(services: Services) -> Iterator[Served]:
    """Who may do what, and with which credentials."""
    access, tokens, previews = Access(services), Tokens(services), Previews(services)
    anybody = demand("read", "catalog", "each")
    yield Served("/v1/me", access.me, anybody)
    yield Served("/v1/me:can-i", access.can_i, anybody)
    yield Served("/v1/roles:seeded", access.roles, demand("read", "catalog", "within"))
    yield Served("/v1/permissions", access.permissions, demand("read", "catalog", "within"))
    yield Served(f"{ORGANIZATION}/access:who-can", access.who_can, demand("read", "organization.access"))
    yield Served(f"{ORGANIZATION}/access:explain", access.explain, demand("read", "organization.access"))
    for plural, kind in (("roles", "role"), ("memberships", "membership")):
        asks = demand("read", "organization.access")
        yield Served(f"{ORGANIZATION}/{plural}/{{name}}:preview", previews.of(kind), asks, "POST")
    yield Served("/v1/me/tokens", tokens.mine, anybody)
    yield Served("/v1/me/tokens", tokens.create_mine, anybody, "POST", fresh=True)
    yield Served("/v1/me/tokens/{id}", tokens.revoke_mine, anybody, "DELETE")
    yield from _member_routes(Members(services))
    yield from _standing_routes(services)
    yield from _key_routes(tokens)
    yield Served(f"{ORGANIZATION}/tokens", tokens.page, demand("read", "organization.token"))
    yield Served(
        f"{ORGANIZATION}/tokens",
        tokens.create,
        demand("create", "organization.token"),
        "POST",
        secret=True,
        fresh=True,
    )
    yield Served(
        f"{ORGANIZATION}/tokens/{{id}}", tokens.revoke, demand("delete", "organization.token"), "DELETE"
    )


def _identity_routes(services: Services) -> Iterator[Served | Public]:
    """People: signing in, what they change about themselves, and those who look after accounts."""
    sessions, links, me, accounts = Sessions(services), Links(services), Me(services), Accounts(services)
    anybody = demand("read", "catalog", "each")
    yield Public("/v1/sessions", sessions.sign_in, "POST")
    yield Public("/v1/links:open", links.open, "POST")
    yield Public("/v1/links:use", links.use, "POST")
    yield Public("/v1/accounts:recover", links.forgot, "POST")
    yield Served("/v1/sessions/current", sessions.sign_out, anybody, "DELETE")
    yield Served("/v1/sessions/current:confirm", sessions.confirm, anybody, "POST", secret=True)
    yield Served("/v1/me/sessions", sessions.page, anybody)
    yield Served("/v1/me/sessions/{id}", sessions.end, anybody, "DELETE")
    yield Served("/v1/me:password", me.password, anybody, "POST", fresh=True)
    yield Served("/v1/me/totp", me.begin, anybody, "POST", fresh=True)
    yield Served("/v1/me/totp:confirm", me.confirm, anybody, "POST", fresh=True)
    yield Served("/v1/me/totp", me.drop, anybody, "DELETE", fresh=True)
    one = "/v1/accounts/{id}"
    yield Served("/v1/accounts", accounts.page, demand("read", "account"))
    yield Served("/v1/accounts", accounts.invite, demand("create", "account"), "POST", fresh=True)
    yield Served(one, accounts.read, demand("read", "account"))
    yield Served(one, accounts.change, demand("update", "account"), "PATCH", fresh=True)
    yield Served(one, accounts.delete, demand("delete", "account"), "DELETE", fresh=True)
    yield Served(f"{one}/sessions", accounts.end_sessions, demand("update", "account"), "DELETE", fresh=True)
    yield Served("/v1/audit", accounts.evidence, demand("read", "account"))
    yield Served("/v1/outbox", accounts.outbox, demand("read", "account.letter"))


def _member_routes(members: Members) -> Iterator[Served]:
    invites = demand("create", "organization.membership_invite")
    one = f"{ORGANIZATION}/memberships/{{name}}"
    known = demand("read", "organization.membership")
    yield Served(f"{ORGANIZATION}/members", members.page, known)
    yield Served(f"{ORGANIZATION}/members/{{name}}", members.one, known)
    yield Served(f"{one}:invite", members.invite, invites, "POST", fresh=True)


def _key_routes(tokens: Tokens) -> Iterator[Served]:
    keys, key = f"{BASES['workspace']}/keys", "project.workspace.key"
    yield Served(keys, tokens.keys, demand("read", key))
    yield Served(keys, tokens.create_key, demand("create", key), "POST", fresh=True)
    yield Served(f"{keys}/{{id}}", tokens.revoke_key, demand("delete", key), "DELETE")


def _standing_routes(services: Services) -> Iterator[Served]:
    """Said at the installation's own scope: no owner says it of themselves."""
    standings, one = Standings(services), "/v1/organizations/{name}:standing"
    said = Demand(Permission("update", "organization.standing"), place=lambda _: Place(Scope()))
    yield Served(
        one, standings.read, Demand(Permission("read", "organization.standing"), place=_organization)
    )
    yield Served(one, standings.put, said, "POST", fresh=True)


def _organization(request: Request) -> Place:
    return Place(Scope(request.path_params["name"]))


def _secret_routes(services: Services) -> Iterator[Served]:
    """What is sealed here and opened elsewhere."""
    secrets, one = KeptSecrets(services), f"{ORGANIZATION}/secrets/{{name}}"
    changed = demand("update", "organization.secret")
    yield Served(f"{ORGANIZATION}/secrets", secrets.page, demand("read", "organization.secret"))
    yield Served(f"{one}:retire", secrets.retire, changed, "POST")
    yield Served(one, secrets.put, changed, "PUT")
    yield Served(one, secrets.delete, demand("delete", "organization.secret"), "DELETE")


def _record_routes(services: Services) -> Iterator[Served]:
    """What was asked for, decided and done."""
    records, declarations = Records(services), Declarations(services)
    plan = demand("read", "organization.plan", "within")
    task, told = demand("read", "organization.task", "within"), demand("read", "organization.event", "within")
    many = f"{ORGANIZATION}/declarations"
    yield Served(many, declarations.apply, plan, "POST", again=declarations.applied, dry=True)
    yield from plan_routes(services)
    yield Served(f"{ORGANIZATION}/tasks", records.tasks, task)
    yield Served(f"{ORGANIZATION}/tasks/{{id}}", records.task, task)
    yield Served(f"{ORGANIZATION}/events", records.events, told)
    yield Served(f"{ORGANIZATION}/audit", records.audit, demand("read", "organization.audit"))
    yield Served(f"{ORGANIZATION}/audit:verify", records.verify, demand("read", "organization.audit"))
    yield Served("/v1/audit:verify", records.verify_installation, demand("read", "account"))


def _webhook_routes(services: Services) -> Iterator[Served]:
    """What was told to others."""
    deliveries, one = Deliveries(services), f"{ORGANIZATION}/webhooks/{{name}}"
    yield Served(f"{one}/deliveries", deliveries.page, demand("read", "organization.webhook"))
    yield Served(f"{one}:redeliver", deliveries.again, demand("execute", "organization.webhook"), "POST")


def _operation_routes(services: Services) -> Iterator[Served]:
    """Long work, whoever does it."""
    operations, one = Operations(services), f"{ORGANIZATION}/operations/{{id}}"
    seen = demand("read", "organization.task", "within")
    yield Served(f"{ORGANIZATION}/operations", operations.page, seen)
    yield Served(f"{one}:wait", operations.wait, seen)
    ordered = demand("execute", "organization.task", "within")
    yield Served(f"{one}:cancel", operations.cancel, ordered, "POST")
    yield Served(f"{one}:retry", operations.retry, ordered, "POST")
    yield Served(one, operations.read, seen)


def _kind_routes(resources: Resources, kind: Kind) -> Iterator[Served]:
    services, asks = resources.services, resources.demand
    switches, releases = Switches(services), Releases(services)
    collection = f"{BASES[kind.level]}/{kind.plural}"
    one, lever = f"{collection}/{{name}}", asks("execute", key="organization.switch")
    yield Served(f"{one}:why", resources.why, asks("read"))
    yield Served(f"{one}:pause", resources.pause(switches), lever, "POST")
    yield Served(f"{one}:resume", resources.resume(switches), lever, "POST")
    yield Served(f"{one}:observe", resources.observe, asks("execute"), "POST")
    yield Served(f"{one}:release", resources.release(releases), asks("execute"), "POST")
    yield Served(f"{one}:protect", resources.protect(releases), asks("execute"), "POST")
    if kind.adopts:
        adopts = asks("create", key=key_of(services.kinds[kind.adopts]))
        yield Served(f"{one}:adopt", resources.adopt(Adoptions(services)), adopts, "POST")
    yield Served(f"{one}/history", resources.history, asks("read"))
    yield Served(one, resources.read, asks("read"))
    yield Served(one, resources.delete, asks("delete"), "DELETE", dry=True)
    if not kind.by_machine:
        # Whether it makes something new or changes what is there is known when it is stored.
        yield Served(one, resources.declare, asks("update"), "PUT", kind, resources.again, dry=True)
        yield Served(one, resources.change, asks("update"), "PATCH", kind, resources.again, dry=True)
        yield Served(collection, resources.create, asks("create"), "POST", kind, resources.created, dry=True)
    for level in LEVELS[: LEVELS.index(kind.level) + 1]:
        yield Served(f"{BASES[level]}/{kind.plural}", resources.page, asks("read", "within"), lists=True)
