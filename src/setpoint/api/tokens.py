"""Credentials for people and programs: a role, how far it reaches, and until when. Shown once."""

from typing import Any, Final

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.role import SELF
from setpoint.access.subject import Subject
from setpoint.api.beginning import reaching
from setpoint.api.holders import tokens_of
from setpoint.api.issue import Issue, Wanted
from setpoint.api.paging import page_of
from setpoint.api.problem import Refused
from setpoint.api.render import answer, moment
from setpoint.api.services import Services
from setpoint.api.validate import SCOPES
from setpoint.engine.entity import Scope
from setpoint.engine.store import TOKENS_CALLED, TOKENS_IN, TOKENS_OF_ACCOUNT
from setpoint.engine.token import Sort, Token

AnyJson = Any
CREATED: Final = 201


class Tokens(Struct, frozen=True):
    """Those of one organization, of one workspace, or of whoever asks."""

    services: Services

    async def page(self, request: Request, subject: Subject) -> Response:
        """GET them, never the secrets: these are known to nobody but their holders."""
        page = page_of(request)
        rows = await self.services.store.read(
            TOKENS_IN, organization=request.path_params["organization"], after=page.after, limit=page.size + 1
        )
        more = rows[page.size - 1].id if len(rows) > page.size else ""
        there = await reaching(self.services.store, rows[: page.size])
        items = [shown_token(row) for row in there if not row.account]
        return answer({"items": items, "next_page_token": more})

    async def create(self, request: Request, subject: Subject) -> Response:
        """POST: a new one; the answer is the only time that its secret is shown."""
        wanted = Wanted("service", Scope(request.path_params["organization"]), subject.name)
        return await self._issued(request, subject, wanted)

    async def revoke(self, request: Request, subject: Subject) -> Response:
        """DELETE: from the next request on it opens nothing, and streams opened with it end."""
        token = await self._called(request, "service", "workspace")
        if token is None or token.organization != request.path_params["organization"]:
            raise _missing(request, "token", "setpoint token list")
        return await self._revoked(token, subject)

    async def mine(self, request: Request, subject: Subject) -> Response:
        """GET those that you made for yourself."""
        _check_person(subject)
        rows = await self.services.store.read(TOKENS_OF_ACCOUNT, account=subject.account)
        items = [shown_token(row) for row in sorted(rows, key=lambda row: row.id) if row.sort == "personal"]
        return answer({"items": items, "next_page_token": ""})

    async def create_mine(self, request: Request, subject: Subject) -> Response:
        """POST: one that acts as you, with your rights as they are at each request or less."""
        _check_person(subject)
        wanted = Wanted("personal", Scope(), subject.name, account=subject.account, role=SELF.name)
        return await self._issued(request, subject, wanted)

    async def revoke_mine(self, request: Request, subject: Subject) -> Response:
        """DELETE one of yours."""
        _check_person(subject)
        token = await self._called(request, "personal")
        if token is None or token.account != subject.account:
            raise _missing(request, "token", "setpoint token list --mine")
        return await self._revoked(token, subject)

    async def keys(self, request: Request, subject: Subject) -> Response:
        """GET the keys of a workspace."""
        scope = _workspace(request)
        items = [shown_token(row) for row in await self._in_workspace(scope)]
        return answer({"items": items, "next_page_token": ""})

    async def create_key(self, request: Request, subject: Subject) -> Response:
        """POST: a key that reaches this workspace and nothing else."""
        return await self._issued(request, subject, Wanted("workspace", _workspace(request), subject.name))

    async def revoke_key(self, request: Request, subject: Subject) -> Response:
        """DELETE one of this workspace."""
        token = await self._called(request, "workspace")
        if token is None or token.scope != _workspace(request):
            raise _missing(request, "key", "setpoint key list")
        return await self._revoked(token, subject)

    async def _issued(self, request: Request, subject: Subject, wanted: Wanted) -> Response:
        token, secret = await Issue(self.services, subject).issued(request, wanted)
        return answer({**shown_token(token), "token": secret}, CREATED)

    async def _called(self, request: Request, *sorts: Sort) -> Token | None:
        found = await self.services.store.read(TOKENS_CALLED, id=request.path_params["id"])
        return next((token for token in found if token.sort in sorts), None)

    async def _revoked(self, token: Token, subject: Subject) -> Response:
        await Issue(self.services, subject).revoke(token)
        return answer(shown_token(token))

    async def _in_workspace(self, scope: Scope) -> list[Token]:
        found = tokens_of(self.services.store, scope.organization)
        return [token async for token in found if token.sort == "workspace" and token.scope == scope]


def shown_token(token: Token) -> dict[str, AnyJson]:
    """What everybody may know of it who may see the list."""
    return {
        "id": token.id,
        "sort": token.sort,
        "name": token.subject,
        "role": token.role,
        "scope": str(token.scope),
        "about": token.about,
        "may_approve": token.may_approve,
        "addresses": list(token.addresses),
        "created_at": moment(token.created_at),
        "created_by": token.created_by,
        "expires_at": moment(token.expires_at) if token.expires_at else None,
        "seen_at": moment(token.seen_at) if token.seen_at else None,
    }


def _check_person(subject: Subject) -> None:
    if not subject.account:
        detail = f"{subject.name} is no person: a token of its own is given out by an organization"
        raise Refused(403, "not_a_person", detail, hint="setpoint token create NAME --role ROLE")


def _workspace(request: Request) -> Scope:
    return Scope(*(request.path_params[part] for part in SCOPES))


def _missing(request: Request, what: str, hint: str) -> Refused:
    return Refused(404, "not_found", f"there is no {what} {request.path_params['id'][:64]}", hint=hint)
