"""All that one looks at beside a plan: its guards, who depends on it, who may decide, and how far it is."""

from collections.abc import Iterable, Sequence
from functools import partial
from math import inf
from statistics import quantiles
from typing import Any, Final

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.subject import Subject
from setpoint.api.measures import Sources, measured
from setpoint.api.plans import Plans
from setpoint.api.problem import Refused
from setpoint.api.render import answer, moment
from setpoint.api.services import Services
from setpoint.api.sight import Sight
from setpoint.engine.errors import Denied
from setpoint.engine.plan import digest
from setpoint.engine.record import Recorded
from setpoint.engine.rows import Act, ActState, PlanRow, PlanState
from setpoint.engine.store import ACTS_PAGE, APPROVALS_OF, DECLARED_REFERRING, PASSES_PAGE, PLANS_OF

AnyJson = Any
RECENT: Final = 20
MOST_USERS: Final = 50
MOST_ACTS: Final = 500
FEWEST: Final = 2  # Of which something usual can be said.


class Reviews(Struct, frozen=True):
    """One plan, from every side."""

    services: Services

    async def read(self, request: Request, subject: Subject) -> Response:
        """GET what belongs beside a plan."""
        plans, store = Plans(self.services), self.services.store
        plan = await plans.plan(request, subject)
        record = await self._pass(plan)
        acts = await store.read(ACTS_PAGE, domain=plan.ref, after="", limit=MOST_ACTS)
        said = await store.read(APPROVALS_OF, ref=plan.ref)
        began = next((each.created_at for each in said if each.plan == plan.id), None)
        latest = (await store.read(PLANS_OF, ref=plan.ref))[:1]
        return answer(
            {
                "id": plan.id,
                "digest": plan.digest,
                "pass": record.id if record else "",
                "guards": self._guards(plan, record) if record else [],
                "used_by": await self._users(plan, subject),
                "why_not": await self._why_not(plans, plan, subject),
                "yes_holds_seconds": self.services.limits.approval_seconds,
                "newer": latest[0].id if latest and latest[0].id != plan.id else "",
                "decided_at": moment(began) if began else None,
                "progress": progress(plan, acts, began) if began else [],
                "usual": usual(acts),
            }
        )

    async def _pass(self, plan: PlanRow) -> Recorded | None:
        """The pass that this plan was held in, while it is on record."""
        rows = await self.services.store.read(PASSES_PAGE, ref=plan.ref, after="", limit=RECENT)
        return next((row for row in rows if digest(row.case.plan.actions) == plan.digest), None)

    def _guards(self, plan: PlanRow, row: Recorded) -> list[dict[str, AnyJson]]:
        sources = Sources(self.services.limits, self.services.narrower)
        return measured(row.case, row.verdict, partial(sources.of, kind=plan.kind, name=plan.name))

    async def _users(self, plan: PlanRow, subject: Subject) -> list[dict[str, AnyJson]]:
        """What refers to it, as far as they may see that."""
        sight = Sight(self.services, subject)
        rows = await self.services.store.read(DECLARED_REFERRING, ref=plan.ref)
        seen = [row for row in rows if sight.may_to("read", row)][:MOST_USERS]
        return [
            {
                "kind": row.kind,
                "metadata": {
                    "name": row.name,
                    "organization": row.scope.organization,
                    "project": row.scope.project,
                    "workspace": row.scope.workspace,
                },
            }
            for row in seen
        ]

    async def _why_not(self, plans: Plans, plan: PlanRow, subject: Subject) -> str:
        """Why they could not approve it, by the rules that decide it when they try; empty if they could."""
        if plan.state is not PlanState.HELD:
            return f"it is {plan.state}; only a held plan is decided about"
        try:
            await plans.check_decider(plan, subject)
        except (Refused, Denied) as error:
            return str(error)
        return ""


def progress(plan: PlanRow, acts: Sequence[Act], since: float) -> list[dict[str, AnyJson]]:
    """Each change of the plan with its attempts since somebody said yes, oldest first."""
    until = inf if plan.state is PlanState.APPROVED else plan.changed_at
    tried: dict[str, list[Act]] = {}
    for act in reversed(acts):
        if since <= act.began_at <= until:
            tried.setdefault(act.item, []).append(act)
    return [
        {
            "item": action.item,
            "verb": action.verb,
            "state": _state(tried.get(action.item, ())),
            "attempts": [_attempt(act) for act in tried.get(action.item, ())],
        }
        for action in plan.actions
        if action.item in plan.agreed or action.item in tried
    ]


def usual(acts: Iterable[Act]) -> dict[str, dict[str, float]]:
    """Seconds that acts of each verb took here: half of them at most p50, nine in ten at most p90."""
    took: dict[str, list[float]] = {}
    for act in acts:
        if act.state is ActState.DONE:
            took.setdefault(act.verb, []).append(max(0.0, act.ended_at - act.began_at))
    tenths = {verb: quantiles(each, n=10) for verb, each in took.items() if len(each) >= FEWEST}
    return {verb: {"p50": max(0.0, at[4]), "p90": max(0.0, at[8])} for verb, at in tenths.items()}


def _state(acts: Sequence[Act]) -> str:
    if not acts:
        return "waiting"
    return "later" if acts[-1].deferred else str(acts[-1].state)


def _attempt(act: Act) -> dict[str, AnyJson]:
    return {
        "id": act.id,
        "state": act.state,
        "began_at": moment(act.began_at),
        "ended_at": moment(act.ended_at) if act.ended_at else None,
        "detail": act.detail,
    }
