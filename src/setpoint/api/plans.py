"""Plans: those that wait for a person, and the person's answer."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.subject import APPROVE, Subject
from setpoint.api.body import read_json
from setpoint.api.credentials import require_fresh
from setpoint.api.form import reason_mistakes
from setpoint.api.identity import person_named, second_people
from setpoint.api.outline import asked_about, outlined, short_plan
from setpoint.api.paging import page_of
from setpoint.api.problem import Refused
from setpoint.api.render import answer
from setpoint.api.services import Services
from setpoint.api.sight import Sight
from setpoint.api.standing import refusal, standing_of
from setpoint.api.validate import unknown_fields
from setpoint.engine import approval, consent
from setpoint.engine.entity import Declared
from setpoint.engine.errors import Mistake
from setpoint.engine.rows import PlanRow, PlanState
from setpoint.engine.store import PLANS_PAGE

AnyJson = Any


class Plans(Struct, frozen=True):
    """Held plans and dry runs of one organization."""

    services: Services

    async def page(self, request: Request, subject: Subject) -> Response:
        """GET them in short, newest first: a plan may be about thousands."""
        page = page_of(request, PlanState)
        organization = request.path_params["organization"]
        rows = await self.services.store.read(
            PLANS_PAGE, organization=organization, state=page.state, after=page.after, limit=page.size + 1
        )
        more = rows[page.size - 1].id if len(rows) > page.size else ""
        seen = await Sight(self.services, subject).plans(organization, rows[: page.size])
        return answer({"items": [short_plan(row) for row in seen], "next_page_token": more})

    async def read(self, request: Request, subject: Subject) -> Response:
        """GET one by its causes, with the first changes, or with `view=groups` none; see `:changes`."""
        return await _as_wanted(request, await self.plan(request, subject))

    async def approve(self, request: Request, subject: Subject) -> Response:
        """The digest that was shown is sent back: what is approved is what was seen, or only these items."""
        plan = await self._decidable(request, subject)
        await require_fresh(self.services, subject.credential)
        reason, only = await self._reason(request, plan, digest=True)
        alone = await self.check_decider(plan, subject)
        now = self.services.runtime.now()
        granted = approval.granted(
            plan,
            identity=self.services.runtime.new_id(),
            actor=subject.name,
            reason=reason,
            times=(now, now + self.services.limits.approval_seconds),
        )
        if only is not None:
            granted = consent.only(granted, only)
        await self.services.store.commit(approval.approve(plan, granted, alone=alone))
        return await _as_wanted(request, await self.plan(request, subject))

    async def check_decider(self, plan: PlanRow, subject: Subject) -> bool:
        """Refuses whoever may not say yes to it, and everybody while the organization stands badly."""
        self._check_may(plan, subject)
        standing = await standing_of(self.services.store, plan.tenant)
        if not standing.good:
            raise refusal(standing)
        return await self._check_second_person(plan, subject)

    async def _check_second_person(self, plan: PlanRow, subject: Subject) -> bool:
        """Whether who says yes asked for a part of it: they may only where nobody else could."""
        now = self.services.runtime.now()
        store = self.services.store
        askers = plan.people or (await person_named(store, plan.organization, plan.author),)
        if subject.person not in askers:
            return False
        # Where all who could approve asked for a part, whoever joined last has seen what others asked for.
        earlier = askers[: askers.index(subject.person) + 1]
        others = await second_people(store, plan.organization, earlier, plan.scope, now)
        declared = await self.services.store.get(Declared, plan.ref)
        protected = declared is not None and declared.protected
        approval.check_second_person(plan, subject.name, others, protected=protected)
        return True

    async def reject(self, request: Request, subject: Subject) -> Response:
        """Nothing is let through, so the digest may be left out; a wrong one is still refused."""
        plan = await self._decidable(request, subject)
        reason, _ = await self._reason(request, plan, digest=False)
        change = approval.reject(
            plan,
            identity=self.services.runtime.new_id(),
            actor=subject.name,
            reason=reason,
            now=self.services.runtime.now(),
        )
        await self.services.store.commit(change)
        return await _as_wanted(request, await self.plan(request, subject))

    async def decided(self, request: Request, subject: Subject, refs: tuple[str, ...]) -> Response:
        """The plan as it stands, for a decision that was sent once more."""
        return await _as_wanted(request, await self.plan(request, subject))

    async def _decidable(self, request: Request, subject: Subject) -> PlanRow:
        plan = await self.plan(request, subject)
        # To refuse needs no right of its own: whose role decides about plans may always say no.
        self._check_may(plan, replace(subject, approves=True))
        return plan

    def _check_may(self, plan: PlanRow, subject: Subject) -> None:
        said = subject.may(APPROVE, plan.scope, self.services.runtime.now())
        if not subject.approves:
            detail = f"{subject.name} is a token that was not made to approve"
            hint = "approve as yourself, or: setpoint token create NAME --role operator --may-approve"
            raise Refused(403, "forbidden", detail, hint=hint)
        if not said.allowed:
            detail = f"{subject.name} may not decide about plans in {plan.scope}: {said.reason}"
            raise Refused(403, "forbidden", detail, hint="setpoint who-can execute organization.plan.approve")

    async def plan(self, request: Request, subject: Subject) -> PlanRow:
        """The plan of this address, for whoever may see it."""
        return await self.called(request.path_params["id"], request.path_params["organization"], subject)

    async def called(self, identity: str, organization: str, subject: Subject) -> PlanRow:
        plan = await self.services.store.get(PlanRow, identity)
        ours = plan is not None and plan.organization == organization
        sight = Sight(self.services, subject)
        if plan is None or not ours or not await sight.plans(organization, (plan,)):
            raise Refused(404, "not_found", f"there is no plan {identity}")
        return plan

    async def _reason(
        self, request: Request, plan: PlanRow, *, digest: bool
    ) -> tuple[str, frozenset[str] | None]:
        """Why, and to which items only, from a body that speaks of this very plan; every mistake at once."""
        body = await read_json(request, self.services.max_body_bytes)
        fields: dict[str, AnyJson] = body if isinstance(body, dict) else {}
        known = ("digest", "reason", "items") if digest else ("digest", "reason")
        wrong = [*unknown_fields(fields, known, ""), *reason_mistakes(fields)]
        seen, only = fields.get("digest"), fields.get("items") if digest else None
        if digest and seen is None:
            message = "send back the digest of the plan that was shown"
            wrong.append(Mistake(pointer="/digest", code="missing", message=message))
        if seen not in (None, plan.digest):
            hint = f"look at it again: setpoint describe plan {plan.id}"
            raise Refused(409, "stale_plan", f"the plan's digest is {plan.digest}, not {seen!r}", hint=hint)
        wrong += _item_mistakes(plan, only)
        if wrong:
            detail = "; ".join(mistake.message for mistake in wrong)
            raise Refused(422, "bad_decision", detail, mistakes=tuple(wrong))
        return str(fields["reason"]), None if only is None else frozenset(only)


async def _as_wanted(request: Request, plan: PlanRow) -> Response:
    return answer(await outlined(plan, causes_only=request.query_params.get("view") == "groups"))


def _item_mistakes(plan: PlanRow, only: AnyJson) -> Iterator[Mistake]:
    """What is wrong with the choice of items, if one was made."""
    if only is None:
        return
    if not isinstance(only, list) or not only or not all(isinstance(item, str) for item in only):
        message = "items are a list of names, at least one; leave them out to approve all"
        yield Mistake(pointer="/items", code="bad_type", message=message)
        return
    known = frozenset(asked_about(plan))
    for at, item in enumerate(only):
        if item not in known:
            message = f"{item[:64]!r} is not asked about in this plan"
            yield Mistake(pointer=f"/items/{at}", code="unknown_item", message=message)
