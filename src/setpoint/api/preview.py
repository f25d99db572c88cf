"""What saving or deleting a role or a membership would do: who gains and who loses what, beforehand."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.decision import Question
from setpoint.access.difference import beyond, widest
from setpoint.access.permission import keys
from setpoint.access.subject import Subject
from setpoint.api.body import read_json
from setpoint.api.giving import Exchange, Giving
from setpoint.api.holders import holders_of
from setpoint.api.paging import page_of
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


class Previews(Struct, frozen=True):
    """Nothing is stored. The answer is about people who accepted and people who only were invited alike."""

    services: Services

    def of(self, kind: str) -> Handler:
        async def preview(request: Request, subject: Subject) -> Response:
            """POST what would be saved: per person and token, what they would gain and lose.

            With `deletes=true` it is about deleting it, and `why_not` says what would be in the way.
            """
            page, why_not = page_of(request), {}
            if request.query_params.get("deletes", "") in ("1", "true"):
                row = await self._leaving(request, kind)
                why_not = {"why_not": await self._refusal(subject, row)}
                rows: tuple[Declared, ...] = (row,)
            else:
                rows = await self._proposed(request, subject, kind)
            before = await holders_of(self.services.store, request.path_params["organization"])
            exchange = Exchange(before, before.changed_by(rows), rows)
            found = list(islice(self._moves(exchange, page.after), page.size + 1))
            more = found[page.size - 1]["name"] if len(found) > page.size else ""
            return answer({"items": found[: page.size], "next_page_token": more, **why_not})

        return preview

    async def _proposed(self, request: Request, subject: Subject, kind: str) -> tuple[Declared, ...]:
        organization = request.path_params["organization"]
        body = await read_json(request, self.services.max_body_bytes)
        given = {"kind": kind, "organization": organization, "name": request.path_params["name"]}
        item, mistakes = Drafting(self.services.kinds, self.services.validators).declaration(body, given, "")
        if item is None or mistakes:
            raise Rejected(f"{len(mistakes)} mistake(s); nothing would be stored", tuple(mistakes))
        author = Sight(self.services, subject).author(tried=True)
        return tuple(await self.services.declarer.proposed((item,), author))

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

    def _moves(self, exchange: Exchange, after: str) -> Iterator[dict[str, AnyJson]]:
        """By name, worked out as far as somebody asks: what one gains and loses takes a while to tell."""
        now, known = self.services.runtime.now(), tuple(key for key, _ in keys(self.services.kinds))
        for who, less, more in sorted(exchange.moves(), key=lambda move: move[0]):
            if who <= after or who.startswith("role "):
                continue
            gains = widest(beyond((more,), ((less,),), known, now))
            loses = widest(beyond((less,), ((more,),), known, now))
            if gains or loses:
                yield {"name": who, "gains": [*map(_question, gains)], "loses": [*map(_question, loses)]}


def _question(asked: Question) -> dict[str, str]:
    said = {"verb": asked.permission.verb, "key": asked.permission.key, "scope": str(asked.scope)}
    return said | ({"object": asked.name} if asked.name else {})
