"""When agents were heard from last: between two of these nothing changes, so no event tells of it."""

from collections.abc import Iterator

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.subject import Subject
from setpoint.api.address import ORGANIZATION
from setpoint.api.paging import page_of
from setpoint.api.render import answer, moment
from setpoint.api.served import Served, demand
from setpoint.api.services import Services
from setpoint.api.sight import Sight
from setpoint.engine.store import DECLARED_PAGE, SIGNS, listed


class Heard(Struct, frozen=True):
    """Of the agents of one organization, or of a part of it."""

    services: Services

    def routes(self) -> Iterator[Served]:
        known = demand("read", "project.workspace.agent", "within")
        yield Served(f"{ORGANIZATION}/agents:heard", self.page, known)

    async def page(self, request: Request, subject: Subject) -> Response:
        """GET the last sign of life of each agent; `project` and `workspace` narrow it."""
        page, query = page_of(request), request.query_params
        rows = await self.services.store.read(
            DECLARED_PAGE,
            kind="agent",
            organization=request.path_params["organization"],
            project=query.get("project", ""),
            workspace=query.get("workspace", ""),
            after=page.after,
            limit=page.size,
        )
        sight = Sight(self.services, subject)
        seen = [row for row in rows if sight.may_to("read", row)]
        signs = await self.services.store.read(SIGNS, refs=listed(row.ref for row in seen))
        items = [{"ref": sign.ref, "heard_at": moment(sign.at)} for sign in signs]
        more = rows[-1].ref if len(rows) == page.size else ""
        return answer({"items": items, "next_page_token": more})
