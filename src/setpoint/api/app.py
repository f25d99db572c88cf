"""The application: routes derived from the kinds, and one way to refuse."""

from collections.abc import Callable, Iterator

from starlette.applications import Starlette
from starlette.routing import Route

from setpoint.api import problem
from setpoint.api.address import BASES, ORGANIZATION
from setpoint.api.adoptions import Adoptions
from setpoint.api.catalog import Catalog
from setpoint.api.declarations import Declarations
from setpoint.api.guards import Guards
from setpoint.api.health import Health
from setpoint.api.openapi import OpenApi, Served
from setpoint.api.passes import Passes
from setpoint.api.plans import Plans
from setpoint.api.records import Records
from setpoint.api.reference import Reference
from setpoint.api.rehearsal import Rehearsals
from setpoint.api.releases import Releases
from setpoint.api.resources import Resources
from setpoint.api.services import Services
from setpoint.api.switches import Switches
from setpoint.engine.errors import FAILURES
from setpoint.engine.kind import Kind


def build_app(services: Services, health: Health, more: Callable[[], Iterator[Route]]) -> Starlette:
    """Every route there is; `more` brings those that are not about declared objects, as the agents'."""
    served = [Served(route, public=True) for route in _public_routes(services, health)]
    served += [Served(route) for route in (*_fixed_routes(services), *more())]
    for kind in services.kinds.values():
        served += _kind_routes(Resources(services, kind), kind)
    openapi = OpenApi(services.kinds, services.validators, served)
    served.append(Served(Route("/openapi.json", openapi.serve), public=True))
    app = Starlette(
        routes=[each.route for each in served],
        exception_handlers={
            **dict.fromkeys(FAILURES, problem.on_failure),
            problem.Refused: problem.on_refused,
            404: problem.on_http,
            405: problem.on_http,
            Exception: problem.on_bug,
        },
    )
    # An address is right or wrong: a redirect would go where the Host header says.
    app.router.redirect_slashes = False
    return app


def health_app(health: Health) -> Starlette:
    """For a service that answers nobody else: whether it lives, is ready, and what it counts."""
    return Starlette(routes=list(_health_routes(health)))


def _health_routes(health: Health) -> Iterator[Route]:
    yield Route("/livez", health.live)
    yield Route("/readyz", health.ready)
    yield Route("/metrics", health.metrics)


def _public_routes(services: Services, health: Health) -> Iterator[Route]:
    """Those that tell nothing about a tenant, and need no token."""
    yield from _health_routes(health)
    yield Route("/docs/kinds/{name}", Reference(services.kinds).serve)


def _fixed_routes(services: Services) -> Iterator[Route]:
    catalog, records, plans = Catalog(services), Records(services), Plans(services)
    declarations, switches = Declarations(services), Switches(services)
    passes = Passes(services)
    yield Route("/v1/kinds", catalog.kinds)
    yield Route("/v1/loops", catalog.loops)
    yield Route("/v1/guards", Guards(services).page)
    yield Route("/v1/switches", switches.page)
    yield Route("/v1/switches/{key:path}", switches.put, methods=["PUT"])
    yield Route("/v1/switches/{key:path}", switches.drop, methods=["DELETE"])
    yield Route(f"{ORGANIZATION}/declarations", declarations.apply, methods=["POST"])
    yield Route(f"{ORGANIZATION}/plans", plans.page, methods=["GET"])
    yield Route(f"{ORGANIZATION}/plans", declarations.plan, methods=["POST"])
    yield Route(f"{ORGANIZATION}/plans/{{id}}:approve", plans.approve, methods=["POST"])
    yield Route(f"{ORGANIZATION}/plans/{{id}}:reject", plans.reject, methods=["POST"])
    yield Route(f"{ORGANIZATION}/plans/{{id}}", plans.read)
    yield Route(f"{ORGANIZATION}/passes", passes.page)
    yield Route(f"{ORGANIZATION}/passes:rehearse", Rehearsals(services).rehearse, methods=["POST"])
    yield Route(f"{ORGANIZATION}/passes/{{id}}:replay", passes.replay)
    yield Route(f"{ORGANIZATION}/passes/{{id}}", passes.read)
    yield Route(f"{ORGANIZATION}/tasks", records.tasks)
    yield Route(f"{ORGANIZATION}/tasks/{{id}}", records.task)
    yield Route(f"{ORGANIZATION}/events", records.events)
    yield Route(f"{ORGANIZATION}/audit", records.audit)
    yield Route(f"{ORGANIZATION}/audit:verify", records.verify)


def _kind_routes(resources: Resources, kind: Kind) -> Iterator[Served]:
    switches, releases = Switches(resources.services), Releases(resources.services)
    collection = f"{BASES[kind.level]}/{kind.plural}"
    one = f"{collection}/{{name}}"
    yield Served(Route(f"{one}:why", resources.why, methods=["GET"]))
    yield Served(Route(f"{one}:pause", resources.pause(switches), methods=["POST"]))
    yield Served(Route(f"{one}:resume", resources.resume(switches), methods=["POST"]))
    yield Served(Route(f"{one}:release", resources.release(releases), methods=["POST"]))
    yield Served(Route(f"{one}:protect", resources.protect(releases), methods=["POST"]))
    if kind.adopts:
        yield Served(Route(f"{one}:adopt", resources.adopt(Adoptions(resources.services)), methods=["POST"]))
    yield Served(Route(one, resources.read, methods=["GET"]))
    yield Served(Route(one, resources.delete, methods=["DELETE"]))
    if not kind.by_machine:
        yield Served(Route(one, resources.declare, methods=["PUT"]), kind)
        yield Served(Route(one, resources.change, methods=["PATCH"]), kind)
        yield Served(Route(collection, resources.create, methods=["POST"]), kind)
    levels = tuple(BASES)
    for level in levels[: levels.index(kind.level) + 1]:
        yield Served(Route(f"{BASES[level]}/{kind.plural}", resources.page, methods=["GET"]))
