"""People of this installation, for whoever administers it: invite, change, disable, delete."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.email import normal, well_formed
from setpoint.access.subject import Subject
from setpoint.api.evidence import evidence_page
from setpoint.api.fields import check, fields_of
from setpoint.api.invitations import departure
from setpoint.api.paging import page_of
from setpoint.api.post import Post, Wanted
from setpoint.api.problem import Refused
from setpoint.api.render import answer, moment
from setpoint.api.services import Services
from setpoint.api.sessions import Sessions
from setpoint.capabilities.people import Message
from setpoint.engine.account import Account, Factors, Letter, Link
from setpoint.engine.errors import Mistake
from setpoint.engine.rows import INSTALLATION, Audit
from setpoint.engine.store import (
    ACCOUNT_AT,
    ACCOUNTS_PAGE,
    LETTERS_PAGE,
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
CREATED: Final = 201
RESET: Final = (
    "Your second factor was taken away",
    "{by} took away the second factor of your account on Setpoint, and ended your sessions. If you did not "
    "ask for this, tell an administrator at once. Once signed in, add one: setpoint account second-factor.",
)
CHANGES: Final = {"name": str, "administrator": bool, "disabled": bool, "second_factor": bool}


class Accounts(Struct, frozen=True):
    """What is taken from somebody here is gone at their next request."""

    services: Services

    async def page(self, request: Request, subject: Subject) -> Response:
        """GET everybody who has an account, newest first."""
        page = page_of(request)
        rows = await self.services.store.read(ACCOUNTS_PAGE, after=page.after, limit=page.size + 1)
        more = rows[page.size - 1].id if len(rows) > page.size else ""
        items = [await self._shown(row) for row in rows[: page.size]]
        return answer({"items": items, "next_page_token": more})

    async def read(self, request: Request, subject: Subject) -> Response:
        """GET one of them."""
        return answer(await self._shown(await self._found(request)))

    async def invite(self, request: Request, subject: Subject) -> Response:
        """POST: an account whose person is written a link to set it up; the letter is in the outbox."""
        form = {"email": str, "name": str, "administrator": bool}
        fields = await fields_of(request, form, ("email",))
        email, now = normal(fields["email"]), self.services.runtime.now()
        check(tuple(await self._email_mistakes(email)))
        account = Account(
            id=self.services.runtime.new_id(),
            email=email,
            name=fields.get("name") or "",
            administrator=fields.get("administrator", False),
            created_at=now,
            created_by=subject.name,
        )
        change = Change(
            expects=(Expect(Account, account.id),),
            writes=(Put(account),),
            audit=(self._proof("account.invited", account, subject),),
        )
        words = (
            "You are invited to Setpoint",
            f"{subject.name} invites you. This link works once, for a week:",
        )
        wanted = Wanted("invite", account.id, email, by=subject.name)
        await Post(self.services).issue(wanted, words, change)
        return answer(await self._shown(account), CREATED)

    async def change(self, request: Request, subject: Subject) -> Response:
        """PATCH name, administrator, disabled; second_factor false takes a lost one away."""
        account = await self._found(request)
        fields = await fields_of(request, CHANGES)
        if fields.get("second_factor"):
            message = "only a person adds a second factor, to their own account"
            check((Mistake(pointer="/second_factor", code="bad_value", message=message),))
        if fields.get("administrator") and account.unproven:
            raise _unproven(account)
        after = replace(
            account,
            **{key: fields[key] for key in ("name", "administrator", "disabled") if key in fields},
            version=account.version + 1,
        )
        lowered = fields.get("second_factor") is False or after.disabled
        ends = lowered or after.administrator != account.administrator
        ended = await Sessions(self.services).all_ended(account.id) if ends else ()
        change = Change(
            expects=(Expect(Account, account.id, "version", account.version),),
            writes=(Put(after), *ended),
            audit=(self._proof("account.changed", after, subject, changed=sorted(fields)),),
        )
        lost = (
            await self._without_second_factor(account) if fields.get("second_factor") is False else Change()
        )
        await self.services.store.commit(joined((change, lost)))
        if lost.writes:
            said, text = RESET[0], RESET[1].format(by=subject.name)
            await self.services.people.mail.send(Message(to=account.email, subject=said, text=text))
        return answer(await self._shown(after))

    async def end_sessions(self, request: Request, subject: Subject) -> Response:
        """DELETE every session of this person."""
        account = await self._found(request)
        ended = await Sessions(self.services).all_ended(account.id)
        proof = self._proof("account.sessions_ended", account, subject, sessions=len(ended))
        await self.services.store.commit(Change(writes=ended, audit=(proof,)))
        return answer({"sessions_ended": len(ended)})

    async def delete(self, request: Request, subject: Subject) -> Response:
        """DELETE: the account and everything that opened something in its name."""
        account, store = await self._found(request), self.services.store
        tokens = await store.read(TOKENS_OF_ACCOUNT, account=account.id)
        links = [
            link
            for purpose in ("invite", "recover")
            for link in await store.read(LINKS_TO, purpose=purpose, target=account.id)
        ]
        gone = Change(
            expects=(Expect(Account, account.id, "version", account.version),),
            writes=(
                *(Drop(Token, token.hash) for token in tokens),
                *(Drop(Link, link.hash) for link in links),
                Drop(Factors, account.id),
                Drop(Account, account.id),
            ),
            audit=(self._proof("account.deleted", account, subject),),
        )
        more = await departure(store, account, self.services.runtime.now())
        shown = await self._shown(account)
        await store.commit(joined((gone, more)))
        return answer(shown)

    async def outbox(self, request: Request, subject: Subject) -> Response:
        """GET what was written to people; the link of a letter is there until it is used or has run out."""
        page = page_of(request)
        rows = await self.services.store.read(LETTERS_PAGE, after=page.after, limit=page.size + 1)
        more = rows[page.size - 1].id if len(rows) > page.size else ""
        items = [await self._letter(row) for row in rows[: page.size]]
        return answer({"items": items, "next_page_token": more})

    async def evidence(self, request: Request, subject: Subject) -> Response:
        """GET who did what to the installation itself: accounts, sessions, switches above everybody."""
        return await evidence_page(self.services.store, request, "")

    async def _letter(self, letter: Letter) -> dict[str, AnyJson]:
        link = await self.services.store.get(Link, letter.link) if letter.link else None
        holds = link is not None and link.holds_at(self.services.runtime.now())
        opened = self.services.people.seal.opened(letter.sealed, f"letter/{letter.id}") if holds else None
        return {
            "id": letter.id,
            "to": letter.to,
            "subject": letter.subject,
            "text": letter.text,
            "link": opened,
            "expires_at": moment(link.expires_at) if link is not None and holds else None,
            "created_at": moment(letter.created_at),
        }

    async def _found(self, request: Request) -> Account:
        wanted = request.path_params["id"]
        account = await self.services.store.get(Account, wanted)
        if account is None:
            raise Refused(
                404, "not_found", f"there is no account {wanted[:64]}", hint="setpoint account list"
            )
        return account

    async def _without_second_factor(self, account: Account) -> Change:
        known = await self.services.store.get(Factors, account.id)
        if known is None or not (known.totp or known.begun):
            return Change()
        bare = replace(known, totp="", begun="", counter=0, recovery=(), version=known.version + 1)
        return Change((Expect(Factors, account.id, "version", known.version),), (Put(bare),))

    async def _email_mistakes(self, email: str) -> Iterator[Mistake]:
        wrong = []
        if not well_formed(email):
            message = "email is an address such as ann@acme.example"
            wrong.append(Mistake(pointer="/email", code="bad_value", message=message))
        elif await self.services.store.read(ACCOUNT_AT, email=email):
            message = f"there is an account of {email}"
            wrong.append(Mistake(pointer="/email", code="taken", message=message))
        return iter(wrong)

    async def _shown(self, account: Account) -> dict[str, AnyJson]:
        factors = await self.services.store.get(Factors, account.id)
        return {
            "id": account.id,
            "email": account.email,
            "name": account.name,
            "administrator": account.administrator,
            "state": _state(account, factors),
            "second_factor": factors is not None and factors.totp != "",
            "created_at": moment(account.created_at),
            "created_by": account.created_by,
        }

    def _proof(self, action: str, account: Account, subject: Subject, **detail: AnyJson) -> Audit:
        now, ref = self.services.runtime.now(), f"account/{account.id}"
        told: Mapping[str, AnyJson] = {"email": account.email, "administrator": account.administrator}
        return Audit(
            organization=INSTALLATION,
            actor=subject.name,
            action=action,
            ref=ref,
            at=now,
            detail={**told, **detail},
        )


def _unproven(account: Account) -> Refused:
    detail = f"whoever made the account of {account.email} has not shown that the mailbox is theirs"
    hint = f"setpoint login --forgot {account.email}; its link proves the mailbox, then try again"
    return Refused(409, "unproven", detail, hint=hint)


def _state(account: Account, factors: Factors | None) -> str:
    if account.disabled:
        return "disabled"
    return "active" if factors is not None and factors.password else "invited"
