"""What the handlers share; each route is handed this and nothing global."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from starlette.requests import Request

from setpoint.access.permission import Permission, Subject, allowed, subject_of
from setpoint.api.drain import Drain
from setpoint.api.problem import Refused
from setpoint.api.validate import Validator
from setpoint.engine.declare import Declarer
from setpoint.engine.kind import Kinds
from setpoint.engine.limits import Limits
from setpoint.engine.pipeline import Pipeline
from setpoint.engine.rows import Token
from setpoint.engine.runtime import Runtime
from setpoint.engine.store import Store


@dataclass(frozen=True, slots=True)
class Services:
    """Everything a handler may use."""

    store: Store
    kinds: Kinds
    pipelines: Mapping[str, Pipeline]
    declarer: Declarer
    runtime: Runtime
    validators: Mapping[str, Validator]
    limits: Limits
    narrower: Mapping[str, Limits]
    """By kind, or `kind/name` for one object: where others are in force than `limits`."""
    intervals: Mapping[str, float]
    max_body_bytes: int
    hash_token: Callable[[str], str]
    new_secret: Callable[[], str]
    drain: Drain

    async def subject(self, request: Request, permission: Permission) -> Subject:
        """Who is asking, if they may. The one place where a route's permission is checked."""
        scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
        token = (
            await self.store.get(Token, self.hash_token(secret))
            if scheme.lower() == "bearer" and secret
            else None
        )
        if token is None:
            hint = "send Authorization: Bearer <token>; the administrator's is in the data folder"
            raise Refused(401, "unauthenticated", "no valid token was sent", hint=hint)
        subject = subject_of(token)
        if not allowed(subject, permission):
            detail = f"{subject.name} may not {permission.verb} {permission.key}"
            raise Refused(403, "forbidden", detail)
        return subject
