"""Links that work once: for the first administrator, for whoever is invited, for whoever forgot."""

from collections.abc import Iterator
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.credential import LINK, sound
from setpoint.access.email import normal, well_formed
from setpoint.access.password import password_mistakes
from setpoint.api.attempts import Attempts, Try, limits_of, of_person
from setpoint.api.csrf import check_origin, from_browser
from setpoint.api.fields import check, fields_of
from setpoint.api.invitations import MEMBERSHIP, acceptance, described
from setpoint.api.me import Me
from setpoint.api.post import Post, Wanted
from setpoint.api.problem import Refused
from setpoint.api.proof import Claim, Proofs, Proven, code_needed
from setpoint.api.render import answer, moment
from setpoint.api.services import Services
from setpoint.api.sessions import Sessions, address_of
from setpoint.engine.account import Account, Factors, Link
from setpoint.engine.errors import Conflict, Mistake
from setpoint.engine.rows import INSTALLATION, Audit
from setpoint.engine.store import (
    ACCOUNT_AT,
    ACCOUNTS_PAGE,
    LETTERS_WITH,
    LINKS_TO,
    TOKENS_OF_ACCOUNT,
    Change,
    Drop,
    Expect,
    Put,
    joined,
)
from setpoint.engine.token import Token

AnyJson = Any
RECOVERIES: Final = 3
ACCEPTED: Final = 202
FORM: Final = {"link": str, "email": str, "name": str, "password": str, "code": str, "cookie": bool}
FORGOT: Final = (
    "A new password for Setpoint",
    "Somebody, probably you, asked for a new password. This link works once, for an hour:",
)
Fields = dict[str, AnyJson]


