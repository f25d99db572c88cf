"""What saving a role or a membership would do: who gains and who loses what, before anybody does."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.decision import Question
from setpoint.access.difference import beyond, widest
from setpoint.access.permission import keys
from setpoint.access.subject import Subject
from setpoint.api.body import read_json
from setpoint.api.giving import Exchange
from setpoint.api.holders import holders_of
from setpoint.api.paging import page_of
from setpoint.api.render import answer
from setpoint.api.served import Handler
from setpoint.api.services import Services
from setpoint.api.sight import Sight
from setpoint.api.validate import Drafting
from setpoint.engine.errors import Rejected

AnyJson = Any


class Previews(Struct, frozen=True):
    """Nothing is stored. The answer is about people who accepted and people who only were invited alike."""

    services: Services

    def of(self, kind: str) -> Handler:
        async def preview(request: Request, subject: Subject) -> Response:
            """POST what would be saved: per person and token, what they would gain and lose."""
            page = page_of(request)
            found = [each for each in await self._moves(request, subject, kind) if each["name"] > page.after]
            more = found[page.size - 1]["name"] if len(found) > page.size else ""
            return answer({"items": found[: page.size], "next_page_token": more})

        return preview

    async def _moves(self, request: Request, subject: Subject, kind: str) -> list[dict[str, AnyJson]]:
        organization = request.path_params["organization"]
        body = await read_json(request, self.services.max_body_bytes)
        given = {"kind": kind, "organization": organization, "name": request.path_params["name"]}
        item, mistakes = Drafting(self.services.kinds, self.services.validators).declaration(body, given, "")
        if item is None or mistakes:
            raise Rejected(f"{len(mistakes)} mistake(s); nothing would be stored", tuple(mistakes))
        author = Sight(self.services, subject).author(tried=True)
        rows = await self.services.declarer.proposed((item,), author)
        before = await holders_of(self.services.store, organization)
        exchange = Exchange(before, before.changed_by(rows), rows)
        return sorted(self._shown(exchange), key=lambda each: str(each["name"]))

    def _shown(self, exchange: Exchange) -> Iterator[dict[str, AnyJson]]:
        now, known = self.services.runtime.now(), tuple(key for key, _ in keys(self.services.kinds))
        for who, less, more in exchange.moves():
            gains = widest(beyond((more,), ((less,),), known, now))
            loses = widest(beyond((less,), ((more,),), known, now))
            if (gains or loses) and not who.startswith("role "):
                yield {"name": who, "gains": [*map(_question, gains)], "loses": [*map(_question, loses)]}


def _question(asked: Question) -> dict[str, str]:
    said = {"verb": asked.permission.verb, "key": asked.permission.key, "scope": str(asked.scope)}
    return said | ({"object": asked.name} if asked.name else {})
