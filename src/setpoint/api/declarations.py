"""Many declarations in one request: all of them or none, and one answer listing every mistake."""

from collections import Counter
from typing import Any, Final

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.subject import Subject
from setpoint.api.body import read_json
from setpoint.api.form import NOT_PLAIN, is_plain, rejected, repeated
from setpoint.api.question import Questions
from setpoint.api.render import answer
from setpoint.api.services import Services
from setpoint.api.sight import Sight
from setpoint.api.trial import is_trial
from setpoint.api.validate import Drafting, unknown_fields
from setpoint.engine.draft import Author, Declaration
from setpoint.engine.entity import slot
from setpoint.engine.errors import Mistake
from setpoint.engine.intent import Intent
from setpoint.engine.store import DECLARED_IN, DECLARED_OWNED, listed

AnyJson = Any
UNMENTIONED: Final = 20
"""How many of them are named."""
EXPECTED: Final = {
    "items": (list, "a list"),
    "owner": (str, "text"),
    "prune": (bool, "true or false"),
    "dry_run": (bool, "true or false"),
}


class Sent(Struct, frozen=True):
    """What came in, who sent it, and what is wrong with it so far."""

    items: tuple[Declaration, ...]
    author: Author
    found: tuple[Mistake, ...]
    dry_run: bool = False


class Declarations(Struct, frozen=True):
    """A file's worth of intent for one organization."""

    services: Services

    async def apply(self, request: Request, subject: Subject) -> Response:
        """POST: declare them; with `prune`, withdraw what the same owner declared before and left out now.

        With `dry_run` in the body nothing is stored: the answer is what would change, as it would be, what
        the owner no longer mentions, and what it takes over from other owners. With `dry_run=true` in the
        address the answer is the plan that it would cause.
        """
        if is_trial(request):
            return await self.plan(request, subject)
        sent = await self._read(request, subject)
        pen = self.services.declarer
        rows = await (pen.proposed if sent.dry_run else pen.declare)(sent.items, sent.author, sent.found)
        entities = await Intent(self.services.store, self.services.kinds).joined(rows)
        beside = await self._ownership(sent, Sight(self.services, subject)) if sent.dry_run else {}
        pieces, rendered = self.services.pieces, self.services.rendered
        return answer({"items": [rendered.object(each) async for each in pieces.of(entities)], **beside})

    async def _ownership(self, sent: Sent, sight: Sight) -> dict[str, AnyJson]:
        """What the owner declared before and does not mention now, and what others declared and it does."""
        owner, store = sent.author.owner, self.services.store
        places = {slot(item.kind, item.scope, item.name) for item in sent.items}
        known = await store.read(DECLARED_IN, slots=listed(places)) if owner else ()
        others = Counter(row.owner for row in known if row.owner not in ("", owner))
        asked = {"organization": sent.author.organization, "owner": owner}
        owned = await store.read(DECLARED_OWNED, **asked) if owner else ()
        left = [row for row in owned if row.slot not in places and not row.deleting]
        names = sorted(f"{row.kind} {row.name}" for row in left if sight.may_to("read", row))
        return {
            "unmentioned": {"count": len(names), "names": names[:UNMENTIONED]},
            "taken_over": [{"owner": name, "count": count} for name, count in sorted(others.items())],
        }

    async def plan(self, request: Request, subject: Subject) -> Response:
        """POST: what declaring them would do. Stores the question; the scheduler answers it."""
        sent = await self._read(request, subject)
        rows = await self.services.declarer.proposed(sent.items, sent.author, sent.found)
        return await Questions(self.services).ask(request.path_params["organization"], rows)

    async def applied(self, request: Request, subject: Subject, refs: tuple[str, ...]) -> Response:
        """What was declared by a request that is sent once more, as it stands."""
        if is_trial(request):
            return await Questions(self.services).again(refs)
        items = (await self._read(request, subject)).items
        places = listed(slot(item.kind, item.scope, item.name) for item in items)
        rows = await self.services.store.read(DECLARED_IN, slots=places)
        entities = await Intent(self.services.store, self.services.kinds).joined(rows)
        pieces, rendered = self.services.pieces, self.services.rendered
        return answer({"items": [rendered.object(each) async for each in pieces.of(entities)]})

    async def asked(self, request: Request, subject: Subject, refs: tuple[str, ...]) -> Response:
        return await Questions(self.services).again(refs)

    async def _read(self, request: Request, subject: Subject) -> Sent:
        body = await read_json(request, self.services.max_body_bytes)
        organization = request.path_params["organization"]
        found = list(_body_mistakes(body))
        if not isinstance(body, dict) or not isinstance(body.get("items", []), list):
            raise rejected(found)
        drafting = Drafting(self.services.kinds, self.services.validators)
        items: list[Declaration] = []
        async for index, raw in self.services.pieces.of(enumerate(body.get("items", []))):
            item, mistakes = drafting.declaration(raw, _given(raw, organization), f"/items/{index}")
            found += mistakes
            items += [item] if item else []
        dry_run = body.get("dry_run", False) is True
        author = Sight(self.services, subject).author(
            tried=dry_run or is_trial(request) or request.url.path.endswith("/plans"),
            pointers={slot(item.kind, item.scope, item.name): item.pointer for item in items},
            organization=organization,
            owner=body.get("owner", ""),
            prune=body.get("prune", False) is True,
        )
        return Sent(tuple(items), author, (*found, *repeated(items)), dry_run)


def _given(raw: AnyJson, organization: str) -> dict[str, str]:
    """The organization of the address holds for everything in it, and is itself that organization."""
    if isinstance(raw, dict) and raw.get("kind") == "organization":
        return {"name": organization}
    return {"organization": organization}


def _body_mistakes(body: AnyJson) -> tuple[Mistake, ...]:
    if not isinstance(body, dict):
        return (Mistake(pointer="", code="bad_type", message="an object with items was expected"),)
    wrong = list(unknown_fields(body, tuple(EXPECTED), ""))
    wrong += [
        Mistake(pointer=f"/{key}", code="bad_type", message=f"{words} was expected")
        for key, (kind, words) in EXPECTED.items()
        if key in body and not isinstance(body[key], kind)
    ]
    if isinstance(body.get("owner"), str) and not is_plain(body["owner"]):
        wrong.append(Mistake(pointer="/owner", code="bad_name", message=NOT_PLAIN))
    if body.get("prune") and not body.get("owner"):
        message = "pruning needs an owner: only what that owner declared before is withdrawn"
        wrong.append(Mistake(pointer="/owner", code="missing", message=message))
    return tuple(wrong)
