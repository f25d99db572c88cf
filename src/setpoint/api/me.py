"""What a person changes about themselves: password and second factor."""

from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.password import ALONE, normal_password, password_mistakes
from setpoint.access.subject import Subject
from setpoint.access.totp import (
    RECOVERY_CODES,
    counter_of,
    normal_code,
    provisioning,
    recovery_code,
    totp_key,
)
from setpoint.api.fields import check, fields_of
from setpoint.api.identity import person as holder
from setpoint.api.problem import Refused
from setpoint.api.proof import totp_place
from setpoint.api.render import answer
from setpoint.api.services import Services
from setpoint.api.sessions import Sessions, person
from setpoint.engine.account import Account, Factors
from setpoint.engine.errors import Mistake
from setpoint.engine.rows import INSTALLATION, Audit
from setpoint.engine.store import Change, Drop, Expect, Put
from setpoint.engine.token import Token

AnyJson = Any
CREATED: Final = 201


class Me(Struct, frozen=True):
    """For whoever signed in, a moment ago."""

    services: Services

    async def password(self, request: Request, subject: Subject) -> Response:
        """POST a new password; every other session ends with it."""
        token, account, factors = await self._who(subject)
        fields = await fields_of(request, {"password": str}, ("password",))
        check(tuple(await self.mistakes(fields["password"], account, factors)))
        after = await self.with_password(factors, fields["password"])
        ended = await Sessions(self.services).all_ended(account.id, spared=token.hash)
        await self._commit(factors, after, "account.password_changed", account, ended)
        return answer({"sessions_ended": len(ended)})

    async def begin(self, request: Request, subject: Subject) -> Response:
        """POST: a key for an authenticator, shown this once; it counts once its first code was sent."""
        _, account, factors = await self._who(subject)
        if factors.totp:
            hint = "take the one that is there away first: DELETE /v1/me/totp"
            raise Refused(409, "exists", "this account has a second factor", hint=hint)
        key = totp_key(self.services.new_secret())
        sealed = self.services.people.seal.closed(key, totp_place(account.id))
        await self._commit(factors, replace(factors, begun=sealed), "account.second_factor_begun", account)
        return answer({"key": key, "uri": provisioning(key, account.email)}, CREATED)

    async def confirm(self, request: Request, subject: Subject) -> Response:
        """POST the first code: from now on signing in needs one. The recovery codes are shown this once."""
        _, account, factors = await self._who(subject)
        fields = await fields_of(request, {"code": str}, ("code",))
        key = (
            self.services.people.seal.opened(factors.begun, totp_place(account.id)) if factors.begun else None
        )
        if key is None:
            raise Refused(409, "not_begun", "no second factor was begun", hint="POST /v1/me/totp")
        counter = counter_of(key, normal_code(fields["code"]), self.services.runtime.now(), 0)
        if counter is None:
            message = "this is not the code of this moment; is the clock of the authenticator right?"
            check((Mistake(pointer="/code", code="bad_value", message=message),))
        codes = [recovery_code(self.services.new_secret()) for _ in range(RECOVERY_CODES)]
        after = replace(
            factors,
            totp=factors.begun,
            begun="",
            counter=counter or 0,
            recovery=tuple(self.services.hash_token(normal_code(code)) for code in codes),
        )
        await self._commit(factors, after, "account.second_factor_added", account)
        return answer({"recovery_codes": codes})

    async def drop(self, request: Request, subject: Subject) -> Response:
        """DELETE: signing in needs the password alone, which has to be long enough for that."""
        _, account, factors = await self._who(subject)
        if not factors.totp:
            raise Refused(404, "not_found", "this account has no second factor")
        if factors.short:
            detail = f"your password has less than {ALONE} characters: too few without a second factor"
            raise Refused(409, "password_too_short", detail, hint="change it first: POST /v1/me:password")
        after = replace(factors, totp="", begun="", counter=0, recovery=())
        await self._commit(factors, after, "account.second_factor_removed", account)
        return answer({"second_factor": False})

    async def mistakes(self, password: str, account: Account, factors: Factors) -> list[Mistake]:
        """Everything wrong with a password for this person, whose organizations anybody may know."""
        known = await holder(self.services.store, account)
        scopes = [grant.binding.scope for grant in known.grants] if known is not None else []
        context = (account.email, account.name, *{scope.organization for scope in scopes})
        return list(password_mistakes(password, context, factors.totp != ""))

    async def with_password(self, factors: Factors, password: str) -> Factors:
        chosen = normal_password(password)
        hashed = await self.services.people.passwords.hashed(chosen)
        return replace(factors, password=hashed, short=len(chosen) < ALONE)

    async def _who(self, subject: Subject) -> tuple[Token, Account, Factors]:
        token, account = await person(self.services, subject, session=True)
        factors = await self.services.store.get(Factors, account.id)
        if factors is None:
            raise Refused(403, "not_a_person", "this account has no password yet", hint="open its link first")
        return token, account, factors

    async def _commit(
        self, known: Factors, after: Factors, action: str, account: Account, ended: tuple[Drop, ...] = ()
    ) -> None:
        """On top of what was read: of two at once, one is told to look again."""
        now = self.services.runtime.now()
        proof = Audit(
            organization=INSTALLATION, actor=account.email, action=action, ref=f"account/{account.id}", at=now
        )
        change = Change(
            expects=(Expect(Factors, known.account, "version", known.version),),
            writes=(Put(replace(after, version=known.version + 1)), *ended),
            audit=(proof,),
        )
        await self.services.store.commit(change)
