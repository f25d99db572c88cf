"""Several objects at once, before anything is done to them: which one may touch, and why not the others."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.permission import Permission, Verb, key_of
from setpoint.access.subject import Subject
from setpoint.api.address import ORGANIZATION
from setpoint.api.paging import check
from setpoint.api.render import answer
from setpoint.api.served import Served, demand
from setpoint.api.services import Services
from setpoint.api.sight import Sight
from setpoint.engine.entity import Declared
from setpoint.engine.errors import FAILURES, Mistake
from setpoint.engine.rows import Mode, Switch
from setpoint.engine.store import SWITCHES_OF, listed

AnyJson = Any
MOST: Final = 100
LEVER: Final = "organization.switch"
VERBS: Final[Mapping[str, Verb]] = {
    "observe": "execute",
    "pause": "execute",
    "resume": "execute",
    "delete": "delete",
}
"""What can be done to several at once, and which permission each of them needs."""


class Selections(Struct, frozen=True):
    """Asks what each request for one of them would ask; nothing is done."""

    services: Services

    def routes(self) -> Iterator[Served]:
        yield Served(f"{ORGANIZATION}/inventory:allowed", self.allowed, demand("read", "catalog", "within"))

    async def allowed(self, request: Request, subject: Subject) -> Response:
        """GET for each of `refs`, separated by commas: whether `action` would be done to it, or why not."""
        action, refs = asked(request)
        sight = Sight(self.services, subject)
        organization = request.path_params["organization"]
        known: dict[str, Declared] = {
            row.ref: row
            for row in (await sight.known(refs)).values()
            if row.tenant == organization and sight.may_to("read", row)
        }
        paused = await self._paused(known)
        items = [await self._told(sight, action, ref, known.get(ref), paused=ref in paused) for ref in refs]
        return answer({"items": items, "next_page_token": ""})

    async def _told(
        self, sight: Sight, action: str, ref: str, row: Declared | None, *, paused: bool
    ) -> dict[str, AnyJson]:
        if row is None:
            return {"ref": ref, "kind": "", "name": "", "allowed": False, "why": "it is not there any more"}
        why = self._forbidden(sight, action, row) or self._pointless(action, row, paused=paused)
        if not why and action == "delete":
            why = await self._kept(sight, row)
        return {"ref": ref, "kind": row.kind, "name": row.name, "allowed": not why, "why": why}

    def _forbidden(self, sight: Sight, action: str, row: Declared) -> str:
        key = LEVER if action in ("pause", "resume") else key_of(self.services.kinds[row.kind])
        permission = Permission(VERBS[action], key)
        place, now = row.inner or row.scope, self.services.runtime.now()
        said = sight.subject.may(permission, place, now, row.name)
        return "" if said.allowed else f'you lack the permission "{permission}": {said.reason}'

    def _pointless(self, action: str, row: Declared, *, paused: bool) -> str:
        """What an answer to the request itself would say, or that it would change nothing."""
        kind = self.services.kinds[row.kind]
        idle = kind.loop is None and not kind.parent
        found = {
            "observe": "it has no loop that could look at it" if idle else "",
            "pause": "it is paused already" if paused else "",
            "resume": "" if paused else "nothing pauses it by itself",
            "delete": "it is going already" if row.deleting else "",
        }
        return found[action]

    async def _kept(self, sight: Sight, row: Declared) -> str:
        """What deleting it would be refused with: it is protected, used, or holds others."""
        try:
            await self.services.declarer.leaving(row.ref, sight.author(tried=True), cascade=False)
        except FAILURES as error:
            return str(error)
        return ""

    async def _paused(self, known: Mapping[str, Declared]) -> frozenset[str]:
        keys = listed(f"domain:{ref}" for ref in known)
        rows: list[Switch] = await self.services.store.read(SWITCHES_OF, keys=keys) if known else []
        return frozenset(row.key.partition(":")[2] for row in rows if row.mode is not Mode.RUN)


def asked(request: Request) -> tuple[str, list[str]]:
    """The action and the refs, each once; all mistakes in one refusal."""
    action = request.query_params.get("action", "")
    refs = list(dict.fromkeys(ref for ref in request.query_params.get("refs", "").split(",") if ref))
    wrong = []
    if action not in VERBS:
        wrong.append(f"action is one of {', '.join(VERBS)}, not {action[:64]!r}")
    if not 1 <= len(refs) <= MOST:
        wrong.append(f"refs names 1 to {MOST} objects, not {len(refs)}")
    check([Mistake(pointer="", code="bad_parameter", message=each) for each in wrong])
    return action, refs
