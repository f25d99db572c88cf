"""Routes as they are served: each says what it demands, and nobody reaches its handler without that."""

from collections.abc import Awaitable, Callable, Iterable
from functools import wraps
from typing import Literal

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from setpoint.access.decision import Decision
from setpoint.access.permission import Permission, Verb, keys
from setpoint.access.rule import ALONE
from setpoint.access.subject import DEEPEST, RUNS_IT, Subject
from setpoint.api.beginning import EARLIER
from setpoint.api.credentials import Credentials, check_fresh
from setpoint.api.deprecation import Deprecated
from setpoint.api.headers import raw
from setpoint.api.idempotency import Again, Once
from setpoint.api.identity import subject_for
from setpoint.api.late_route import LateRoute
from setpoint.api.precondition import conditional
from setpoint.api.problem import Refused
from setpoint.api.services import Services
from setpoint.api.trace import HEADERS
from setpoint.api.validate import SCOPES
from setpoint.engine.entity import Scope
from setpoint.engine.kind import Kind, Kinds
from setpoint.engine.store import TENANT
from setpoint.engine.token import Token

How = Literal["here", "within", "each"]
"""Asked of the very object at the address; of anything that lies there; or by the handler, one by one."""
Open = Callable[[Request], Awaitable[Response]]
Handler = Callable[[Request, Subject], Awaitable[Response]]


class Place(Struct, frozen=True):
    """What a request is about."""

    scope: Scope
    name: str = ""


def place_of(request: Request) -> Place:
    """As the address has it."""
    params = request.path_params
    return Place(Scope(*(params.get(part, "") for part in SCOPES)), params.get("name", ""))


def nothing_there(request: Request) -> Refused:
    """The same words for what is not there and for what is not theirs to see."""
    return Refused(404, "not_found", f"there is nothing at {request.url.path}")


class Demand(Struct, frozen=True):
    """A permission, and of what it is asked."""

    permission: Permission
    how: How = "here"
    place: Callable[[Request], Place] = place_of
    missing: Callable[[Request], Refused] = nothing_there
    deepest: int = DEEPEST
    """How deep the objects lie that `within` asks about."""


def demand(verb: Verb, key: str, how: How = "here") -> Demand:
    return Demand(Permission(verb, key), how)


class Served(Struct, frozen=True):
    """One route. `body` is the kind whose declaration it takes, where it takes one."""

    path: str
    handler: Handler
    demand: Demand
    method: str = "GET"
    body: Kind | None = None
    again: Again | None = None
    """Makes the answer anew, for a request that took effect and is sent once more."""
    lists: bool = False  # Whether it takes what lists of objects take.
    deprecated: Deprecated | None = None
    dry: bool = False
    """Whether `dry_run=true` asks what it would do; elsewhere it is refused, never overlooked."""
    secret: bool = False
    """Whether the answer holds something that is shown once, and so is kept nowhere."""
    fresh: bool = False
    """Whether a session must have been confirmed a moment ago."""


class Public(Struct, frozen=True):
    """A route that answers without a token."""

    path: str
    handler: Open
    method: str = "GET"


def check_demands(kinds: Kinds, served: Iterable[Served]) -> None:
    """A route that demands what nobody can be given would be shut for ever, or was misspelt."""
    known = frozenset(key for key, _ in keys(kinds))
    for each in served:
        if each.demand.permission.key not in known:
            raise ValueError(f"{each.method} {each.path} demands {each.demand.permission}, which is no key")


class Gate(Struct, frozen=True):
    """The one place where a route's permission is checked."""

    services: Services

    def route(self, served: Served) -> Route:
        handler, demand = served.handler, served.demand
        gone = raw(served.deprecated.headers) if served.deprecated else ()
        # What must be confirmed anew may answer with what is shown once.
        once = Once(self.services, handler, served.again, served.secret or served.fresh)
        credentials = Credentials(self.services)
        # What a machine of the fleet says, no browser says for it.
        cookies = demand.permission.key not in ALONE

        @wraps(handler)
        async def endpoint(request: Request) -> Response:
            TENANT.set("")  # Who somebody is may lie in any organization.
            token = await credentials.shown(request, cookies=cookies)
            self._limit(request, token, demand)
            if gone:
                request.scope[HEADERS] = [*request.scope.get(HEADERS, ()), *gone]
            if served.fresh:
                check_fresh(token, self.services.runtime.now())
            subject = await subject_for(self.services.store, token)
            request.scope["setpoint.who"] = subject.name
            if demand.how != "each":
                self._check(request, subject, demand)
            EARLIER.set(subject.decide(RUNS_IT, self.services.runtime.now()).allowed)
            # Never taken back: a stream goes on reading after its handler has returned.
            TENANT.set(request.path_params.get("organization", ""))
            _check_dry(request, served)
            return conditional(request, await once.answer(request, subject))

        return LateRoute(served.path, endpoint, served.method)

    def _limit(self, request: Request, token: Token, demand: Demand) -> None:
        """Heartbeats are counted by nobody: a fleet that comes back is not to be kept out."""
        if demand.permission.key in ALONE:
            return
        taken = self.services.rates.take(token)
        request.scope[HEADERS] = taken.headers
        if taken.refused is not None:
            raise taken.refused

    def _check(self, request: Request, subject: Subject, demand: Demand) -> None:
        place, now = demand.place(request), self.services.runtime.now()
        if demand.how == "within":
            if subject.may_somewhere(demand.permission, place.scope, now, demand.deepest):
                return
            decision = Decision(allowed=False)
        else:
            decision = subject.may(demand.permission, place.scope, now, place.name)
        if not decision.allowed:
            raise refusal(subject, demand, request, decision, now)


def _check_dry(request: Request, served: Served) -> None:
    if served.method == "GET" or not request.scope["query_string"]:
        return
    asked = request.query_params.get("dry_run")
    if asked is None:
        return
    if asked not in ("true", "1", "false", "0"):
        raise Refused(400, "bad_query", f"dry_run is true or false, not {asked[:64]!r}")
    if not served.dry and asked in ("true", "1"):
        detail = f"{request.method} {request.url.path} cannot be tried: it changes no declaration"
        raise Refused(400, "no_dry_run", detail, hint="leave dry_run out; nothing was done")


def refusal(subject: Subject, demand: Demand, request: Request, decision: Decision, now: float) -> Refused:
    """A refusal says so to everybody with a role here, whether or not the object is there.

    To everybody else it says what they would hear if nothing were there.
    """
    place, permission = demand.place(request), demand.permission
    if not subject.belongs(place.scope, now):
        return demand.missing(request)
    where = f" in {place.scope}" if place.scope != Scope() else ""
    detail = f"{subject.name} may not {permission} {place.name}".rstrip() + f"{where}: {decision.reason}"
    return Refused(403, "forbidden", detail, hint=f"setpoint can-i {permission.verb} {permission.key}")
