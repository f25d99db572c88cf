"""Refusals as `application/problem+json`: what, where, why, and what to do next, all mistakes at once."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match

from setpoint.api.trace import known
from setpoint.engine.bounds import MISTAKES
from setpoint.engine.errors import Conflict, Denied, Failure, Missing, Mistake, Rejected, Transient

AnyJson = Any
NOT_FOUND: Final = 404
BUG: Final = 500
RETRYABLE: Final = (409, 412, 429, 503)
HEADERS: Final[Mapping[int, Mapping[str, str]]] = {
    401: {"WWW-Authenticate": "Bearer"},
    503: {"Retry-After": "2"},
}


class Refused(Exception):
    """An answer other than the five errors have: a status, a code, a sentence, and `more` for programs."""

    def __init__(
        self, status: int, code: str, detail: str, *, mistakes: tuple[Mistake, ...] = (), **more: AnyJson
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.mistakes = mistakes
        self.more = more


def problem(request: Request, refused: Refused, headers: Mapping[str, str] | None = None) -> Response:
    """One problem document, with the trace by which the log knows the request."""
    trace = known(request.scope)
    body: dict[str, AnyJson] = {
        "type": f"/docs/problems/{refused.code}",
        "title": refused.code.replace("_", " "),
        "status": refused.status,
        "code": refused.code,
        "detail": str(refused),
        "instance": request.url.path,
        "trace_id": trace.trace if trace else "",
        "retryable": refused.status in RETRYABLE,
        **refused.more,
    }
    if refused.mistakes:
        body["errors"] = [msgspec.to_builtins(mistake) for mistake in refused.mistakes[: MISTAKES.most]]
    later = {"Retry-After": str(wait)} if (wait := refused.more.get("retry_after")) else {}
    return Response(
        msgspec.json.encode(body),
        refused.status,
        headers={**HEADERS.get(refused.status, {}), **later, **(headers or {})},
        media_type="application/problem+json",
    )


def from_failure(error: Failure) -> Refused:
    """Which answer each of the five stands for."""
    match error:
        case Rejected():
            return _rejected(error)
        case Missing():
            return Refused(NOT_FOUND, "not_found", str(error))
        case Conflict():
            return Refused(409, "conflict", str(error))
        case Denied():
            return Refused(403, "denied", str(error))
        case Transient():
            return Refused(503, "unavailable", str(error), hint="try again; nothing was stored")


def _rejected(error: Rejected) -> Refused:
    """What is not theirs to declare is told apart from what cannot be declared."""
    if any(mistake.code == "forbidden" for mistake in error.mistakes):
        return Refused(403, "forbidden", str(error), mistakes=error.mistakes)
    return Refused(422, "invalid", str(error), mistakes=error.mistakes)


def refusal_of(request: Request, error: Exception) -> Response | None:
    """What an error is answered with; None for one that nobody meant."""
    match error:
        case Refused():
            return problem(request, error)
        case Rejected() | Missing() | Conflict() | Denied() | Transient():
            return problem(request, from_failure(error))
        case HTTPException():
            return _unserved(request, error.status_code)
        case _:
            return None


def bug(request: Request) -> Response:
    return problem(request, Refused(BUG, "internal", "something broke on our side; the log has the details"))


def _unserved(request: Request, status: int) -> Response:
    """No such address, or not that method there."""
    detail, hint = f"{request.method} {request.url.path} is not served", "see /openapi.json"
    if status == NOT_FOUND:
        return problem(request, Refused(status, "no_such_address", detail, hint=hint))
    refused = Refused(status, "method_not_allowed", detail, hint=hint)
    return problem(request, refused, {"Allow": ", ".join(_methods(request))})


def _methods(request: Request) -> list[str]:
    """What is served at this address: each method is a route of its own."""
    here = [route for route in request.app.routes if route.matches(request.scope)[0] is not Match.NONE]
    return sorted({method for route in here for method in route.methods})
