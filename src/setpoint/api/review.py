"""All that one looks at beside a plan: its guards, who depends on it, who may decide, and how far it is."""

import asyncio
from collections import Counter
from collections.abc import Iterable
from functools import partial
from math import inf
from typing import Any, Final

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.subject import Subject
from setpoint.api.changes import page
from setpoint.api.measures import Sources, measured
from setpoint.api.outcomes import LEFT_OUT, Course, counted, course_of, successor_of
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
from setpoint.engine.store import ACTS_PAGE, DECLARED_REFERRING, PASSES_PAGE, PLANS_OF

AnyJson = Any
RECENT: Final = 20
MOST_USERS: Final = 50
MOST_ACTS: Final = 500


class Reviews(Struct, frozen=True):
    """One plan, from every side."""

    services: Services

    async def read(self, request: Request, subject: Subject) -> Response:
        """GET what belongs beside a plan."""
        plans, store = Plans(self.services), self.services.store
        plan = await plans.plan(request, subject)
        course = await course_of(store, plan)
        record = await self._pass(course)
        acts = await store.read(ACTS_PAGE, domain=plan.ref, after="", limit=MOST_ACTS)
        latest = (await store.read(PLANS_OF, ref=plan.ref))[:1]
        outcomes, groups = await asyncio.to_thread(_became, course)
        left = frozenset(item for item, outcome in outcomes.items() if outcome == LEFT_OUT)
        return answer(
            {
                "id": plan.id,
                "digest": plan.digest,
                "pass": record.id if record else "",
                "guards": self._guards(course, record) if record else [],
                "used_by": await self._users(plan, subject),
                "why_not": await self._why_not(plans, plan, subject),
                "yes_holds_seconds": self.services.limits.approval_seconds,
                "newer": latest[0].id if latest and latest[0].id != plan.id else "",
                "decided_at": moment(course.decided_at) if course.decided_at else None,
                "progress": dict(Counter(each["state"] for each in course.moving())),
                "outcomes": groups,
                "left_out": {
                    "count": len(left),
                    "plan": await successor_of(store, plan, left) if left else "",
                },
                "usual": usual_acts(acts),
            }
        )

    async def progress(self, request: Request, subject: Subject) -> Response:
        """GET how far each change is, those that began first on top."""
        plan = await Plans(self.services).plan(request, subject)
        course = await course_of(self.services.store, plan)
        return page(request, course.moving(), lambda each: each)

    async def _pass(self, course: Course) -> Recorded | None:
        """The pass that this plan was held in, while it is on record; not one after the decision."""
        plan, until = course.plan, course.decided_at or inf
        rows = await self.services.store.read(PASSES_PAGE, ref=plan.ref, after="", limit=RECENT)
        same = [row for row in rows if row.at <= until and digest(row.case.plan.actions) == plan.digest]
        return same[0] if same else None

    def _guards(self, course: Course, row: Recorded) -> list[dict[str, AnyJson]]:
        """Every guard as it judged then; where a person said yes all the same, who."""
        plan, yes = course.plan, course.approval
        sources = Sources(self.services.limits, self.services.narrower)
        found = measured(row.case, row.verdict, partial(sources.of, kind=plan.kind, name=plan.name))
        waived = frozenset(yes.waives) if yes else frozenset()
        return [
            {**each, "overruled_by": yes.approver if yes and each["held"] and each["name"] in waived else ""}
            for each in found
        ]

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


def _became(course: Course) -> tuple[dict[str, str], dict[str, dict[str, int]]]:
    """What became of each item, and how many of each group; takes a second for a hundred thousand."""
    outcomes = course.outcomes()
    return outcomes, counted(course.plan, outcomes)


def usual_acts(acts: Iterable[Act]) -> dict[str, dict[str, float]]:
    """How long acts of each verb take here."""
    took: dict[str, list[float]] = {}
    for act in acts:
        if act.state is ActState.DONE:
            took.setdefault(act.verb, []).append(max(0.0, act.ended_at - act.began_at))
    return {verb: found for verb, each in took.items() if (found := usual(each))}
