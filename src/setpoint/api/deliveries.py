"""What was told to a webhook and what was not: each delivery a task, and how to make it once more."""

from typing import Any, Final

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.subject import Subject
from setpoint.api.address import operation_path
from setpoint.api.body import read_json
from setpoint.api.paging import page_of
from setpoint.api.problem import Refused
from setpoint.api.render import answer, moment
from setpoint.api.services import Services
from setpoint.api.validate import unknown_fields
from setpoint.engine.entity import Declared, Ref, Scope, slot
from setpoint.engine.errors import Mistake
from setpoint.engine.rows import Lane, Task, TaskState, Wake, evidence
from setpoint.engine.store import DECLARED_AT, TASKS_PAGE, Change, Put

AnyJson = Any
PIPELINE: Final = "webhook.deliver"
SCANNED: Final = 500


class Deliveries(Struct, frozen=True):
    """Those of one webhook."""

    services: Services

    async def page(self, request: Request, subject: Subject) -> Response:
        """GET them, newest first; a short page has a token while there is more to look through."""
        page, webhook = page_of(request), await self._webhook(request)
        rows = await self.services.store.read(
            TASKS_PAGE, organization=webhook.organization, after=page.after, limit=SCANNED
        )
        found = [row for row in rows if _is_of(row, webhook)]
        more = rows[-1].id if len(rows) == SCANNED else ""
        if len(found) > page.size:
            found = found[: page.size]
            more = found[-1].id
        return answer({"items": [shown_delivery(row) for row in found], "next_page_token": more})

    async def again(self, request: Request, subject: Subject) -> Response:
        """POST: deliver one once more, with the id it had; accepted as an operation."""
        webhook = await self._webhook(request)
        identity = await self._asked(request)
        known = await self.services.store.get(Task, identity)
        if known is None or not _is_of(known, webhook):
            raise Refused(404, "not_found", f"there is no delivery {identity[:64]} of {webhook.name}")
        if known.open:
            detail = f"delivery {identity} is still being tried"
            raise Refused(409, "still_delivering", detail, hint="wait for it, or cancel its operation")
        now, new_id = self.services.runtime.now(), self.services.runtime.new_id()
        task = Task(
            id=new_id,
            pipeline=PIPELINE,
            target=Ref(f"{webhook.ref}.{new_id}"),
            key=known.key,
            organization=known.organization,
            asked_by=subject.name,
            saved=known.saved,
            created_at=now,
            changed_at=now,
        )
        wake = Wake(
            id=self.services.runtime.new_id(),
            ref=Ref(f"task/{new_id}"),
            reason="once more",
            lane=Lane.INTERACTIVE,
        )
        about = {"delivery": identity, "event": known.key}
        proof = evidence(webhook, subject.name, "webhook.redelivered", now, **about)
        await self.services.store.commit(Change(writes=(Put(task), Put(wake)), audit=(proof,)))
        return answer(shown_delivery(task), 202, location=operation_path(task.organization, task.id))

    async def _webhook(self, request: Request) -> Declared:
        organization, name = request.path_params["organization"], request.path_params["name"]
        place = slot("webhook", Scope(organization), name)
        found = await self.services.store.read(DECLARED_AT, slot=place)
        if not found:
            raise Refused(404, "not_found", f"there is no webhook {name} in {organization}")
        return found[0]

    async def _asked(self, request: Request) -> str:
        body = await read_json(request, self.services.max_body_bytes)
        fields: dict[str, AnyJson] = body if isinstance(body, dict) else {}
        wrong = [*unknown_fields(fields, ("delivery",), "")]
        if not isinstance(fields.get("delivery"), str):
            message = "say which delivery, by its id"
            wrong.append(Mistake(pointer="/delivery", code="missing", message=message))
        if wrong:
            detail = "; ".join(mistake.message for mistake in wrong)
            raise Refused(422, "bad_redelivery", detail, mistakes=tuple(wrong))
        return str(fields["delivery"])


def shown_delivery(task: Task) -> dict[str, AnyJson]:
    """What was told, and how that went; parked is what was given up."""
    state = "parked" if task.state is TaskState.FAILED else task.state
    event = task.saved.get("event", {})
    return {
        "id": task.id,
        "event": event.get("id", ""),
        "type": event.get("type", ""),
        "state": state,
        "attempts": task.attempts,
        "message": task.error or task.reason,
        "created_at": moment(task.created_at),
        "changed_at": moment(task.changed_at),
    }


def _is_of(task: Task, webhook: Declared) -> bool:
    return task.pipeline == PIPELINE and task.saved.get("webhook") == webhook.ref
