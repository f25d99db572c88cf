"""Credentials for people and programs: a role, how far it reaches, and until when. Shown once."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.credential import minted
from setpoint.access.permission import keys
from setpoint.access.role import SEEDED
from setpoint.access.rule import Binding
from setpoint.access.subject import Subject
from setpoint.api.body import read_json
from setpoint.api.form import NAME, NAME_RULE
from setpoint.api.paging import page_of
from setpoint.api.problem import Refused
from setpoint.api.render import answer, moment
from setpoint.api.services import Services
from setpoint.api.validate import unknown_fields
from setpoint.engine.entity import Scope, slot
from setpoint.engine.errors import Mistake
from setpoint.engine.rows import Audit
from setpoint.engine.store import DECLARED_AT, TOKENS_CALLED, TOKENS_IN, Change, Drop, Put
from setpoint.engine.token import Token

AnyJson = Any
CREATED: Final = 201
DAY: Final = 86_400.0
USUAL_DAYS: Final = 90
MOST_DAYS: Final = 365
FIELDS: Final = ("name", "role", "project", "workspace", "days", "about")


@dataclass(frozen=True, slots=True)
class Tokens:
    """Those of one organization."""

    services: Services

    async def page(self, request: Request, subject: Subject) -> Response:
        """GET them, never the secrets: these are known to nobody but their holders."""
        page = page_of(request)
        rows = await self.services.store.read(
            TOKENS_IN, organization=request.path_params["organization"], after=page.after, limit=page.size + 1
        )
        more = rows[page.size - 1].id if len(rows) > page.size else ""
        return answer({"items": [_shown(row) for row in rows[: page.size]], "next_page_token": more})

    async def create(self, request: Request, subject: Subject) -> Response:
        """POST: a new one; the answer is the only time that its secret is shown."""
        organization = request.path_params["organization"]
        fields = await self._fields(request, organization)
        now, identity = self.services.runtime.now(), self.services.runtime.new_id()
        secret = minted(identity, self.services.new_secret())
        token = Token(
            hash=self.services.hash_token(secret),
            id=identity,
            subject=fields["name"],
            role=fields["role"],
            scope=Scope(organization, fields.get("project", ""), fields.get("workspace", "")),
            about=fields.get("about", ""),
            created_at=now,
            created_by=subject.name,
            expires_at=now + DAY * fields.get("days", USUAL_DAYS),
        )
        self._check_reach(subject, token, now)
        proof = self._proof(token, subject, "token.created", now)
        await self.services.store.commit(Change(writes=(Put(token),), audit=(proof,)))
        return answer({**_shown(token), "token": secret}, CREATED)

    async def revoke(self, request: Request, subject: Subject) -> Response:
        """DELETE: from the next request on it opens nothing, and streams opened with it end."""
        organization, identity = request.path_params["organization"], request.path_params["id"]
        found = await self.services.store.read(TOKENS_CALLED, id=identity)
        token = found[0] if found else None
        if token is None or token.organization != organization:
            raise Refused(404, "not_found", f"there is no token {identity[:64]}", hint="setpoint token list")
        proof = self._proof(token, subject, "token.revoked", self.services.runtime.now())
        await self.services.store.commit(Change(writes=(Drop(Token, token.hash),), audit=(proof,)))
        return answer(_shown(token))

    def _check_reach(self, subject: Subject, token: Token, now: float) -> None:
        """Nobody gives what they do not have."""
        known = tuple(key for key, _ in keys(self.services.kinds))
        more = subject.exceeded_by((Binding(role=token.role, scope=token.scope),), known, now)
        if more is not None:
            detail = f"{subject.name} cannot give the role {token.role}: it allows to {more}"
            raise Refused(403, "forbidden", detail, hint="give a role that allows no more than your own")

    async def _fields(self, request: Request, organization: str) -> dict[str, AnyJson]:
        body = await read_json(request, self.services.max_body_bytes)
        if not isinstance(body, dict):
            raise Refused(400, "bad_type", "an object was expected")
        wrong = [*unknown_fields(body, FIELDS, ""), *_mistakes(body)]
        if not wrong:
            wrong += await self._place_mistakes(organization, body)
        if wrong:
            detail = "; ".join(mistake.message for mistake in wrong)
            raise Refused(422, "bad_token_request", detail, mistakes=tuple(wrong))
        return body

    async def _place_mistakes(self, organization: str, body: dict[str, AnyJson]) -> list[Mistake]:
        """A token for a place that is not there would open it to whoever has it when it is made."""
        project, workspace = body.get("project", ""), body.get("workspace", "")
        places = [("project", Scope(organization), project)] if project else []
        places += [("workspace", Scope(organization, project), workspace)] if workspace else []
        wrong = []
        for kind, scope, name in places:
            if not await self.services.store.read(DECLARED_AT, slot=slot(kind, scope, name)):
                message = f"there is no {kind} {name} in {scope}"
                wrong.append(Mistake(pointer=f"/{kind}", code="missing_reference", message=message))
        return wrong

    def _proof(self, token: Token, subject: Subject, action: str, now: float) -> Audit:
        detail = {"name": token.subject, "role": token.role, "scope": str(token.scope)}
        return Audit(
            organization=token.organization,
            actor=subject.name,
            action=action,
            ref=f"token/{token.id}",
            at=now,
            detail=detail,
        )


def _mistakes(body: dict[str, AnyJson]) -> Iterator[Mistake]:
    name = body.get("name")
    if not isinstance(name, str) or not NAME.match(name):
        yield Mistake(pointer="/name", code="bad_name", message=f"give it a name: {NAME_RULE}")
    roles = [role.name for role in SEEDED]
    if body.get("role") not in roles:
        yield Mistake(pointer="/role", code="bad_value", message=f"role is one of {', '.join(roles)}")
    for key in ("project", "workspace", "about"):
        if not isinstance(body.get(key, ""), str):
            yield Mistake(pointer=f"/{key}", code="bad_type", message=f"{key} is text")
    if body.get("workspace") and not body.get("project"):
        yield Mistake(pointer="/project", code="missing", message="a workspace lies in a project; name it")
    days = body.get("days", USUAL_DAYS)
    if not isinstance(days, int) or isinstance(days, bool) or not 1 <= days <= MOST_DAYS:
        yield Mistake(pointer="/days", code="bad_value", message=f"days is a number from 1 to {MOST_DAYS}")


def _shown(token: Token) -> dict[str, AnyJson]:
    return {
        "id": token.id,
        "name": token.subject,
        "role": token.role,
        "scope": str(token.scope),
        "about": token.about,
        "created_at": moment(token.created_at),
        "created_by": token.created_by,
        "expires_at": moment(token.expires_at) if token.expires_at else None,
    }
