"""Sessions of people: signing in and out, those that are open, and proving anew that it is you."""

from dataclasses import dataclass, field
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.credential import PREFIXES, minted
from setpoint.access.subject import Subject
from setpoint.api import cookie
from setpoint.api.csrf import check_origin, from_browser
from setpoint.api.fields import fields_of
from setpoint.api.problem import Refused
from setpoint.api.proof import Claim, Proofs, Proven
from setpoint.api.render import answer, moment
from setpoint.api.services import Services
from setpoint.engine.account import Account
from setpoint.engine.errors import Conflict
from setpoint.engine.rows import INSTALLATION, Audit
from setpoint.engine.store import TOKENS_OF_ACCOUNT, Change, Drop, Expect, Put, joined
from setpoint.engine.token import Token

AnyJson = Any
CREATED: Final = 201
MOST: Final = 50
DEVICE_LENGTH: Final = 120


@dataclass(frozen=True, slots=True)
class Opened:
    """A session that was just made; its secret is shown this once."""

    token: Token
    secret: str = field(repr=False)
    account: Account


@dataclass(frozen=True, slots=True)
class Sessions:
    """A session is a credential of its own: 256 random bits, of which only the hash is kept."""

    services: Services

    async def sign_in(self, request: Request) -> Response:
        """POST email, password and code: a new session, in a cookie; in the answer if `cookie` is false."""
        if from_browser(request):
            check_origin(request, self.services.people.url)
        form = {"email": str, "password": str, "code": str, "cookie": bool}
        fields = await fields_of(request, form, ("email", "password"))
        claim = Claim(fields["email"], fields["password"], fields.get("code") or "", address_of(request))
        proven = await Proofs(self.services).of(claim)
        try:
            opened = await self.open(request, proven)
        except Conflict as error:
            raise _overtaken() from error
        return self.handed(opened, in_cookie=fields.get("cookie", True))

    async def sign_out(self, request: Request, subject: Subject) -> Response:
        """DELETE: this session opens nothing from the next request on."""
        token, _ = await person(self.services, subject, session=True)
        await self.services.store.commit(self._ended(token, subject.name))
        response = answer({"id": token.id})
        cookie.drop(response)
        return response

    async def confirm(self, request: Request, subject: Subject) -> Response:
        """POST password and code: the session goes on under a new id, and counts as confirmed for a while."""
        token, account = await person(self.services, subject, session=True)
        fields = await fields_of(request, {"password": str, "code": str}, ("password",))
        claim = Claim(account.email, fields["password"], fields.get("code") or "", address_of(request))
        proven = await Proofs(self.services).of(claim)
        opened = self._made(request, proven.account, expires_at=token.expires_at)
        change = Change(
            expects=(Expect(Token, token.hash, "id", token.id),),
            writes=(Drop(Token, token.hash), Put(opened.token)),
            audit=(self.proof("session.confirmed", subject.name, opened.token),),
        )
        try:
            await self.services.store.commit(joined((proven.change, change)))
        except Conflict as error:
            raise _overtaken() from error
        return self.handed(opened, in_cookie="Authorization" not in request.headers)

    async def page(self, request: Request, subject: Subject) -> Response:
        """GET the sessions that are open, with where they were begun."""
        token, _ = await person(self.services, subject)
        now = self.services.runtime.now()
        rows = [row for row in await self._of(token.account) if row.holds_at(now)]
        rows.sort(key=lambda row: row.id, reverse=True)
        items = [{**_shown(row), "current": row.hash == token.hash} for row in rows]
        return answer({"items": items, "next_page_token": ""})

    async def end(self, request: Request, subject: Subject) -> Response:
        """DELETE one of them."""
        token, _ = await person(self.services, subject)
        wanted = request.path_params["id"]
        found = next((row for row in await self._of(token.account) if row.id == wanted), None)
        if found is None:
            raise Refused(404, "not_found", f"there is no session {wanted[:64]}", hint="setpoint sessions")
        await self.services.store.commit(self._ended(found, subject.name))
        return answer(_shown(found))

    async def open(self, request: Request, proven: Proven) -> Opened:
        """A session for somebody who has just proven who they are; never one that was there before."""
        opened = self._made(request, proven.account)
        rows, now = await self._of(proven.account.id), self.services.runtime.now()
        over = [row for row in rows if not row.holds_at(now)]
        rest = sorted((row for row in rows if row not in over), key=lambda row: row.id)
        drops = tuple(Drop(Token, row.hash) for row in (*over, *rest[: max(0, len(rest) + 1 - MOST)]))
        proof = self.proof("session.began", proven.account.email, opened.token)
        begun = Change(writes=(*drops, Put(opened.token)), audit=(proof,))
        await self.services.store.commit(joined((proven.change, begun)))
        return opened

    def handed(self, opened: Opened, *, in_cookie: bool) -> Response:
        """To a browser in a cookie that no script reads; to a program in the body."""
        person = {"account": opened.account.id, "email": opened.account.email, "name": opened.account.name}
        secret = {} if in_cookie else {"token": opened.secret}
        response = answer({**_shown(opened.token), **person, **secret}, CREATED)
        if in_cookie:
            left = opened.token.expires_at - self.services.runtime.now()
            cookie.put(response, opened.secret, left)
        return response

    async def all_ended(self, account: str, spared: str = "") -> tuple[Drop, ...]:
        """What ends every session of an account, but for the one that is spared."""
        return tuple(Drop(Token, row.hash) for row in await self._of(account) if row.hash != spared)

    def proof(self, action: str, actor: str, token: Token) -> Audit:
        detail = {"device": token.device, "address": token.address}
        now, ref = self.services.runtime.now(), f"session/{token.id}"
        return Audit(organization=INSTALLATION, actor=actor, action=action, ref=ref, at=now, detail=detail)

    def _made(self, request: Request, account: Account, expires_at: float = 0.0) -> Opened:
        now, identity, people = (
            self.services.runtime.now(),
            self.services.runtime.new_id(),
            self.services.people,
        )
        secret = minted(identity, self.services.new_secret(), PREFIXES["session"])
        token = Token(
            hash=self.services.hash_token(secret),
            id=identity,
            subject=account.email,
            role="administrator" if account.administrator else "",
            sort="session",
            account=account.id,
            created_at=now,
            created_by=account.email,
            expires_at=expires_at or now + people.session_seconds,
            idle_seconds=people.idle_seconds,
            seen_at=now,
            proved_at=now,
            device=_printable(request.headers.get("User-Agent", "")),
            address=address_of(request),
        )
        return Opened(token, secret, account)

    async def _of(self, account: str) -> list[Token]:
        rows = await self.services.store.read(TOKENS_OF_ACCOUNT, account=account)
        return [row for row in rows if row.sort == "session"]

    def _ended(self, token: Token, actor: str) -> Change:
        return Change(writes=(Drop(Token, token.hash),), audit=(self.proof("session.ended", actor, token),))


async def person(services: Services, subject: Subject, *, session: bool = False) -> tuple[Token, Account]:
    """Whoever is asking, where that is a person and not a program of its own."""
    token = await services.store.get(Token, subject.credential)
    account = (
        await services.store.get(Account, token.account) if token is not None and token.account else None
    )
    if token is None or account is None or (session and token.sort != "session"):
        detail = "only a person who signed in can do this" if session else "this credential is no person's"
        raise Refused(403, "not_a_person", detail, hint="setpoint login")
    return token, account


def _overtaken() -> Refused:
    detail = "what you proved yourself with was used or changed at this very moment"
    return Refused(409, "conflict", detail, hint="sign in again")


def address_of(request: Request) -> str:
    return request.client.host if request.client is not None else ""


def _printable(text: str) -> str:
    return "".join(each for each in text if each.isprintable())[:DEVICE_LENGTH]


def _shown(token: Token) -> dict[str, AnyJson]:
    return {
        "id": token.id,
        "device": token.device,
        "address": token.address,
        "created_at": moment(token.created_at),
        "seen_at": moment(token.seen_at),
        "expires_at": moment(token.expires_at),
    }
