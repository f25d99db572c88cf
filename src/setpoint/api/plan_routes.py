"""Where plans and recorded passes are found, looked at from every side, and decided about."""

from collections.abc import Iterator

from setpoint.api.address import ORGANIZATION
from setpoint.api.changes import Changes
from setpoint.api.contests import Contests
from setpoint.api.declarations import Declarations
from setpoint.api.passes import Passes
from setpoint.api.plans import Plans
from setpoint.api.rehearsal import Rehearsals
from setpoint.api.replay import Replays
from setpoint.api.review import Reviews
from setpoint.api.served import Served, demand
from setpoint.api.services import Services


def plan_routes(services: Services) -> Iterator[Served]:
    """Those of plans first; passes are what plans were judged in."""
    plans, reviews, changes = Plans(services), Reviews(services), Changes(services)
    declarations = Declarations(services)
    plan = demand("read", "organization.plan", "within")
    decided = demand("execute", "organization.plan.approve", "within")
    yield Served(f"{ORGANIZATION}/plans", plans.page, plan)
    yield Served(f"{ORGANIZATION}/plans", declarations.plan, plan, "POST", again=declarations.asked)
    yield Served(f"{ORGANIZATION}/contested", Contests(services).page, plan)
    yield Served(f"{ORGANIZATION}/plans/{{id}}:approve", plans.approve, decided, "POST", again=plans.decided)
    yield Served(f"{ORGANIZATION}/plans/{{id}}:reject", plans.reject, decided, "POST", again=plans.decided)
    yield Served(f"{ORGANIZATION}/plans/{{id}}:review", reviews.read, plan)
    yield Served(f"{ORGANIZATION}/plans/{{id}}:progress", reviews.progress, plan)
    yield Served(f"{ORGANIZATION}/plans/{{id}}:changes", changes.of_plan, plan)
    yield Served(f"{ORGANIZATION}/plans/{{id}}", plans.read, plan)
    yield from _pass_routes(services)


def _pass_routes(services: Services) -> Iterator[Served]:
    passes, replays, changes = Passes(services), Replays(services), Changes(services)
    judged = demand("read", "organization.pass", "within")
    yield Served(f"{ORGANIZATION}/passes", passes.page, judged)
    yield Served(f"{ORGANIZATION}/passes:rehearse", Rehearsals(services).rehearse, judged, "POST")
    yield Served(f"{ORGANIZATION}/passes/{{id}}:replay", replays.replay, judged)
    yield Served(f"{ORGANIZATION}/passes/{{id}}:replay", replays.changed, judged, "POST")
    yield Served(f"{ORGANIZATION}/passes/{{id}}:changes", changes.of_pass, judged)
    yield Served(f"{ORGANIZATION}/passes/{{id}}", passes.read, judged)
