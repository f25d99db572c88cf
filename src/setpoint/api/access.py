"""Who may do what, asked for oneself and about others, with the rule that decides."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.decision import Question, considered
from setpoint.access.permission import VERBS, Permission, Verb, keys
from setpoint.access.role import SEEDED, SELF
from setpoint.access.rule import Grant
from setpoint.access.subject import Subject
from setpoint.api.beginning import reaching
from setpoint.api.holders import Member, people_of
from setpoint.api.identity import person, subject_for
from setpoint.api.paging import page_of
from setpoint.api.problem import Refused
from setpoint.api.render import answer
from setpoint.api.services import Services
from setpoint.api.validate import SCOPES
from setpoint.engine.account import Factors
from setpoint.engine.entity import Scope
from setpoint.engine.store import ACCEPTANCES_BY, ACCOUNT_AT, DECLARED_OF, TOKENS_OF, TOKENS_OF_PEOPLE, listed

AnyJson = Any
ABOVE: Final = "above"


class Access(Struct, frozen=True):
    """Answers come from the same function that decides."""

    services: Services

    async def me(self, request: Request, subject: Subject) -> Response:
        """GET who the credential says you are, and the roles it gives."""
        own = {grant.binding.role for grant in subject.grants} == {SELF.name}
        grants = subject.within if own and subject.within is not None else subject.grants
        bindings = dict.fromkeys(grant.binding for grant in grants)
        roles = [{"role": each.role, "scope": str(each.scope)} for each in bindings]
        return answer({"name": subject.name, "roles": roles, **await self._person(subject)})

    async def can_i(self, request: Request, subject: Subject) -> Response:
        """GET whether you may: `verb`, `key`, and where; with `explain=1`, every rule that was considered."""
        asked = self._asked(request)
        if request.query_params.get("explain", "") in ("1", "true"):
            return answer(self._explained(subject, asked))
        said = subject.decide(asked, self.services.runtime.now())
        return answer({"allowed": said.allowed, "reason": said.reason})

    async def explain(self, request: Request, subject: Subject) -> Response:
        """GET the same about somebody else: `who` is a member's address or a token's name."""
        asked, who = self._asked(request), request.query_params.get("who", "")
        found = await self._called(who, request.path_params["organization"])
        if not found:
            detail = f"nobody of this organization is called {who[:254]!r}"
            raise Refused(404, "not_found", detail, hint="setpoint member list; setpoint token list")
        return answer({"items": [self._explained(each, asked) for each in found], "next_page_token": ""})

    async def who_can(self, request: Request, subject: Subject) -> Response:
        """GET everybody of the organization who may, each with the rule that says so: read a page at a time.

        Members first, then programs, then whoever runs the installation; in the order they were let in.
        """
        asked, now, page = self._asked(request), self.services.runtime.now(), page_of(request)
        items: list[dict[str, str]] = []
        last, more = "", ""
        async with aclosing(self._everybody(request.path_params["organization"], page.after)) as everybody:
            async for mark, each in everybody:
                said = each.decide(asked, now)
                if said.allowed and len(items) == page.size:
                    more = last
                    break
                items += [{"name": each.name, "reason": said.reason}] if said.allowed else []
                last = mark
        return answer({"items": items, "next_page_token": more})

    async def _everybody(self, organization: str, after: str) -> AsyncGenerator[tuple[str, Subject], None]:
        now = self.services.runtime.now()
        if not after.startswith(ABOVE):
            async for each in people_of(self.services.store, organization, now, after):
                yield each
        for subject in sorted(await self._of_the_installation(now), key=lambda each: each.name):
            mark = f"{ABOVE}:{subject.name}"
            if mark > after or not after.startswith(ABOVE):
                yield mark, subject

    async def roles(self, request: Request, subject: Subject) -> Response:
        """GET the roles that every organization begins with, and their rules."""
        return answer({"items": [msgspec.to_builtins(role) for role in SEEDED], "next_page_token": ""})

    async def permissions(self, request: Request, subject: Subject) -> Response:
        """GET every key that a rule can speak of, and the verbs."""
        items = [{"key": key, "about": about} for key, about in keys(self.services.kinds)]
        return answer({"verbs": list(VERBS), "items": items, "next_page_token": ""})

    async def _person(self, subject: Subject) -> dict[str, AnyJson]:
        """What only a person has; a program has no second factor."""
        if not subject.account:
            return {}
        factors = await self.services.store.get(Factors, subject.account)
        return {"second_factor": factors is not None and factors.totp != ""}

    def _explained(self, subject: Subject, asked: Question) -> dict[str, AnyJson]:
        now = self.services.runtime.now()
        said = subject.decide(asked, now)
        rules = [_rule(*each) for each in considered(subject.grants, asked, now)]
        body = {"name": subject.name, "allowed": said.allowed, "reason": said.reason, "rules": rules}
        if subject.within is not None:
            body["owner"] = [_rule(*each) for each in considered(subject.within, asked, now)]
        return body

    async def _called(self, who: str, organization: str) -> list[Subject]:
        """A person of the organization, or programs of that name: never who is somebody elsewhere only."""
        store, now = self.services.store, self.services.runtime.now()
        tokens = [token for token in await store.read(TOKENS_OF, subject=who) if not token.account]
        near = [token for token in tokens if token.organization == organization and token.holds_at(now)]
        found = [await subject_for(store, token) for token in await reaching(store, near)]
        for account in await store.read(ACCOUNT_AT, email=who):
            one = await person(store, account)
            said = await store.read(ACCEPTANCES_BY, account=account.id)
            rows = await store.read(DECLARED_OF, refs=listed(each.ref for each in said)) if said else ()
            yes = {each.ref: each for each in said}
            near_by = [row for row in rows if row.organization == organization and not row.deleting]
            if one is not None and any(Member(row, yes[row.ref], account).accepted for row in near_by):
                found.append(one)
        return [_as_seen_by(organization, each) for each in found]

    async def _of_the_installation(self, now: float) -> list[Subject]:
        """Credentials that reach every organization; people who run the installation sign in with theirs."""
        rows = await self.services.store.read(TOKENS_OF_PEOPLE)
        every = [row for row in rows if not row.organization and not row.account and row.holds_at(now)]
        return [await subject_for(self.services.store, row) for row in every]

    def _asked(self, request: Request) -> Question:
        """What a query asks: `verb`, `key`, where, and about which object."""
        query = {**request.query_params, **request.path_params}
        verb, key = query.get("verb", ""), query.get("key", "")
        known = [each for each, _ in keys(self.services.kinds)]
        wrong = [] if verb in VERBS else [f"verb is one of {', '.join(VERBS)}, not {verb[:64]!r}"]
        wrong += [] if key in known else [f"key is one of those of /v1/permissions, not {key[:64]!r}"]
        if wrong:
            raise Refused(400, "bad_query", "; ".join(wrong))
        wanted: Verb = next(each for each in VERBS if each == verb)
        return Question(
            Permission(wanted, key), Scope(*(query.get(s, "") for s in SCOPES)), query.get("name", "")
        )


def _as_seen_by(organization: str, subject: Subject) -> Subject:
    """Without what they have elsewhere: that is for others to know."""
    near = tuple(each for each in subject.grants if each.binding.scope.organization in ("", organization))
    return replace(subject, grants=near)


def _rule(grant: Grant, obstacle: str) -> dict[str, AnyJson]:
    """One rule, and why it does not reach what was asked; nothing where it does."""
    rule, binding = grant.rule, grant.binding
    return {
        "role": binding.role,
        "scope": str(binding.scope),
        "effect": rule.effect,
        "verbs": list(rule.verbs),
        "keys": list(rule.keys),
        "reaches": not obstacle,
        "because": obstacle or "it reaches this",
    }
