"""Items that another writer keeps changing back: no approval lets go of them, a release does."""

from typing import Any, Final

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.subject import Subject
from setpoint.api.paging import page_of
from setpoint.api.render import answer, moment
from setpoint.api.services import Services
from setpoint.api.sight import Sight
from setpoint.api.unwell import unwell
from setpoint.engine.entity import Declared, Scope
from setpoint.engine.ledger import Contest, Ledger

AnyJson = Any
SCANNED: Final = 1_000
"""So many objects that are not READY are looked through for one page."""


class Contests(Struct, frozen=True):
    """What of one organization is contested."""

    services: Services

    async def page(self, request: Request, subject: Subject) -> Response:
        """GET contested items with the command that releases each; an object's items are on one page."""
        page, sight = page_of(request), Sight(self.services, subject)
        items: list[dict[str, AnyJson]] = []
        last, scanned = "", 0
        scope = Scope(request.path_params["organization"])
        async for place, row in unwell(self.services.store, scope, page.size + 1, page.after):
            if len(items) >= page.size or scanned == SCANNED:
                return answer({"items": items, "next_page_token": last})
            last, scanned = place, scanned + 1
            ledger = await self.services.store.get(Ledger, row.ref)
            if ledger is not None and ledger.contested and sight.may_to("read", row):
                items += [_shown(row, item, contest) for item, contest in sorted(ledger.contested.items())]
        return answer({"items": items, "next_page_token": ""})


def _shown(row: Declared, item: str, contest: Contest) -> dict[str, AnyJson]:
    return {
        "kind": row.kind,
        "metadata": {
            "name": row.name,
            "organization": row.scope.organization,
            "project": row.scope.project,
            "workspace": row.scope.workspace,
        },
        "item": item,
        "fields": sorted(filter(None, contest.wishes)),
        "since": moment(contest.since),
        "release": f"setpoint release {row.kind} {row.name} {item}",
    }
