"""The last hour, minute by minute: what was declared, done, held, and how states moved."""

from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any, Final

from msgspec import Struct, to_builtins
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.permission import Permission, key_of
from setpoint.access.subject import Subject
from setpoint.api.address import BASES
from setpoint.api.render import answer, moment
from setpoint.api.served import Served, demand
from setpoint.api.services import Services
from setpoint.api.sight import Sight
from setpoint.api.validate import SCOPES
from setpoint.engine.entity import Scope
from setpoint.engine.rows import Event, Head
from setpoint.engine.store import EVENTS_BEFORE

AnyJson = Any
Counts = Counter[tuple[int, str]]
"""By minute and sort."""
MINUTE: Final = 60
MINUTES: Final = 60
AT_ONCE: Final = 1_000
MOST: Final = 20_000
"""So many events are looked at: an hour that had more is told from where they begin."""
LATEST: Final = 10
SORTS: Final = {
    "entity.config_changed": "declared",
    "entity.state_changed": "states",
    "act.done": "acts",
    "act.failed": "failures",
    "plan.held": "held",
    "task.failed": "failures",
}
"""By type: which bar an event is part of. Others are told of, and counted in none."""


class Stretch(Struct, frozen=True):
    """Some events, newest first, and from when on all have been looked at."""

    events: Sequence[Event]
    since: float


class Activity(Struct, frozen=True):
    """What happened lately, counted."""

    services: Services

    def routes(self) -> Iterator[Served]:
        for level, base in BASES.items():
            if level != "installation":
                yield Served(f"{base}/activity", self.hour, demand("read", "organization.event", "within"))

    async def hour(self, request: Request, subject: Subject) -> Response:
        """GET the last sixty minutes as counts, oldest first, and what was told last."""
        scope = Scope(*(request.path_params.get(part, "") for part in SCOPES))
        now = self.services.runtime.now()
        begin = (now // MINUTE - MINUTES + 1) * MINUTE
        sight, counts = Sight(self.services, subject), Counts()
        latest: list[Event] = []
        since = begin
        async for part in self.heard(sight, scope, begin):
            since = part.since
            for event in part.events:
                if sort := SORTS.get(event.type):
                    counts[int((event.at - begin) // MINUTE), sort] += event.at >= begin
                    latest += [event] if len(latest) < LATEST else []
        names = {row.ref: row.name for row in (await sight.known(event.ref for event in latest)).values()}
        told = [_told(event, names.get(event.ref, "")) for event in latest]
        return answer({"minutes": _minutes(begin, counts), "latest": told, "complete": since <= begin})

    async def heard(self, sight: Sight, scope: Scope, begin: float) -> AsyncIterator[Stretch]:
        """Newest first, those of the hour; and as many older ones as it takes to tell what was last."""
        head = await self.services.store.get(Head, scope.organization)
        below, looked = (head.revision if head else 0) + 1, 0
        everything = self._hears_everything(sight, Scope(scope.organization))
        while looked < MOST:
            rows = await self.services.store.read(
                EVENTS_BEFORE, organization=scope.organization, below=below, limit=AT_ONCE
            )
            inside = [row for row in rows if scope == Scope(row.organization) or scope.holds(row.scope)]
            over = len(rows) < AT_ONCE or rows[-1].at < begin
            theirs = inside if everything else await self._theirs(sight, inside)
            yield Stretch(theirs, begin if over else rows[-1].at)
            if over:
                return
            looked, below = looked + len(rows), rows[-1].revision

    async def _theirs(self, sight: Sight, rows: Sequence[Event]) -> list[Event]:
        return await sight.heard(rows, await sight.known(row.ref for row in rows))

    def _hears_everything(self, sight: Sight, scope: Scope) -> bool:
        """Of the organization: what a project of that name was before is not for all who read in it now."""
        now, may = self.services.runtime.now(), sight.subject.may_everywhere
        keys = ["organization.event", *(key_of(kind) for kind in self.services.kinds.values())]
        return all(may(Permission("read", key), scope, now) for key in keys)


def _minutes(begin: float, counts: Counts) -> list[dict[str, AnyJson]]:
    names = sorted({*SORTS.values()})
    return [
        {"at": moment(begin + minute * MINUTE), **{name: counts[minute, name] for name in names}}
        for minute in range(MINUTES)
    ]


def _told(event: Event, name: str) -> dict[str, AnyJson]:
    """With what the object is called, while it is there."""
    return {**to_builtins(event), "at": moment(event.at), "name": name}
