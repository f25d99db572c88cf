"""All that one looks at beside a plan: its guards, who depends on it, who may decide, and how far it is."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from math import inf
from typing import Any, Final

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.subject import Subject
from setpoint.api.changes import page
from setpoint.api.measures import Sources, measured
from setpoint.api.plans import Plans
from setpoint.api.problem import Refused
from setpoint.api.render import answer, moment
from setpoint.api.runs import usual
from setpoint.api.services import Services
from setpoint.api.sight import Sight
from setpoint.engine.errors import Denied
from setpoint.engine.plan import digest
from setpoint.engine.record import Recorded
from setpoint.engine.rows import Act, ActState, PlanRow, PlanState
from setpoint.engine.store import (
    ACTS_PAGE,
    ACTS_SINCE,
    APPROVALS_OF,
    DECLARED_REFERRING,
    PASSES_PAGE,
    PLANS_OF,
)

AnyJson = Any
RECENT: Final = 20
MOST_USERS: Final = 50
MOST_ACTS: Final = 500
MOST_ATTEMPTS: Final = 10


class Reviews(Struct, frozen=True):
    """One plan, from every side."""

    services: Services

    async def read(self, request: Request, subject: Subject) -> Response:
        """GET what belongs beside a plan."""
        plans, store = Plans(self.services), self.services.store
        plan = await plans.plan(request, subject)
        record = await self._pass(plan)
        acts = await store.read(ACTS_PAGE, domain=plan.ref, after="", limit=MOST_ACTS)
        began = await self._began(plan)
        moving = await self._moving(plan, began) if began else []
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
                "progress": dict(Counter(each["state"] for each in moving)),
                "usual": usual_acts(acts),
            }
        )

    async def progress(self, request: Request, subject: Subject) -> Response:
        """GET how far each change is, those that began first on top."""
        plan = await Plans(self.services).plan(request, subject)
        began = await self._began(plan)
        return page(request, await self._moving(plan, began) if began else [], lambda each: each)

    async def _began(self, plan: PlanRow) -> float | None:
        """When somebody said yes."""
        said = await self.services.store.read(APPROVALS_OF, ref=plan.ref)
        return next((each.created_at for each in said if each.plan == plan.id), None)

    async def _moving(self, plan: PlanRow, began: float) -> list[dict[str, AnyJson]]:
        return progress(plan, await self.services.store.read(ACTS_SINCE, domain=plan.ref, since=began))

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


def progress(plan: PlanRow, acts: Iterable[Act]) -> list[dict[str, AnyJson]]:
    """Each change of the plan with its attempts, as they began; what has not begun comes last."""
    until = inf if plan.state is PlanState.APPROVED else plan.changed_at
    tried: dict[str, list[Act]] = {}
    for act in acts:
        if act.began_at <= until:
            tried.setdefault(act.item, []).append(act)
    begun = {item: place for place, item in enumerate(tried)}
    agreed = frozenset(plan.agreed)
    moving = [action for action in plan.actions if action.item in agreed or action.item in tried]
    return [
        {
            "item": action.item,
            "verb": action.verb,
            "state": _state(tried.get(action.item, ())),
            "attempts": [_attempt(act) for act in tried.get(action.item, ())[-MOST_ATTEMPTS:]],
        }
        for action in sorted(moving, key=lambda action: begun.get(action.item, len(begun)))
    ]


def usual_acts(acts: Iterable[Act]) -> dict[str, dict[str, float]]:
    """How long acts of each verb take here."""
    took: dict[str, list[float]] = {}
    for act in acts:
        if act.state is ActState.DONE:
            took.setdefault(act.verb, []).append(max(0.0, act.ended_at - act.began_at))
    return {verb: found for verb, each in took.items() if (found := usual(each))}


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
