"""From a request to the credential it shows: a bearer, or the cookie of a browser."""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace
from starlette.requests import Request

from setpoint.access.credential import fits
from setpoint.access.network import lies_in
from setpoint.api import cookie
from setpoint.api.beginning import reaching
from setpoint.api.csrf import check_origin
from setpoint.api.headers import sent_as
from setpoint.api.problem import Refused
from setpoint.api.services import Services
from setpoint.api.sessions import address_of
from setpoint.engine.account import Account
from setpoint.engine.errors import Conflict
from setpoint.engine.store import Change, Expect, Put, Store
from setpoint.engine.token import Token

SEEN_SECONDS: Final = 60.0
FRESH_SECONDS: Final = 600.0


class Credentials(Struct, frozen=True):
    """Looked up at every request: what was taken back opens nothing from the next one on."""

    services: Services

    async def shown(self, request: Request, *, cookies: bool = True) -> Token:
        """The credential of this request; 401 without one that holds."""
        bearer = _bearer(request)
        secret = bearer or (cookie.read(request) if cookies else "")
        token = await self.services.store.get(Token, self.services.hash_token(secret)) if secret else None
        if token is None or not fits(secret, token.sort) or (not bearer and token.sort != "session"):
            raise _unknown()
        if not bearer:
            check_origin(request, self.services.people.url)
        now = self.services.runtime.now()
        if not token.holds_at(now):
            raise _over(token)
        if token.addresses and not lies_in(address_of(request), token.addresses):
            hint = "use it where it was made for, or ask for another: setpoint token create"
            raise Refused(401, "elsewhere", "this token is not for use from this address", hint=hint)
        if not await reaching(self.services.store, [token]):
            raise _void(token)
        if not await stands(self.services.store, token, now):
            hint = "ask an administrator of this installation"
            raise Refused(401, "disabled", "this account is disabled", hint=hint)
        return await self._seen(token, now)

    async def _seen(self, token: Token, now: float) -> Token:
        """Noted now and then. A credential that was taken back meanwhile does not come back by that."""
        often = min(SEEN_SECONDS, token.idle_seconds / 4 or SEEN_SECONDS)
        if not token.id or token.sort == "agent" or now - token.seen_at < often:
            return token
        seen = replace(token, seen_at=now)
        try:
            await self.services.store.commit(
                Change((Expect(Token, token.hash, "id", token.id),), (Put(seen),))
            )
        except Conflict as error:
            raise _unknown() from error
        return seen


async def stands(store: Store, token: Token, now: float) -> bool:
    """Whether it opens anything at this moment: not run out, its place is there, nobody was disabled."""
    if not token.holds_at(now) or not await reaching(store, [token]):
        return False
    account = await store.get(Account, token.account) if token.account else None
    return not token.account or (account is not None and not account.disabled)


def check_fresh(token: Token, now: float) -> None:
    """What could lock people out or let others in is done by whoever proved lately that it is them."""
    if token.sort == "session" and now - token.proved_at > FRESH_SECONDS:
        detail = (
            f"prove that it is you: this needs your password, given within {FRESH_SECONDS / 60:.0f} minutes"
        )
        hint = "POST /v1/sessions/current:confirm with password and code; on the command line: setpoint login"
        raise Refused(403, "step_up", detail, hint=hint)


async def require_fresh(services: Services, credential: str) -> None:
    """For what only sometimes needs it; whoever demands it always says so in the route."""
    token = await services.store.get(Token, credential)
    if token is not None:
        check_fresh(token, services.runtime.now())


def _bearer(request: Request) -> str:
    scheme, _, secret = sent_as(b"authorization", request.scope).partition(" ")
    return secret if scheme.lower() == "bearer" else ""


def _unknown() -> Refused:
    hint = "setpoint login, or send Authorization: Bearer <token>; the administrator's is in the data folder"
    return Refused(401, "unauthenticated", "no valid token was sent", hint=hint)


def _void(token: Token) -> Refused:
    hint = "ask for another where you need one: setpoint token create"
    return Refused(
        401, "void_scope", f"this token was for {token.scope}, which is not there any more", hint=hint
    )


def _over(token: Token) -> Refused:
    if token.sort == "session":
        return Refused(401, "expired", "this session is over", hint="sign in again: setpoint login")
    hint = "ask whoever gave it to you for another: setpoint token create"
    return Refused(401, "expired", "this token has run out", hint=hint)
