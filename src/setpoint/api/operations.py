"""Long work in one shape (AIP-151): tasks of the worker, and dry runs that the scheduler answers."""

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.permission import Permission
from setpoint.access.subject import Subject
from setpoint.api.address import operation_path
from setpoint.api.body import read_json
from setpoint.api.form import reason_mistakes
from setpoint.api.outline import outlined, short_plan
from setpoint.api.paging import number, page_of
from setpoint.api.problem import Refused
from setpoint.api.render import answer, moment
from setpoint.api.runs import once_more, shown_retry
from setpoint.api.services import Services
from setpoint.api.sight import Sight
from setpoint.api.validate import unknown_fields
from setpoint.engine.entity import Declared, Ref, Scope
from setpoint.engine.pipeline import Pipeline
from setpoint.engine.request import Cancellation
from setpoint.engine.rows import Audit, Lane, PlanRow, PlanState, Task, TaskState, Wake, evidence
from setpoint.engine.store import ANYTHING, PLANS_PAGE, TASKS_OF, TASKS_PAGE, Change, Expect, Put

AnyJson = Any
Work = Task | PlanRow
STOP: Final = Permission("execute", "organization.task")
LONGEST_WAIT: Final = 60
USUAL_WAIT: Final = 30
LOOK_SECONDS: Final = 1.0
"""A store says when something moved; where it could not, we look."""


