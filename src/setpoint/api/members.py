"""The people of an organization: who was invited and who accepted, and the link by which they come in."""

from typing import Any, Final

from msgspec import Struct, to_builtins
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.email import normal
from setpoint.access.permission import keys
from setpoint.access.role import Custom, grants_of
from setpoint.access.subject import RUNS_IT, Subject
from setpoint.api.holders import Member, custom_in, joined_by, members_page
from setpoint.api.paging import page_of
from setpoint.api.post import SECONDS, Post, Wanted
from setpoint.api.problem import Refused
from setpoint.api.render import answer, moment
from setpoint.api.services import Services
from setpoint.engine.account import Link
from setpoint.engine.entity import Ref, Scope, slot
from setpoint.engine.rows import evidence
from setpoint.engine.store import DECLARED_AT, LETTERS_WITH, LINKS_TO, Change, Drop, Put, joined

AnyJson = Any
CREATED: Final = 201


class Members(Struct, frozen=True):
    """Those of one organization."""

    services: Services

    async def page(self, request: Request, subject: Subject) -> Response:
        """GET everybody whom a membership is for, with how it stands."""
        page, organization = page_of(request), request.path_params["organization"]
        rows = await members_page(self.services.store, organization, page.after, page.size + 1)
        more = rows[page.size - 1].name if len(rows) > page.size else ""
        found = await joined_by(self.services.store, rows[: page.size])
        return answer({"items": [_shown(each) for each in found], "next_page_token": more})

    async def one(self, request: Request, subject: Subject) -> Response:
        """GET one of them."""
        return answer(_shown(await self._member(request)))

    async def _member(self, request: Request) -> Member:
        organization, name = request.path_params["organization"], request.path_params["name"]
        place = slot("membership", Scope(organization), name)
        rows = await self.services.store.read(DECLARED_AT, slot=place)
        if not rows:
            raise Refused(404, "not_found", f"there is no membership {name} in {organization}")
        [found] = await joined_by(self.services.store, rows)
        return found

    async def invite(self, request: Request, subject: Subject) -> Response:
        """POST: a link by which the person comes in, written to them. Older ones end.

        It is in the answer only where there is no mail server: what others see proves no mailbox.
        """
        organization, now = request.path_params["organization"], self.services.runtime.now()
        name, member = request.path_params["name"], await self._member(request)
        if member.accepted:
            raise Refused(409, "exists", f"{member.name} accepted it already", hint="setpoint member list")
        await self._check_reach(subject, member, await custom_in(self.services.store, organization))
        words = (
            f"You are invited to {organization} on Setpoint",
            f"{subject.name} invites you to {organization}. This link works once, for a week:",
        )
        email = normal(member.spec.email)
        mailed = self.services.settings.smtp != ""
        vouched = mailed or subject.decide(RUNS_IT, now).allowed
        wanted = Wanted("invite", member.declared.ref, email, by=subject.name, vouched=vouched)
        proof = evidence(member.declared, subject.name, "membership.invited", now, name=name)
        change = joined((Change(audit=(proof,)), await self._older(member.declared.ref)))
        link = await Post(self.services).issue(wanted, words, change)
        ends = moment(now + SECONDS["invite"])
        shown = {"link": "" if mailed else link, "mailed": mailed}
        return answer({"name": name, "email": email, **shown, "expires_at": ends}, CREATED)

    async def _check_reach(self, subject: Subject, member: Member, custom: Custom) -> None:
        """Whoever has the link can come in with it: so it shows to nobody what they could not give."""
        known = tuple(key for key, _ in keys(self.services.kinds))
        grants = grants_of(member.bindings, custom)
        others, now = (subject.layers,), self.services.runtime.now()
        more = await self.services.pieces.first_beyond((grants,), others, known, now)
        if more is not None:
            detail = f"{subject.name} cannot invite {member.name}: the membership allows to {more}"
            raise Refused(403, "forbidden", detail, hint="ask somebody who may do that themselves")

    async def _older(self, ref: Ref) -> Change:
        """What ends the links that were sent for it before; their letters are history."""
        store = self.services.store
        links = await store.read(LINKS_TO, purpose="invite", target=ref)
        letters = [each for link in links for each in await store.read(LETTERS_WITH, link=link.hash)]
        history = (Put(replace(each, link="", sealed="")) for each in letters)
        return Change(writes=(*(Drop(Link, link.hash) for link in links), *history))


def _shown(member: Member) -> dict[str, AnyJson]:
    spec, said = member.spec, member.acceptance
    return {
        "name": member.declared.name,
        "ref": Ref(member.declared.ref),
        "email": normal(spec.email),
        "roles": to_builtins(spec.roles),
        "state": _state(member),
        "accepted_at": moment(said.at) if said is not None and member.accepted else None,
    }


def _state(member: Member) -> str:
    if member.accepted:
        return "accepted"
    if member.account is not None and member.account.disabled:
        return "disabled"
    return "invited"
