"""The application: routes derived from the kinds, and one way to refuse."""

from collections.abc import Callable, Iterator
from typing import Final

from starlette.applications import Starlette
from starlette.routing import Route

from setpoint.api import problem
from setpoint.api.catalog import Catalog
from setpoint.api.declarations import Declarations
from setpoint.api.health import Health
from setpoint.api.openapi import OpenApi
from setpoint.api.plans import Plans
from setpoint.api.records import Records
from setpoint.api.resources import Resources
from setpoint.api.services import Services
from setpoint.api.switches import Switches
from setpoint.engine.errors import FAILURES
from setpoint.engine.kind import Kind, Level

BASES: Final[dict[Level, str]] = {
    "installation": "/v1",
    "organization": "/v1/organizations/{organization}",
    "project": "/v1/organizations/{organization}/projects/{project}",
    "workspace": "/v1/organizations/{organization}/projects/{project}/workspaces/{workspace}",
}
ORGANIZATION: Final = BASES["organization"]


def build_app(services: Services, health: Health, more: Callable[[], Iterator[Route]]) -> Starlette:
    """Every route there is; `more` brings those that are not about declared objects, as the agents'."""
    routes = [*_fixed_routes(services, health), *more()]
    for kind in services.kinds.values():
        routes += _kind_routes(Resources(services, kind), kind, Switches(services))
    openapi = OpenApi(services.kinds, services.validators, tuple(routes))
    return Starlette(
        routes=[Route("/openapi.json", openapi.serve), *routes],
        exception_handlers={
            **dict.fromkeys(FAILURES, problem.on_failure),
            problem.Refused: problem.on_refused,
            404: problem.on_http,
            405: problem.on_http,
            Exception: problem.on_bug,
        },
    )


def _fixed_routes(services: Services, health: Health) -> Iterator[Route]:
    catalog, records, plans = Catalog(services), Records(services), Plans(services)
    declarations, switches = Declarations(services), Switches(services)
    yield Route("/livez", health.live)
    yield Route("/readyz", health.ready)
    yield Route("/metrics", health.metrics)
    yield Route("/v1/kinds", catalog.kinds)
    yield Route("/v1/loops", catalog.loops)
    yield Route("/v1/switches", switches.page)
    yield Route("/v1/switches/{key:path}", switches.put, methods=["PUT"])
    yield Route("/v1/switches/{key:path}", switches.drop, methods=["DELETE"])
    yield Route(f"{ORGANIZATION}/declarations", declarations.apply, methods=["POST"])
    yield Route(f"{ORGANIZATION}/plans", plans.page, methods=["GET"])
    yield Route(f"{ORGANIZATION}/plans", declarations.plan, methods=["POST"])
    yield Route(f"{ORGANIZATION}/plans/{{id}}:approve", plans.approve, methods=["POST"])
    yield Route(f"{ORGANIZATION}/plans/{{id}}:reject", plans.reject, methods=["POST"])
    yield Route(f"{ORGANIZATION}/plans/{{id}}", plans.read)
    yield Route(f"{ORGANIZATION}/tasks", records.tasks)
    yield Route(f"{ORGANIZATION}/tasks/{{id}}", records.task)
    yield Route(f"{ORGANIZATION}/events", records.events)
    yield Route(f"{ORGANIZATION}/audit", records.audit)
    yield Route(f"{ORGANIZATION}/audit:verify", records.verify)


def _kind_routes(resources: Resources, kind: Kind, switches: Switches) -> Iterator[Route]:
    collection = f"{BASES[kind.level]}/{kind.plural}"
    one = f"{collection}/{{name}}"
    yield Route(f"{one}:why", resources.why, methods=["GET"])
    yield Route(f"{one}:pause", resources.pause(switches), methods=["POST"])
    yield Route(f"{one}:resume", resources.resume(switches), methods=["POST"])
    yield Route(one, resources.read, methods=["GET"])
    yield Route(one, resources.delete, methods=["DELETE"])
    if not kind.by_machine:
        yield Route(one, resources.declare, methods=["PUT"])
        yield Route(one, resources.change, methods=["PATCH"])
        yield Route(collection, resources.create, methods=["POST"])
    levels = tuple(BASES)
    for level in levels[: levels.index(kind.level) + 1]:
        yield Route(f"{BASES[level]}/{kind.plural}", resources.page, methods=["GET"])
