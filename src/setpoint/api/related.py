"""What one object has to do with others: what it uses and is used by, what it is part of, and its parts."""

from collections.abc import AsyncIterator, Iterator
from itertools import islice
from typing import Any, Final

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.subject import Subject
from setpoint.api.address import ORGANIZATION
from setpoint.api.paging import fitting, number, page_of
from setpoint.api.problem import Refused
from setpoint.api.render import answer
from setpoint.api.served import Served, demand
from setpoint.api.services import Services
from setpoint.api.sight import Sight
from setpoint.engine.entity import Declared, Ref
from setpoint.engine.intent import Intent
from setpoint.engine.store import DECLARED_CHILDREN, DECLARED_OF, DECLARED_REFERRING, listed

AnyJson = Any
Link = tuple[str, Declared]
"""How, and with what."""
USES: Final = "uses"
USED_BY: Final = "used by"
PART_OF: Final = "part of"
HAS: Final = "has"


ORDER: Final = (PART_OF, USES, HAS, USED_BY)
"""How lists of them go: by this, then in the order in which they were made."""


class Related(Struct, frozen=True):
    """One step around an object; only what is theirs to see."""

    services: Services

    def routes(self) -> Iterator[Served]:
        yield Served(f"{ORGANIZATION}/inventory:related", self.of, demand("read", "catalog", "within"))

    async def of(self, request: Request, subject: Subject) -> Response:
        """GET what the object `ref` has to do with, each with how."""
        page, sight = page_of(request), Sight(self.services, subject)
        ref = Ref(request.query_params.get("ref", ""))
        declared = await self.services.store.get(Declared, ref)
        organization = request.path_params["organization"]
        if declared is None or declared.tenant != organization or not sight.may_to("read", declared):
            raise Refused(404, "not_found", f"there is no {ref[:200]!r} in {organization}")
        after = _mark(page.after)
        left = sorted([link async for link in self._links(declared) if _place(link) > after], key=_place)
        seen = list(islice((link for link in left if sight.may_to("read", link[1])), page.size + 1))
        links = seen[: page.size]
        found = await Intent(self.services.store, self.services.kinds).joined([row for _, row in links])
        objects = await self.services.rendered.objects(found)
        by_ref = {entity.ref: each for entity, each in zip(found, objects, strict=True)}
        known = [link for link in links if link[1].ref in by_ref]
        items = fitting({"relation": how, "object": by_ref[row.ref]} for how, row in known)
        last = known[len(items) - 1] if len(items) < len(known) else links[-1] if links else None
        more = ":".join(map(str, _place(last))) if last and last != seen[-1] else ""
        return answer({"items": items, "next_page_token": more})

    async def _links(self, declared: Declared) -> AsyncIterator[Link]:
        read, ref = self.services.store.read, declared.ref
        above = [declared.parent] if declared.parent else []
        above += [Ref(declared.owner)] if declared.owner.partition("/")[0] in self.services.kinds else []
        for row in await read(DECLARED_OF, refs=listed(above)):
            yield PART_OF, row
        for row in await read(DECLARED_OF, refs=listed(each for each in declared.refs if each not in above)):
            yield USES, row
        parts = await read(DECLARED_CHILDREN, parent=ref)
        for row in parts:
            yield HAS, row
        known = {row.ref for row in parts}
        for row in await read(DECLARED_REFERRING, ref=ref):
            if row.ref not in known:
                yield USED_BY, row


def _place(link: Link) -> tuple[int, str]:
    how, row = link
    return ORDER.index(how), row.ref


def _mark(token: str) -> tuple[int, str]:
    """Where the page before ended."""
    how, _, ref = token.partition(":")
    if token and number(how) is None:
        raise Refused(400, "bad_query", "page_token is not one of this list; begin again without it")
    return int(how or -1), ref
