"""Plans: those that wait for a person, and the person's answer."""

from functools import partial
from typing import Any

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.subject import APPROVE, Subject
from setpoint.api.body import read_json
from setpoint.api.credentials import require_fresh
from setpoint.api.form import reason_mistakes
from setpoint.api.holders import holders_of
from setpoint.api.identity import is_author, second_people
from setpoint.api.paging import page_of
from setpoint.api.problem import Refused
from setpoint.api.render import answer, moment
from setpoint.api.services import Services
from setpoint.api.sight import Sight
from setpoint.api.standing import refusal, standing_of
from setpoint.api.validate import unknown_fields
from setpoint.engine import approval
from setpoint.engine.entity import Declared
from setpoint.engine.errors import Mistake
from setpoint.engine.rows import PlanRow, PlanState
from setpoint.engine.store import PLANS_PAGE

AnyJson = Any


class Plans(Struct, frozen=True):
    """Held plans and dry runs of one organization."""

    services: Services

    async def page(self, request: Request, subject: Subject) -> Response:
        page = page_of(request, PlanState)
        rows = await self.services.store.read(
            PLANS_PAGE,
            organization=request.path_params["organization"],
            state=page.state,
            after=page.after,
            limit=page.size + 1,
        )
        more = rows[page.size - 1].id if len(rows) > page.size else ""
        sees = partial(self._sees, subject)
        return answer(
            {"items": [shown_plan(row) for row in rows[: page.size] if sees(row)], "next_page_token": more}
        )

    async def read(self, request: Request, subject: Subject) -> Response:
        return answer(shown_plan(await self._plan(request, subject)))

    async def approve(self, request: Request, subject: Subject) -> Response:
        """The digest that was shown is sent back: what is approved is what was seen."""
        plan = await self._decidable(request, subject)
        await require_fresh(self.services, subject.credential)
        reason = await self._reason(request, plan, digest=True)
        standing = await standing_of(self.services.store, plan.tenant)
        if not standing.good:
            raise refusal(standing)
        now = self.services.runtime.now()
        alone = await self._check_second_person(plan, subject)
        granted = approval.granted(
            plan,
            identity=self.services.runtime.new_id(),
            actor=subject.name,
            reason=reason,
            times=(now, now + self.services.limits.approval_seconds),
        )
        await self.services.store.commit(approval.approve(plan, granted, alone=alone))
        return answer(shown_plan(await self._plan(request, subject)))

    async def _check_second_person(self, plan: PlanRow, subject: Subject) -> bool:
        """Whoever asked for it, or a program of theirs, says yes only where nobody else could: is this so?"""
        holders = await holders_of(self.services.store, plan.organization)
        others = second_people(holders, plan.author, plan.scope, self.services.runtime.now())
        approver = plan.author if is_author(subject, plan.author) else subject.name
        declared = await self.services.store.get(Declared, plan.ref)
        protected = declared is not None and declared.protected
        approval.check_second_person(plan, approver, others, protected=protected)
        return approver == plan.author

    async def reject(self, request: Request, subject: Subject) -> Response:
        """Nothing is let through, so the digest may be left out; a wrong one is still refused."""
        plan = await self._decidable(request, subject)
        change = approval.reject(
            plan,
            identity=self.services.runtime.new_id(),
            actor=subject.name,
            reason=await self._reason(request, plan, digest=False),
            now=self.services.runtime.now(),
        )
        await self.services.store.commit(change)
        return answer(shown_plan(await self._plan(request, subject)))

    async def decided(self, request: Request, subject: Subject, refs: tuple[str, ...]) -> Response:
        """The plan as it stands, for a decision that was sent once more."""
        return answer(shown_plan(await self._plan(request, subject)))

    async def _decidable(self, request: Request, subject: Subject) -> PlanRow:
        plan = await self._plan(request, subject)
        said = subject.may(APPROVE, plan.scope, self.services.runtime.now())
        if not said.allowed:
            detail = f"{subject.name} may not decide about plans in {plan.scope}: {said.reason}"
            raise Refused(403, "forbidden", detail, hint="setpoint who-can execute organization.plan.approve")
        return plan

    async def _plan(self, request: Request, subject: Subject) -> PlanRow:
        identity = request.path_params["id"]
        plan = await self.services.store.get(PlanRow, identity)
        ours = plan is not None and plan.organization == request.path_params["organization"]
        if plan is None or not ours or not self._sees(subject, plan):
            raise Refused(404, "not_found", f"there is no plan {identity}")
        return plan

    def _sees(self, subject: Subject, plan: PlanRow) -> bool:
        return Sight(self.services, subject).may("read", "organization.plan", plan.scope)

    async def _reason(self, request: Request, plan: PlanRow, *, digest: bool) -> str:
        """Why, from a body that speaks of this very plan; every mistake at once."""
        body = await read_json(request, self.services.max_body_bytes)
        fields: dict[str, AnyJson] = body if isinstance(body, dict) else {}
        wrong = [*unknown_fields(fields, ("digest", "reason"), ""), *reason_mistakes(fields)]
        seen = fields.get("digest")
        if digest and seen is None:
            message = "send back the digest of the plan that was shown"
            wrong.append(Mistake(pointer="/digest", code="missing", message=message))
        if wrong:
            detail = "; ".join(mistake.message for mistake in wrong)
            raise Refused(422, "bad_decision", detail, mistakes=tuple(wrong))
        if seen not in (None, plan.digest):
            hint = f"look at it again: setpoint describe plan {plan.id}"
            raise Refused(409, "stale_plan", f"the plan's digest is {plan.digest}, not {seen!r}", hint=hint)
        return str(fields["reason"])


def shown_plan(plan: PlanRow) -> dict[str, AnyJson]:
    """A plan as people read it; the declarations it is about stay where they were sent from."""
    raw: dict[str, AnyJson] = msgspec.to_builtins(plan)
    scope = raw.pop("scope")
    raw.pop("proposals")
    raw["metadata"] = {key: value for key, value in scope.items() if value}
    raw["created_at"] = moment(plan.created_at)
    raw["changed_at"] = moment(plan.changed_at)
    return raw
