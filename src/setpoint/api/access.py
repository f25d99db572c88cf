"""Who may do what, asked for oneself and about others, with the rule that decides."""

from dataclasses import dataclass
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.decision import Question, decide
from setpoint.access.permission import VERBS, Permission, Verb, keys
from setpoint.access.role import SEEDED
from setpoint.access.subject import Subject
from setpoint.api.identity import subject_for
from setpoint.api.problem import Refused
from setpoint.api.render import answer
from setpoint.api.services import Services
from setpoint.api.validate import SCOPES
from setpoint.engine.entity import Scope
from setpoint.engine.store import TOKENS_OF_PEOPLE

AnyJson = Any


@dataclass(frozen=True, slots=True)
class Access:
    """Answers come from the same function that decides."""

    services: Services

    async def me(self, request: Request, subject: Subject) -> Response:
        """GET who the credential says you are, and the roles it gives."""
        bindings = dict.fromkeys(grant.binding for grant in subject.grants)
        roles = [{"role": each.role, "scope": str(each.scope)} for each in bindings]
        return answer({"name": subject.name, "roles": roles})

    async def can_i(self, request: Request, subject: Subject) -> Response:
        """GET whether you may: `verb`, `key`, and where: organization, project, workspace, name."""
        asked = self._asked(request)
        said = decide(subject.grants, asked, self.services.runtime.now())
        return answer({"allowed": said.allowed, "reason": said.reason})

    async def who_can(self, request: Request, subject: Subject) -> Response:
        """GET everybody of the organization who may, each with the rule that says so."""
        asked, now = self._asked(request), self.services.runtime.now()
        found: dict[str, str] = {}
        for token in await self.services.store.read(TOKENS_OF_PEOPLE):
            said = decide((await subject_for(self.services.store, token)).grants, asked, now)
            if said.allowed and token.holds_at(now) and token.organization in ("", asked.scope.organization):
                found.setdefault(token.subject, said.reason)
        items = [{"name": name, "reason": reason} for name, reason in sorted(found.items())]
        return answer({"items": items, "next_page_token": ""})

    async def roles(self, request: Request, subject: Subject) -> Response:
        """GET the roles there are, with their rules."""
        return answer({"items": [msgspec.to_builtins(role) for role in SEEDED], "next_page_token": ""})

    async def permissions(self, request: Request, subject: Subject) -> Response:
        """GET every key that a rule can speak of, and the verbs."""
        items = [{"key": key, "about": about} for key, about in keys(self.services.kinds)]
        return answer({"verbs": list(VERBS), "items": items, "next_page_token": ""})

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
