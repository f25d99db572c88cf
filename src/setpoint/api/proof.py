"""Whether somebody is who they say: password, and a code where the account has a second factor."""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from setpoint.access.email import normal
from setpoint.access.password import normal_password
from setpoint.access.totp import counter_of, normal_code
from setpoint.api.attempts import Attempts, Try, limits_of, of_person
from setpoint.api.problem import Refused
from setpoint.api.services import Services
from setpoint.engine.account import Account, Factors, Strikes
from setpoint.engine.errors import Conflict
from setpoint.engine.store import ACCOUNT_AT, Change, Drop, Expect, Put

WRONG: Final = "the address or the password is wrong"


class Claim(Struct, frozen=True):
    """What somebody shows, and from where."""

    email: str
    password: str
    code: str
    address: str


class Proven(Struct, frozen=True):
    """Who it is, and what has to be written with whatever they do next: a code is spent by it."""

    account: Account
    factors: Factors
    change: Change


class Proofs(Struct, frozen=True):
    """One way to prove oneself for all who ask for it."""

    services: Services

    async def of(self, claim: Claim) -> Proven:
        """401 in the same words and after the same work, whether there is such an account or not."""
        email = normal(claim.email)
        found = await self.services.store.read(ACCOUNT_AT, email=email)
        account = found[0] if found else None
        known = await self.services.store.get(Factors, account.id) if account is not None else None
        coded = self.spent(known, claim.code) if known is not None else None
        if coded is None:
            # Not for whoever shows a right code: nobody else can shut the door to them by being wrong.
            await self._count(email, claim.address)
        good = known.password if known is not None and account is not None and not account.disabled else ""
        right = await self.services.people.passwords.matches(normal_password(claim.password), good)
        if account is None or known is None or not right:
            if known is not None and coded is not None:
                await self._burn(known, coded)
            raise _wrong()
        if known.totp and coded is None:
            raise code_needed(claim.code)
        after = await self._renewed(coded or known, claim.password)
        return Proven(account, after, self._change(Try(email, claim.address), known, after))

    def spent(self, known: Factors, code: str) -> Factors | None:
        """The factors once this code was taken; None if it is not one, or was taken before."""
        asked = normal_code(code)
        if not known.totp or not asked:
            return None
        hashed = self.services.hash_token(asked)
        if hashed in known.recovery:
            return replace(known, recovery=tuple(each for each in known.recovery if each != hashed))
        key = self.services.people.seal.opened(known.totp, totp_place(known.account))
        counter = counter_of(key, asked, self.services.runtime.now(), known.counter) if key else None
        return replace(known, counter=counter) if counter is not None else None

    async def _count(self, email: str, address: str) -> None:
        attempts = Attempts(self.services.store, self.services.runtime)
        tried = Try(email, address)
        await attempts.take(await limits_of(self.services.store, self.services.runtime.now(), tried))

    async def _burn(self, known: Factors, coded: Factors) -> None:
        """A code works once, also beside a wrong password: whoever saw one gets a single guess."""
        try:
            await self.services.store.commit(_kept(known, coded))
        except Conflict:
            return  # Somebody else used it at this very moment.

    async def _renewed(self, factors: Factors, password: str) -> Factors:
        """Hashed anew, once more effort is asked for than when it was set."""
        passwords = self.services.people.passwords
        if not passwords.outdated(factors.password):
            return factors
        return replace(factors, password=await passwords.hashed(normal_password(password)))

    def _change(self, tried: Try, known: Factors, after: Factors) -> Change:
        forgiven = (Drop(Strikes, of_person(tried.email)), Drop(Strikes, tried.beside))
        if after == known:
            return Change(
                expects=(Expect(Factors, known.account, "version", known.version),), writes=forgiven
            )
        kept = _kept(known, after)
        return Change(expects=kept.expects, writes=(*kept.writes, *forgiven))


def totp_place(account: str) -> str:
    """Where a second factor is sealed for."""
    return f"factors/{account}/totp"


def _kept(known: Factors, after: Factors) -> Change:
    return Change(
        expects=(Expect(Factors, known.account, "version", known.version),),
        writes=(Put(replace(after, version=known.version + 1)),),
    )


def _wrong() -> Refused:
    return Refused(401, "wrong_password", WRONG, hint="forgotten? setpoint login --forgot EMAIL")


def code_needed(code: str) -> Refused:
    detail = "this code is not right, or was used before" if code else "this account has a second factor"
    hint = "send the six digits of your authenticator, or a recovery code, as code"
    return Refused(401, "code_needed", detail, hint=hint)