class Links(Struct, frozen=True):
    """Whoever has one may use it, once: it is a credential, kept as a hash."""

    services: Services

    async def open(self, request: Request) -> Response:
        """POST: what this link is for, without using it."""
        fields = await fields_of(request, {"link": str}, ("link",))
        link = await self._held(fields["link"])
        told = {"purpose": link.purpose, "email": link.email, "expires_at": moment(link.expires_at)}
        return answer({**told, **await self._about(link)})

    async def _about(self, link: Link) -> dict[str, AnyJson]:
        """Of an invitation nothing that tells whether its address has an account: others saw the link too."""
        if link.purpose == "invite":
            unsaid = {"name": "", "has_password": None, "has_second_factor": None}
            return {**unsaid, **await described(self.services.store, link)}
        account, factors = await self._person(link)
        return {
            "name": account.name if account is not None else "",
            "has_password": factors.password != "",
            "has_second_factor": factors.totp != "",
        }

    async def use(self, request: Request) -> Response:
        """POST: set up the account, or prove to be whoever it is for; the answer is a new session."""
        if from_browser(request):
            check_origin(request, self.services.people.url)
        fields = await fields_of(request, FORM, ("link", "password"))
        link = await self._held(fields["link"])
        uses = {"first": self._first, "invite": self._invited, "recover": self._recovered}
        proven = await uses[link.purpose](link, fields, address_of(request))
        spent = await self._spent(link, proven.account)
        sessions = Sessions(self.services)
        try:
            opened = await sessions.open(request, replace(proven, change=joined((proven.change, spent))))
        except Conflict as error:
            raise bad_link() from error
        return sessions.handed(opened, in_cookie=fields.get("cookie", True))

    async def forgot(self, request: Request) -> Response:
        """POST an address: whoever has an account there is written a link. The answer is the same for all."""
        fields = await fields_of(request, {"email": str}, ("email",))
        email, address = normal(fields["email"]), address_of(request)
        store, now = self.services.store, self.services.runtime.now()
        keys = await limits_of(store, now, Try(email, address, "recover", RECOVERIES, RECOVERIES))
        await Attempts(self.services.store, self.services.runtime).take(keys)
        said = "if there is an account of this address, a letter with a link was written"
        response = answer({"detail": said}, ACCEPTED)
        # After the answer, so that the time it takes tells nobody who has an account.
        response.background = BackgroundTask(self._write_to, email)
        return response

    async def _write_to(self, email: str) -> None:
        found = await self.services.store.read(ACCOUNT_AT, email=email)
        if not found or found[0].disabled:
            return
        account = found[0]
        proof = self._proof("account.recovery_asked", account, email)
        wanted = Wanted("recover", account.id, account.email, by=account.email)
        await Post(self.services).issue(wanted, FORGOT, Change(audit=(proof,)))

    async def _first(self, link: Link, fields: Fields, address: str) -> Proven:
        """The first administrator, while there is nobody else."""
        if await self.services.store.read(ACCOUNTS_PAGE, after="", limit=1):
            raise bad_link()
        email = normal(fields.get("email") or "")
        check(tuple(_mistakes(fields, email)))
        named = replace(link, email=email)
        return await self._new(named, fields, administrator=True)

    async def _invited(self, link: Link, fields: Fields, address: str) -> Proven:
        """A link sets up the account that it was made for, or a new one; who has another proves to be that.

        So whoever else sees an invitation, as the one who sent it may, gets no account that is there.
        """
        account, factors = await self._person(link)
        organization = (await described(self.services.store, link)).get("organization", "")
        wrong = tuple(_mistakes(fields, link.email, organization))
        member = link.target.startswith(MEMBERSHIP)
        if account is not None and (member or factors.password):
            claim = Claim(link.email, fields["password"], fields.get("code") or "", address)
            return await self._proven(claim, wrong)
        check(wrong)
        if account is not None and account.id == link.target:
            return await self._set_up(account, factors, fields)
        if account is None and member:
            return await self._new(link, fields)
        raise bad_link()

    async def _proven(self, claim: Claim, wrong: tuple[Mistake, ...]) -> Proven:
        """What could be no new password is refused in the same words, whether there is an account or not."""
        try:
            return await Proofs(self.services).of(claim)
        except Refused as refused:
            if refused.code == "wrong_password":
                check(wrong)
            raise

    async def _recovered(self, link: Link, fields: Fields, address: str) -> Proven:
        """A new password ends every session and every token: whoever made them may have been somebody else.

        A mailbox alone does not replace a second factor, but for an account that it never answered for.
        """
        known, factors = await self._person(link)
        if known is None or known.disabled:
            raise bad_link()
        account = known
        me, code = Me(self.services), fields.get("code") or ""
        if account.unproven:
            bare = replace(factors, totp="", begun="", counter=0, recovery=())
            account, factors = replace(account, unproven=False, version=account.version + 1), bare
        check(tuple(await me.mistakes(fields["password"], account, factors)))
        coded = Proofs(self.services).spent(factors, code) if factors.totp else factors
        if coded is None:
            await Attempts(self.services.store, self.services.runtime).take(
                {of_person(link.email, "recover-code"): RECOVERIES}
            )
            raise code_needed(code)
        after = await me.with_password(coded, fields["password"])
        same = Expect(Account, account.id, "version", known.version)
        kept = Change((same,), (Put(account),) if known.unproven else ())
        tokens = await self.services.store.read(TOKENS_OF_ACCOUNT, account=account.id)
        ended = tuple(Drop(Token, token.hash) for token in tokens)
        proof = self._proof("account.recovered", account, account.email)
        return Proven(account, after, joined((kept, _kept(factors, after, proof, ended))))

    async def _new(self, link: Link, fields: Fields, *, administrator: bool = False) -> Proven:
        account = Account(
            id=self.services.runtime.new_id(),
            email=link.email,
            name=fields.get("name") or "",
            administrator=administrator,
            unproven=not (administrator or link.vouched),
            created_at=self.services.runtime.now(),
            created_by=link.created_by or link.email,
        )
        factors = await Me(self.services).with_password(Factors(account=account.id), fields["password"])
        proof = self._proof("account.created", account, account.email)
        change = Change(
            expects=(Expect(Account, account.id), Expect(Factors, account.id)),
            writes=(Put(account), Put(factors)),
            audit=(proof,),
        )
        return Proven(account, factors, change)

    async def _set_up(self, account: Account, factors: Factors, fields: Fields) -> Proven:
        """An account that an administrator made, and whose person comes now."""
        if account.disabled:
            raise bad_link()
        after = await Me(self.services).with_password(factors, fields["password"])
        named = replace(account, name=fields.get("name") or account.name, version=account.version + 1)
        proof = self._proof("account.set_up", account, account.email)
        kept = _kept(factors, after, proof, ())
        change = Change((Expect(Account, account.id, "version", account.version),), (Put(named),))
        return Proven(named, after, joined((kept, change)))

    async def _spent(self, link: Link, account: Account) -> Change:
        """The link, and every other of its sort to the same person, opens nothing; letters are history."""
        same = [link]
        if link.purpose == "recover":
            same = await self.services.store.read(LINKS_TO, purpose="recover", target=link.target)
        letters = [
            letter for each in same for letter in await self.services.store.read(LETTERS_WITH, link=each.hash)
        ]
        history = tuple(Put(replace(each, link="", sealed="")) for each in letters)
        spent = Change(
            expects=(Expect(Link, link.hash, "purpose", link.purpose),),
            writes=(*(Drop(Link, each.hash) for each in same), *history),
        )
        if link.purpose != "invite":
            return spent
        now = self.services.runtime.now()
        return joined((spent, await acceptance(self.services.store, link, account, now)))

    async def _held(self, secret: str) -> Link:
        """The link of this secret, given alone or as the whole address it came in."""
        bare = secret.strip().rpartition("#")[2]
        known = sound(bare, LINK)
        link = await self.services.store.get(Link, self.services.hash_token(bare)) if known else None
        if link is None or not link.holds_at(self.services.runtime.now()):
            raise bad_link()
        return link

    async def _person(self, link: Link) -> tuple[Account | None, Factors]:
        found = await self.services.store.read(ACCOUNT_AT, email=link.email) if link.email else []
        account = found[0] if found else None
        if account is None:
            return None, Factors(account="")
        return account, await self.services.store.get(Factors, account.id) or Factors(account=account.id)

    def _proof(self, action: str, account: Account, actor: str) -> Audit:
        now, ref = self.services.runtime.now(), f"account/{account.id}"
        detail = {"email": account.email, "administrator": account.administrator}
        return Audit(organization=INSTALLATION, actor=actor, action=action, ref=ref, at=now, detail=detail)


def bad_link() -> Refused:
    """The same words for one that never was, was used, or has run out."""
    hint = "ask whoever sent it to you for another"
    return Refused(404, "bad_link", "this link is not known, was used before, or has run out", hint=hint)


def _mistakes(fields: Fields, email: str, organization: str = "") -> Iterator[Mistake]:
    """What is wrong with an account that is set up, all of it."""
    if not well_formed(email):
        yield Mistake(
            pointer="/email", code="bad_value", message="email is an address such as ann@acme.example"
        )
    if fields.get("email") and normal(fields["email"]) != email:
        message = f"this link is for {email}"
        yield Mistake(pointer="/email", code="contradiction", message=message)
    yield from password_mistakes(fields["password"], (email, fields.get("name") or "", organization))


def _kept(known: Factors, after: Factors, proof: Audit, ended: tuple[Drop, ...]) -> Change:
    """Where there were none, nobody else may have brought theirs meanwhile."""
    new = known.version == 0 and not known.password
    before = (
        Expect(Factors, known.account) if new else Expect(Factors, known.account, "version", known.version)
    )
    put = Put(replace(after, version=known.version + 1))
    return Change(expects=(before,), writes=(put, *ended), audit=(proof,))
