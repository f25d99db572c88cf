"""Pages of an audit chain: from either end, narrowed to who did it, what was done, or what it was about."""

from typing import Final

from msgspec import Struct, to_builtins
from starlette.requests import Request
from starlette.responses import Response

from setpoint.api.paging import page_of, revision_of
from setpoint.api.problem import Refused
from setpoint.api.render import answer, moment
from setpoint.engine.rows import Audit
from setpoint.engine.store import AUDIT_BACK, AUDIT_PAGE, Store

ORDERS: Final = ("revision", "revision desc")
AT_ONCE: Final = 500
READINGS: Final = 10
"""A page that finds too little in so many lines is short; the next one goes on where it stopped."""
NEWEST: Final = 2**62


class Wanted(Struct, frozen=True):
    """Which lines; what is empty lets all through."""

    actor: str = ""
    action: str = ""
    about: str = ""
    newest: bool = False

    @property
    def narrows(self) -> bool:
        return bool(self.actor or self.action or self.about)

    def wants(self, line: Audit) -> bool:
        """An action is named whole or by its first word, what it is about by its ref or its name."""
        return (
            self.actor in ("", line.actor)
            and (self.action in ("", line.action) or line.action.startswith(f"{self.action}."))
            and self.about in ("", line.ref, line.detail.get("name"))
        )


async def evidence_page(store: Store, request: Request, organization: str) -> Response:
    """Of one organization, or of the installation, which has no name."""
    page, wanted = page_of(request), _wanted(request)
    start = revision_of(page.after, "page_token") or (NEWEST if wanted.newest else 0)
    found, last = await _found(store, organization, wanted, (start, page.size))
    items = [{**to_builtins(line), "at": moment(line.at)} for line in found]
    return answer({"items": items, "next_page_token": str(last) if last else ""})


async def _found(
    store: Store, organization: str, wanted: Wanted, part: tuple[int, int]
) -> tuple[list[Audit], int]:
    """The lines, and the revision to go on from; 0 where the chain ends."""
    at, size = part
    query, limit = AUDIT_BACK if wanted.newest else AUDIT_PAGE, AT_ONCE if wanted.narrows else size
    found: list[Audit] = []
    for _ in range(READINGS):
        lines = await store.read(query, organization=organization, after=at, limit=limit)
        for line in lines:
            at = line.revision
            found += [line] if wanted.wants(line) else []
            if len(found) == size:
                return found, at
        if len(lines) < limit:
            return found, 0
    return found, at


def _wanted(request: Request) -> Wanted:
    query = request.query_params
    order = query.get("order_by", ORDERS[0])
    if order not in ORDERS:
        raise Refused(400, "bad_query", f"order_by is one of {', '.join(ORDERS)}, not {order[:64]!r}")
    return Wanted(
        actor=query.get("actor", ""),
        action=query.get("action", ""),
        about=query.get("about", ""),
        newest=order == ORDERS[1],
    )
