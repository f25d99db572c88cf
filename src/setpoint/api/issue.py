"""Giving out a credential: what is asked for is checked as a whole, and nobody gives more than they have."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct
from starlette.requests import Request

from setpoint.access.credential import PREFIXES, minted
from setpoint.access.network import network
from setpoint.access.permission import keys
from setpoint.access.role import GIVEN, SELF, Custom
from setpoint.access.subject import APPROVE, Subject, subject_of
from setpoint.api.body import read_json
from setpoint.api.form import NAME, NAME_RULE
from setpoint.api.holders import custom_of
from setpoint.api.problem import Refused
from setpoint.api.services import Services
from setpoint.api.sight import Sight
from setpoint.api.validate import SCOPES, unknown_fields
from setpoint.engine.entity import Declared, Scope, slot
from setpoint.engine.errors import Mistake
from setpoint.engine.rows import Audit
from setpoint.engine.store import DECLARED_AT, Change, Drop, Expect, Put
from setpoint.engine.token import Sort, Token

AnyJson = Any
DAY: Final = 86_400.0
USUAL_DAYS: Final = 90
MOST_DAYS: Final = 365
MOST_ADDRESSES: Final = 50
TEXTS: Final = (*SCOPES, "about")
FIELDS: Final = ("name", "role", "days", "about", "addresses", "may_approve")
TAKEN: Final = frozenset(
    ("administrator", "agent", "restore", "scheduler", "setpoint", "system", "unknown", "worker")
)
"""Names that evidence has for the installation itself: no token passes for it."""


class Wanted(Struct, frozen=True):
    """What the address of the request says about it."""

    sort: Sort
    scope: Scope
    maker: str
    account: str = ""
    role: str = ""

    @property
    def fields(self) -> tuple[str, ...]:
        """What the body may say: a narrower place than the address has, where there is one."""
        named = (self.scope.organization, self.scope.project, self.scope.workspace)
        return (*FIELDS, *(part for part, given in zip(SCOPES, named, strict=True) if not given))

    def scope_in(self, body: Mapping[str, AnyJson]) -> Scope:
        given = {part: getattr(self.scope, part) or body.get(part, "") for part in SCOPES}
        return Scope(**given)


class Issue(Struct, frozen=True):
    """By one subject."""

    services: Services
    subject: Subject

    async def issued(self, request: Request, wanted: Wanted) -> tuple[Token, str]:
        """The token as it is kept, and its secret, which is not."""
        body = await self._body(request, wanted)
        scope = wanted.scope_in(body)
        wrong, places = await self._places(scope)
        custom = {} if wrong else await self._custom(scope.organization, body.get("role", ""))
        wrong += _mistakes(body, wanted, custom, scope)
        if wrong:
            detail = "; ".join(mistake.message for mistake in wrong)
            raise Refused(422, "bad_token_request", detail, mistakes=tuple(wrong))
        now, identity = self.services.runtime.now(), self.services.runtime.new_id()
        secret = minted(identity, self.services.new_secret(), PREFIXES[wanted.sort])
        token = Token(
            hash=self.services.hash_token(secret),
            id=identity,
            sort=wanted.sort,
            account=wanted.account,
            subject=body["name"],
            role=body.get("role", wanted.role),
            scope=scope,
            about=body.get("about", ""),
            addresses=tuple(body.get("addresses", ())),
            created_at=now,
            created_by=wanted.maker,
            person=self.subject.person,
            may_approve=body.get("may_approve", False),
            expires_at=now + DAY * body.get("days", USUAL_DAYS),
        )
        await self._check_reach(token, custom, now)
        proof = self._proof(token, "token.created", now)
        await self.services.store.commit(Change(places, (Put(token),), audit=(proof,)))
        return token, secret

    async def revoke(self, token: Token) -> None:
        proof = self._proof(token, "token.revoked", self.services.runtime.now())
        await self.services.store.commit(Change(writes=(Drop(Token, token.hash),), audit=(proof,)))

    async def _check_reach(self, token: Token, custom: Custom, now: float) -> None:
        """Nobody gives what they do not have; what they make for themselves is held to that at each use."""
        if token.account:
            return
        if token.may_approve and not self.subject.may(APPROVE, token.scope, now).allowed:
            detail = f"{self.subject.name} cannot let a token approve: {self.subject.name} may not approve"
            raise Refused(403, "forbidden", detail, hint="leave may_approve out, or ask somebody who may")
        known = tuple(key for key, _ in keys(self.services.kinds))
        given, others = (subject_of(token, custom).grants,), (self.subject.layers,)
        more = await self.services.pieces.first_beyond(given, others, known, now)
        if more is not None:
            detail = f"{self.subject.name} cannot give the role {token.role}: it allows to {more}"
            raise Refused(403, "forbidden", detail, hint="give a role that allows no more than your own")

    async def _body(self, request: Request, wanted: Wanted) -> dict[str, AnyJson]:
        body = await read_json(request, self.services.max_body_bytes)
        if not isinstance(body, dict):
            raise Refused(400, "bad_type", "an object was expected")
        wrong = [
            Mistake(pointer=f"/{key}", code="bad_type", message=f"{key} is text")
            for key in TEXTS
            if not isinstance(body.get(key, ""), str)
        ]
        wrong += [*unknown_fields(body, wanted.fields, "")]
        texts = {key: value for key, value in body.items() if key not in TEXTS or isinstance(value, str)}
        if wrong:
            wrong += _mistakes(texts, wanted, {}, wanted.scope_in(texts))
            detail = "; ".join(mistake.message for mistake in wrong)
            raise Refused(422, "bad_token_request", detail, mistakes=tuple(wrong))
        return body

    async def _custom(self, organization: str, role: AnyJson) -> Custom:
        if not organization or not isinstance(role, str) or role in GIVEN:
            return {}
        place = slot("role", Scope(organization), role)
        return custom_of(await self.services.store.read(DECLARED_AT, slot=place))

    async def _places(self, scope: Scope) -> tuple[list[Mistake], tuple[Expect, ...]]:
        """A token for a place that is not there would open it to whoever has it when it is made.

        What is not theirs to see is not there; what is there must be when the token is stored.
        """
        sight = Sight(self.services, self.subject)
        places = (
            ("organization", Scope(), scope.organization),
            ("project", Scope(scope.organization), scope.project),
            ("workspace", Scope(scope.organization, scope.project), scope.workspace),
        )
        wrong: list[Mistake] = []
        rests: list[Expect] = []
        for kind, outer, name in places:
            found = await self.services.store.read(DECLARED_AT, slot=slot(kind, outer, name)) if name else ()
            rests += [Expect(Declared, row.ref, "slot", row.slot) for row in found]
            if name and not any(sight.may_to("read", row) for row in found):
                message = f"there is no {kind} {name} in {str(outer) or 'this installation'}"
                wrong.append(Mistake(pointer=f"/{kind}", code="missing_reference", message=message))
        return wrong, tuple(rests)

    def _proof(self, token: Token, action: str, now: float) -> Audit:
        detail = {"name": token.subject, "sort": token.sort, "role": token.role, "scope": str(token.scope)}
        return Audit(
            organization=token.organization,
            actor=self.subject.name,
            action=action,
            ref=f"token/{token.id}",
            at=now,
            detail=detail,
        )


def _mistakes(body: Mapping[str, AnyJson], wanted: Wanted, custom: Custom, scope: Scope) -> Iterator[Mistake]:
    name = body.get("name")
    if not isinstance(name, str) or not NAME.match(name):
        yield Mistake(pointer="/name", code="bad_name", message=f"give it a name: {NAME_RULE}")
    elif name in TAKEN:
        message = f"{name} is what evidence calls the installation itself; choose another name"
        yield Mistake(pointer="/name", code="bad_name", message=message)
    if not isinstance(body.get("may_approve", False), bool):
        message = "may_approve is true or false"
        yield Mistake(pointer="/may_approve", code="bad_type", message=message)
    role = body.get("role", wanted.role)
    known = isinstance(role, str) and (
        role in GIVEN or (scope.organization, role) in custom or role == wanted.role == SELF.name
    )
    if not known:
        roles = ", ".join((*sorted(GIVEN), "or one of the organization's own"))
        yield Mistake(pointer="/role", code="bad_value", message=f"role is one of {roles}")
    if role != SELF.name and known and not scope.organization:
        message = "a role is had in an organization; name it"
        yield Mistake(pointer="/organization", code="missing", message=message)
    if scope.workspace and not scope.project:
        yield Mistake(pointer="/project", code="missing", message="a workspace lies in a project; name it")
    days = body.get("days", USUAL_DAYS)
    if not isinstance(days, int) or isinstance(days, bool) or not 1 <= days <= MOST_DAYS:
        yield Mistake(pointer="/days", code="bad_value", message=f"days is a number from 1 to {MOST_DAYS}")
    yield from _address_mistakes(body.get("addresses", []))


def _address_mistakes(addresses: AnyJson) -> Iterator[Mistake]:
    if not isinstance(addresses, list) or len(addresses) > MOST_ADDRESSES:
        message = f"addresses is a list of at most {MOST_ADDRESSES} networks, as 192.0.2.0/24"
        yield Mistake(pointer="/addresses", code="bad_type", message=message)
        return
    for at, text in enumerate(addresses):
        if not isinstance(text, str) or network(text) is None:
            message = "a network is wanted, as 192.0.2.0/24 or 2001:db8::/32"
            yield Mistake(pointer=f"/addresses/{at}", code="bad_value", message=message)
