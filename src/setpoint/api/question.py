"""Dry runs: what a change would do, asked of the scheduler. The question is stored; the change is not."""

from msgspec import Struct
from starlette.responses import Response

from setpoint.api.address import operation_path
from setpoint.api.outline import outlined
from setpoint.api.problem import Refused
from setpoint.api.render import answer
from setpoint.api.services import Services
from setpoint.engine.bounds import DRY_RUNS
from setpoint.engine.entity import Declared, Ref, Scope
from setpoint.engine.rows import Lane, PlanRow, PlanState, Wake
from setpoint.engine.store import QUESTIONS_IN, Change, Put

ACCEPTED = 202


class Questions(Struct, frozen=True):
    """Asked in the name of one organization."""

    services: Services

    async def ask(self, organization: str, rows: tuple[Declared, ...]) -> Response:
        """Accepted: the plan is an operation, which is over in a moment."""
        await self._check_room(organization)
        now, identity = self.services.runtime.now(), self.services.runtime.new_id()
        asked = PlanRow(
            id=identity,
            ref=Ref(f"plan/{identity}"),
            kind="plan",
            scope=Scope(organization),
            name=identity,
            state=PlanState.ASKED,
            proposals=rows,
            created_at=now,
            changed_at=now,
        )
        wake = Wake(
            id=self.services.runtime.new_id(), ref=asked.ref, reason="asked for", lane=Lane.INTERACTIVE
        )
        await self.services.store.commit(Change(writes=(Put(asked), Put(wake))))
        return await asked_again(asked)

    async def _check_room(self, organization: str) -> None:
        """What waits is stored whole; the scheduler lets go of answers, see `scheduler/rehearsal.py`."""
        most = DRY_RUNS.most
        waiting = await self.services.store.read(
            QUESTIONS_IN, organization=organization, state=PlanState.ASKED, limit=most
        )
        if len(waiting) >= most:
            detail = f"{most} dry runs of {organization} wait for their answers; no more are taken"
            hint = "wait for those, or cancel some"
            raise Refused(429, "too_many_dry_runs", detail, hint=hint, retry_after=5)

    async def again(self, refs: tuple[str, ...]) -> Response:
        """The question of a request that is sent once more, with its answer if there is one."""
        plan = await self.services.store.get(PlanRow, refs[0].partition("/")[2]) if refs else None
        if plan is None:
            raise Refused(404, "not_found", "the plan that was asked for is gone")
        return await asked_again(plan)


async def asked_again(plan: PlanRow) -> Response:
    """The same answer, whenever it is given."""
    return answer(await outlined(plan), ACCEPTED, location=operation_path(plan.organization, plan.id))
