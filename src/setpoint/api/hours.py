"""The last day, hour by hour and kind by kind: where something was done, held, or went wrong.

Counted from the events that are there anyway, while somebody looks; nothing is kept for it."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.subject import Subject
from setpoint.api.activity import SORTS, Activity
from setpoint.api.address import BASES
from setpoint.api.render import answer, moment
from setpoint.api.served import Served, demand
from setpoint.api.services import Services
from setpoint.api.sight import Sight
from setpoint.api.validate import SCOPES
from setpoint.engine.entity import Scope
from setpoint.engine.limits import HOUR

AnyJson = Any
HOURS: Final = 24
Counts = Counter[tuple[str, str, int]]
"""By kind, sort and hour."""


class Hours(Struct, frozen=True):
    """Of one scope."""

    services: Services

    def routes(self) -> Iterator[Served]:
        for level, base in BASES.items():
            if level != "installation":
                told = demand("read", "organization.event", "within")
                yield Served(f"{base}/activity:hours", self.day, told)

    async def day(self, request: Request, subject: Subject) -> Response:
        """GET the last 24 hours, oldest first: for each kind how much of which sort there was in each."""
        scope = Scope(*(request.path_params.get(part, "") for part in SCOPES))
        begin = (self.services.runtime.now() // HOUR - HOURS + 1) * HOUR
        counts, since = Counts(), begin
        async for part in Activity(self.services).heard(Sight(self.services, subject), scope, begin):
            since = part.since
            for event in part.events:
                sort, known = SORTS.get(event.type, ""), event.kind in self.services.kinds
                if sort and known and event.at >= begin:
                    counts[event.kind, sort, int((event.at - begin) // HOUR)] += 1
        hours = [moment(begin + hour * HOUR) for hour in range(HOURS)]
        return answer({"hours": hours, "items": shown(counts), "since": moment(since)})


def shown(counts: Counts) -> list[dict[str, AnyJson]]:
    """A row for each kind that anything was told of, a number for each hour of each sort."""
    sorts = sorted({*SORTS.values()})
    return [
        {"kind": kind, **{sort: [counts[kind, sort, hour] for hour in range(HOURS)] for sort in sorts}}
        for kind in sorted({kind for kind, _, _ in counts})
    ]
