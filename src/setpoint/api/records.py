"""Reading what was done: tasks, events and the audit chain of an organization."""

from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.subject import Subject
from setpoint.api.beginning import EARLIER
from setpoint.api.evidence import evidence_page
from setpoint.api.paging import page_of, revision_of
from setpoint.api.problem import Refused
from setpoint.api.render import answer, moment
from setpoint.api.runs import earlier_runs, shown_retry, usual_runs
from setpoint.api.services import Services
from setpoint.api.sight import Sight
from setpoint.api.watch import wants_watch, watch
from setpoint.capabilities.chronicle import cloud_event
from setpoint.engine.audit import broken_at
from setpoint.engine.entity import Scope
from setpoint.engine.rows import Event, Head, Task, TaskState
from setpoint.engine.store import AUDIT_PAGE, EVENTS_AFTER, TASKS_PAGE

AnyJson = Any
AT_ONCE = 1000
BATCH: Final = "application/cloudevents-batch+json"


class Walked(Struct, frozen=True):
    """A chain from end to end: which of some hashes it holds, and where it is broken."""

    lines: int
    met: set[str]
    broken_at: int | None = None
    why: str = ""


class Records(Struct, frozen=True):
    """The past of one organization."""

    services: Services

    async def tasks(self, request: Request, subject: Subject) -> Response:
        page, organization = page_of(request), request.path_params["organization"]
        rows = await self.services.store.read(
            TASKS_PAGE, organization=organization, after=page.after, limit=page.size + 1
        )
        more = rows[page.size - 1].id if len(rows) > page.size else ""
        sees = await self._sees(subject, organization, rows)
        items = [self._shown_task(row) for row in rows[: page.size] if sees(row.target)]
        items = [{key: value for key, value in item.items() if key != "story"} for item in items]
        usual = {} if page.after else await self._usual(subject, organization)
        return answer({"items": items, "next_page_token": more, "usual": usual})

    async def _usual(self, subject: Subject, organization: str) -> dict[str, AnyJson]:
        """How long tasks of each pipeline take, from the last that were done and are theirs to see."""
        rows = await self.services.store.read(TASKS_PAGE, organization=organization, after="", limit=AT_ONCE)
        sees = await self._sees(subject, organization, rows)
        return usual_runs(row for row in rows if sees(row.target))

    async def task(self, request: Request, subject: Subject) -> Response:
        organization = request.path_params["organization"]
        task = await self.services.store.get(Task, request.path_params["id"])
        if (
            task is None
            or task.organization != organization
            or not (await self._sees(subject, organization, (task,)))(task.target)
        ):
            raise Refused(404, "not_found", f"there is no task {request.path_params['id']}")
        rows = await self.services.store.read(TASKS_PAGE, organization=organization, after="", limit=AT_ONCE)
        sees = await self._sees(subject, organization, rows)
        same = [row for row in rows if row.pipeline == task.pipeline and sees(row.target)]
        return answer({**self._shown_task(task), **earlier_runs(task, same)})

    async def events(self, request: Request, subject: Subject) -> Response:
        """A page, oldest first, or a stream with `watch=1`."""
        organization = request.path_params["organization"]
        if wants_watch(request):
            return await watch(Sight(self.services, subject), request, Scope(organization), "")
        page = page_of(request)
        rows = await self.services.store.read(
            EVENTS_AFTER,
            organization=organization,
            after=revision_of(page.after, "page_token"),
            limit=page.size,
        )
        sight = Sight(self.services, subject)
        known = await sight.known(row.ref for row in rows)
        heard = await sight.heard(rows, known)
        if BATCH in request.headers.get("Accept", ""):
            return _batch(request, heard, rows[-1].revision if len(rows) == page.size else 0)
        items = [{**msgspec.to_builtins(row), "at": moment(row.at)} for row in heard]
        more = str(rows[-1].revision) if len(rows) == page.size else ""
        return answer({"items": items, "next_page_token": more})

    async def audit(self, request: Request, subject: Subject) -> Response:
        """GET it oldest first, or with `order_by=revision desc`; `actor`, `action` and `about` narrow it."""
        return await evidence_page(self.services.store, request, request.path_params["organization"])

    async def verify(self, request: Request, subject: Subject) -> Response:
        """The whole chain, to its head, and whether it holds all that was shipped; no line is shown."""
        return await self._verified(request.path_params["organization"])

    async def verify_installation(self, request: Request, subject: Subject) -> Response:
        """GET the same of what lies in no organization: accounts, sessions, who runs the installation."""
        return await self._verified("")

    async def _verified(self, organization: str) -> Response:
        EARLIER.set(True)
        shipped = await self.services.shipping.shipped(organization)
        points = frozenset(each.hash for each in shipped.points.get(organization, ()))
        chain = await self._walked(organization, points)
        lost = shipped.missing(organization, chain.met)
        found = {"lines": chain.lines, "checkpoints": len(points), "foreign_checkpoints": shipped.foreign}
        if chain.broken_at is None and lost:
            first = lost[0]
            why = f"the line at revision {first.revision} was shipped {moment(first.at)}, and is not here"
            return answer({"intact": False, **found, "broken_at": first.revision, "why": why})
        return answer(
            {"intact": chain.broken_at is None, **found, "broken_at": chain.broken_at, "why": chain.why}
        )

    async def _walked(self, organization: str, points: frozenset[str]) -> "Walked":
        after, previous, lines, ended = 0, "", 0, False
        met: set[str] = set()
        while True:
            rows = await self.services.store.read(
                AUDIT_PAGE, organization=organization, after=after, limit=AT_ONCE
            )
            broken = broken_at(rows, previous)
            if broken is not None:
                return Walked(lines, met, broken, "it is not what followed the line before it")
            if not rows:
                head = await self.services.store.get(Head, organization)
                if previous == (head.hash if head else ""):
                    return Walked(lines, met)
                if ended:
                    return Walked(lines, met, after, "the chain ends before its head")
            else:
                after, previous, lines = rows[-1].revision, rows[-1].hash, lines + len(rows)
                met |= points.intersection(row.hash for row in rows)
            ended = not rows  # A line may have come between the last look and the head: look once more.

    async def _sees(
        self, subject: Subject, organization: str, tasks: Iterable[Task]
    ) -> Callable[[str], bool]:
        sight = Sight(self.services, subject)
        return await sight.about("organization.task", organization, (task.target for task in tasks))

    def _shown_task(self, task: Task) -> dict[str, AnyJson]:
        """Progress, not the saved state: that may hold what nobody should read."""
        raw: dict[str, AnyJson] = msgspec.to_builtins(task)
        raw.pop("saved")
        pipeline = self.services.pipelines.get(task.pipeline)
        raw["steps"] = [step.name for step in pipeline.steps] if pipeline else []
        raw["created_at"], raw["changed_at"] = moment(task.created_at), moment(task.changed_at)
        raw["due_at"] = moment(task.due_at) if task.due_at else None
        raw["retry"] = shown_retry(task, self.services.pipelines) if task.state is TaskState.FAILED else None
        for turn in raw["story"]:
            turn["first"], turn["last"] = moment(turn["first"]), moment(turn["last"])
        return raw


def _batch(request: Request, events: list[Event], last: int) -> Response:
    """The same page as CloudEvents; where the next one begins is a link, for a batch is a bare list."""
    raw = msgspec.json.encode([cloud_event(event) for event in events])
    more = {"Link": f'<{request.url.path}?page_token={last}>; rel="next"'} if last else {}
    return Response(raw, headers=more, media_type=BATCH)