class Operations(Struct, frozen=True):
    """Those of one organization."""

    services: Services

    async def page(self, request: Request, subject: Subject) -> Response:
        """GET them, newest first. What is no operation, or not theirs to see, leaves its place empty."""
        page, organization = page_of(request), request.path_params["organization"]
        asked = {"organization": organization, "after": page.after, "limit": page.size + 1}
        tasks = await self.services.store.read(TASKS_PAGE, **asked)
        plans = await self.services.store.read(PLANS_PAGE, state="", **asked)
        found: list[Work] = sorted((*tasks, *plans), key=lambda row: row.id, reverse=True)
        more = found[page.size - 1].id if len(found) > page.size else ""
        seen = await self._seen(subject, organization, found[: page.size])
        items = [await self._shown(row, in_list=True) for row in seen]
        return answer({"items": items, "next_page_token": more})

    async def read(self, request: Request, subject: Subject) -> Response:
        """GET one: how far it is, and how it ended."""
        return answer(await self._shown(await self._work(request, subject)))

    async def wait(self, request: Request, subject: Subject) -> Response:
        """GET one when it is over, or as it is after `timeout` seconds."""
        raw = request.query_params.get("timeout", str(USUAL_WAIT))
        seconds = number(raw)
        if seconds is None or seconds > LONGEST_WAIT:
            raise Refused(400, "bad_query", f"timeout is 0 to {LONGEST_WAIT} seconds, not {raw[:64]!r}")
        organization, moved = request.path_params["organization"], asyncio.Event()
        forget = self.services.store.listen(
            lambda changed: moved.set() if changed & {organization, ANYTHING} else None
        )
        try:
            async with asyncio.timeout(seconds):
                while not self.services.drain.begun and not _over(await self._work(request, subject)):
                    await _either(moved)
        except TimeoutError:
            pass  # As it is, then.
        finally:
            forget()
        return answer(await self._shown(await self._work(request, subject)))

    async def cancel(self, request: Request, subject: Subject) -> Response:
        """POST: stop before the next step, and undo what was done. Accepted; it ends when that is so."""
        work = await self._work(request, subject)
        reason = await self._reason(request)
        await self._check_may(subject, work, "stop work")
        if _over(work):
            raise Refused(409, "operation_over", f"operation {work.id} is over", retryable=False)
        await self.services.store.commit(self._stopped(work, subject, reason))
        return answer(await self._shown(await self._work(request, subject)), 202)

    async def retry(self, request: Request, subject: Subject) -> Response:
        """POST: begin a task once more that failed or was cancelled, as a new one; `retry` has where."""
        work = await self._work(request, subject)
        reason = await self._reason(request)
        await self._check_may(subject, work, "begin work")
        why = await self._final(work)
        if isinstance(work, PlanRow) or why:
            raise Refused(409, "cannot_retry", f"operation {work.id} {why}", retryable=False)
        again, change = self._again(work, subject, reason)
        await self.services.store.commit(change)
        body = {**await self._shown(again), "retry": shown_retry(work, self.services.pipelines)}
        return answer(body, 202, location=operation_path(again.organization, again.id))

    async def _final(self, work: Work) -> str:
        """Why there is nothing to begin once more; empty where there is."""
        if isinstance(work, PlanRow):
            return "is a plan: ask for another one"
        if work.state is not TaskState.FAILED:
            return "is under way: it tries again by itself" if work.open else "is done"
        if work.pipeline not in self.services.pipelines:
            return f"is one of {work.pipeline}, which this version does not have"
        return await self._overtaken(work)

    async def _overtaken(self, work: Task) -> str:
        """What has come after it, so that it is not meant any more."""
        newest, *_ = await self.services.store.read(TASKS_OF, target=work.target)
        if newest.id != work.id:
            return f"was begun once more already, as {newest.id}"
        target = await self.services.store.get(Declared, work.target)
        meant = work.saved.get("generation")
        if meant is not None and (target is None or target.generation != meant):
            return "is about a declaration that has changed since: its loop asks for what that needs"
        return ""

    def _again(self, work: Task, subject: Subject, reason: str) -> tuple[Task, Change]:
        """Over what is left of its state, from the first step whose work does not stand."""
        now, new_id = self.services.runtime.now(), self.services.runtime.new_id
        begun = Task(
            id=new_id(),
            pipeline=work.pipeline,
            target=work.target,
            key=work.key,
            organization=work.organization,
            asked_by=subject.name,
            reason=f"once more: {reason}",
            created_at=now,
            changed_at=now,
        )
        again = once_more(self.services.pipelines[work.pipeline], work, begun)
        ref = Ref(f"task/{again.id}")
        wake = Wake(id=new_id(), ref=ref, reason="once more", lane=Lane.INTERACTIVE)
        about = {"of": work.id, "from": again.step, "stands": again.steps_done, "reason": reason}
        detail = {"pipeline": work.pipeline, "target": work.target, **about}
        proof = Audit(
            organization=work.organization,
            actor=subject.name,
            action="operation.retried",
            ref=ref,
            at=now,
            detail=detail,
        )
        return again, Change(writes=(Put(again), Put(wake)), audit=(proof,))

    async def _check_may(self, subject: Subject, work: Work, what: str) -> None:
        said = subject.may(STOP, await self._place(subject, work), self.services.runtime.now())
        if not said.allowed:
            detail = f"{subject.name} may not {what} here: {said.reason}"
            raise Refused(403, "forbidden", detail, hint="setpoint who-can execute organization.task")

    def _stopped(self, work: Work, subject: Subject, reason: str) -> Change:
        now = self.services.runtime.now()
        if isinstance(work, PlanRow):
            note = f"cancelled by {subject.name}: {reason}"
            off = replace(
                work,
                state=PlanState.REJECTED,
                decided_by=subject.name,
                note=note,
                changed_at=now,
                proposals=(),  # Nobody answers it any more, and they may be large.
            )
            proof = evidence(work, subject.name, "operation.cancelled", now, reason=reason)
            return Change((Expect(PlanRow, work.id, "state", work.state),), (Put(off),), audit=(proof,))
        word = Cancellation(id=work.id, by=subject.name, reason=reason, at=now)
        ref = Ref(f"task/{work.id}")
        wake = Wake(id=self.services.runtime.new_id(), ref=ref, reason="cancelled", lane=Lane.INTERACTIVE)
        proof = Audit(
            organization=work.organization,
            actor=subject.name,
            action="operation.cancelled",
            ref=ref,
            at=now,
            detail={"pipeline": work.pipeline, "target": work.target, "reason": reason},
        )
        return Change(writes=(Put(word), Put(wake)), audit=(proof,))

    async def _work(self, request: Request, subject: Subject) -> Work:
        identity, organization = request.path_params["id"], request.path_params["organization"]
        found: Work | None = await self.services.store.get(Task, identity)
        if found is None:
            found = await self.services.store.get(PlanRow, identity)
        ours = found is not None and found.organization == organization
        if found is None or not ours or not await self._seen(subject, organization, [found]):
            raise Refused(404, "not_found", f"there is no operation {identity[:64]}")
        return found

    async def _seen(self, subject: Subject, organization: str, found: list[Work]) -> list[Work]:
        sight = Sight(self.services, subject)
        targets = (row.target for row in found if isinstance(row, Task))
        sees = await sight.about("organization.task", organization, targets)
        asked = [row for row in found if isinstance(row, PlanRow) and row.is_dry_run]
        theirs = {row.id for row in await sight.plans(organization, asked)}
        return [row for row in found if (sees(row.target) if isinstance(row, Task) else row.id in theirs)]

    async def _place(self, subject: Subject, work: Work) -> Scope:
        """Where it is done: in the scope of its target, while that is declared."""
        if isinstance(work, PlanRow):
            return work.scope
        target = (await Sight(self.services, subject).known((work.target,))).get(work.target)
        return (target.inner or target.scope) if target else Scope(work.organization)

    async def _shown(self, work: Work, *, in_list: bool = False) -> dict[str, AnyJson]:
        if isinstance(work, PlanRow):
            return shown_question(work, short_plan(work) if in_list else await outlined(work))
        cancel = await self.services.store.get(Cancellation, work.id)
        return shown_task(work, self.services.pipelines, asked_to_stop=cancel is not None)

    async def _reason(self, request: Request) -> str:
        body = await read_json(request, self.services.max_body_bytes)
        fields: dict[str, AnyJson] = body if isinstance(body, dict) else {}
        wrong = [*unknown_fields(fields, ("reason",), ""), *reason_mistakes(fields)]
        if wrong:
            detail = "; ".join(mistake.message for mistake in wrong)
            raise Refused(422, "bad_cancellation", detail, mistakes=tuple(wrong))
        return str(fields["reason"])


