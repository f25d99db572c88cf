"""What saving or deleting a role or a membership would do: who gains and who loses what, beforehand."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.decision import Question
from setpoint.access.difference import steps, widest
from setpoint.access.permission import keys
from setpoint.access.role import grants_of
from setpoint.access.rule import Binding, Grant
from setpoint.access.subject import Subject
from setpoint.api.body import read_json
from setpoint.api.form import rejected
from setpoint.api.giving import Giving
from setpoint.api.holders import (
    AT_ONCE,
    MEMBERS,
    TOKENS,
    custom_of,
    joined_by,
    members_of,
    members_page,
    roles_of,
    tokens_of,
)
from setpoint.api.paging import Page, page_of
from setpoint.api.pieces import Pieces
from setpoint.api.problem import Refused
from setpoint.api.render import answer
from setpoint.api.served import Handler
from setpoint.api.services import Services
from setpoint.api.sight import Sight
from setpoint.api.validate import Drafting
from setpoint.engine.entity import Declared, Scope, slot
from setpoint.engine.errors import Rejected
from setpoint.engine.store import DECLARED_AT

AnyJson = Any
Grants = tuple[Grant, ...]
MOST_SHOWN: Final = 50_000
TOO_MANY: Final = f"one person would gain or lose more than {MOST_SHOWN} rights on places and objects"
MOST_READ: Final = 2000
"""An answer that has found somebody ends after so many: the next page goes on from there."""


class Moving(Struct, frozen=True):
    """Somebody, the roles they have and would have, and the mark after which the next one is read."""

    name: str
    had: tuple[Binding, ...]
    gets: tuple[Binding, ...]
    mark: str = ""


class Previews(Struct, frozen=True):
    """Nothing is stored. The answer is about people who accepted and people who only were invited alike."""

    services: Services

    def of(self, kind: str) -> Handler:
        async def preview(request: Request, subject: Subject) -> Response:
            """POST what would be saved: per person and token, what they would gain and lose.

            With `deletes=true` it is about deleting it, and `why_not` says what would be in the way.
            """
            row: Declared | None
            page, why_not = page_of(request), {}
            if request.query_params.get("deletes", "") in ("1", "true"):
                leaving = await self._leaving(request, kind)
                why_not, row = {"why_not": await self._refusal(subject, leaving)}, leaving
            else:
                row = await self._proposed(request, subject, kind)
            organization = request.path_params["organization"]
            found, more = await self._moved(organization, row, page) if row else ([], "")
            return answer({"items": found, "next_page_token": more, **why_not})

        return preview

    async def _proposed(self, request: Request, subject: Subject, kind: str) -> Declared | None:
        """None where saving would change nothing."""
        organization = request.path_params["organization"]
        body = await read_json(request, self.services.max_body_bytes)
        given = {"kind": kind, "organization": organization, "name": request.path_params["name"]}
        item, mistakes = Drafting(self.services.kinds, self.services.validators).declaration(body, given, "")
        if item is None or mistakes:
            raise rejected(mistakes, "nothing would be stored")
        author = Sight(self.services, subject).author(tried=True)
        return next(iter(await self.services.declarer.proposed((item,), author)), None)

    async def _leaving(self, request: Request, kind: str) -> Declared:
        organization, name = request.path_params["organization"], request.path_params["name"]
        place = slot(kind, Scope(organization), name)
        rows = await self.services.store.read(DECLARED_AT, slot=place)
        if not rows:
            raise Refused(404, "not_found", f"there is no {kind} {name} in {organization}")
        return replace(rows[0], deleting="asked")

    async def _refusal(self, subject: Subject, row: Declared) -> str:
        """What would be said to whoever tried; empty if it would be done."""
        try:
            await Giving(self.services, subject, tried=True).check((row,))
        except (Rejected, Refused) as error:
            return str(error)
        return ""

    async def _moved(
        self, organization: str, row: Declared, page: Page
    ) -> tuple[list[dict[str, AnyJson]], str]:
        """One page, and the mark after which the next one begins."""
        roles = await roles_of(self.services.store, organization)
        changed = {**roles, row.name: row} if row.kind == "role" else roles
        before, after = custom_of(roles.values()), custom_of(changed.values())
        known = tuple(key for key, _ in keys(self.services.kinds))
        teller = _Teller(self.services.pieces, known, self.services.runtime.now())
        found: list[dict[str, AnyJson]] = []
        last, read = "", 0
        async with aclosing(self._everybody(organization, row, page.after)) as everybody:
            async for who in everybody:
                said = await teller.tell(grants_of(who.had, before), grants_of(who.gets, after))
                full = len(found) == page.size and bool(said)
                if full or (found and read >= MOST_READ):
                    return found, last
                found += [{"name": who.name, **said}] if said else []
                last, read = who.mark, read + 1
        return found, ""

    async def _everybody(self, organization: str, row: Declared, after: str) -> AsyncGenerator[Moving, None]:
        """Whom it may be about: one person; or members by name and then tokens, read as far as asked for."""
        store, (sort, _, last) = self.services.store, after.partition(":")
        if row.kind == "membership":
            [now] = await joined_by(store, [row])
            had = [binding for each in await members_of(store, (row.ref,)) for binding in each.bindings]
            yield Moving(now.name, tuple(had), now.bindings)
            return
        while sort in ("", MEMBERS) and (page := await members_page(store, organization, last, AT_ONCE)):
            for each in await joined_by(store, page):
                yield Moving(each.name, each.bindings, each.bindings, f"{MEMBERS}:{each.declared.name}")
            last = page[-1].name
        async for token in tokens_of(store, organization, last if sort == TOKENS else ""):
            bound = (Binding(role=token.role, scope=token.scope),)
            yield Moving(f"token {token.subject}", bound, bound, f"{TOKENS}:{token.id}")


class _Teller(Struct, frozen=True):
    """What somebody gains and loses; people with the same roles at the same places do alike."""

    pieces: Pieces
    known: Sequence[str]
    now: float
    told: dict[tuple[Grants, Grants], Mapping[str, AnyJson]] = field(default_factory=dict)

    async def tell(self, less: Grants, more: Grants) -> Mapping[str, AnyJson]:
        """Nothing where nothing changes."""
        if (less, more) not in self.told:
            gains, loses = await self._beyond(more, less), await self._beyond(less, more)
            self.told[less, more] = {"gains": gains, "loses": loses} if gains or loses else {}
        return self.told[less, more]

    async def _beyond(self, one: Grants, other: Grants) -> list[dict[str, str]]:
        found: list[Question] = []
        async for piece in self.pieces.of(steps((one,), ((other,),), self.known, self.now)):
            found += piece
            if len(found) > MOST_SHOWN:
                raise Refused(422, "too_much_work", TOO_MANY, hint="preview fewer objects by name at once")
        return [_question(each) for each in widest(found)]


def _question(asked: Question) -> dict[str, str]:
    said = {"verb": asked.permission.verb, "key": asked.permission.key, "scope": str(asked.scope)}
    return said | ({"object": asked.name} if asked.name else {})