def shown_task(task: Task, pipelines: Mapping[str, Pipeline], *, asked_to_stop: bool) -> dict[str, AnyJson]:
    """A task as an operation: progress by steps, and either a response or an error at the end."""
    pipeline = pipelines.get(task.pipeline)
    of, done = len(pipeline.steps) if pipeline else len(task.steps_done), len(task.steps_done)
    body: dict[str, AnyJson] = {
        "id": task.id,
        "verb": task.pipeline,
        "target": task.target,
        "state": task.state,
        "done": not task.open,
        "create_time": moment(task.created_at),
        "end_time": None if task.open else moment(task.changed_at),
        "progress": {
            "step": task.step,
            "number": min(done + 1, of) if task.open else done,
            "of": of,
            "percent": round(100 * done / of) if of else 0,
            "message": task.reason,
        },
        "cancel_requested": asked_to_stop or bool(task.cancelled),
    }
    if task.state is TaskState.FAILED:
        code = "cancelled" if task.cancelled else "task_failed"
        error = {"code": code, "message": task.error or task.reason}
        return {**body, "error": error, "retry": shown_retry(task, pipelines)}
    return body if task.open else {**body, "response": {"target": task.target}}


def shown_question(plan: PlanRow, response: AnyJson) -> dict[str, AnyJson]:
    """A dry run as an operation: its response is the plan."""
    over = _over(plan)
    body: dict[str, AnyJson] = {
        "id": plan.id,
        "verb": "plan",
        "target": plan.ref,
        "state": plan.state,
        "done": over,
        "create_time": moment(plan.created_at),
        "end_time": moment(plan.changed_at) if over else None,
        "progress": {"step": "plan", "number": 1, "of": 1, "percent": 100 * over, "message": plan.note},
        "cancel_requested": plan.state is PlanState.REJECTED,
    }
    if plan.state is PlanState.REJECTED:
        return {**body, "error": {"code": "cancelled", "message": plan.note}}
    return {**body, "response": response} if over else body


def _over(work: Work) -> bool:
    return work.state is not PlanState.ASKED if isinstance(work, PlanRow) else not work.open


async def _either(moved: asyncio.Event) -> None:
    try:
        async with asyncio.timeout(LOOK_SECONDS):
            await moved.wait()
    except TimeoutError:
        return
    moved.clear()
