"""Refusals as `application/problem+json`: what, where, why, and what to do next, all mistakes at once."""

from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from setpoint.engine.errors import FAILURES, Conflict, Denied, Failure, Missing, Mistake, Rejected, Transient

AnyJson = Any


class Refused(Exception):
    """An answer other than the five errors have: a status, a code and a sentence."""

    def __init__(self, status: int, code: str, detail: str, *, hint: str = "") -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.hint = hint


def problem(
    status: int, code: str, detail: str, *, hint: str = "", mistakes: tuple[Mistake, ...] = ()
) -> Response:
    """One problem document."""
    body: dict[str, AnyJson] = {
        "type": f"https://setpoint.dev/problems/{code}",
        "title": code.replace("_", " "),
        "status": status,
        "code": code,
        "detail": detail,
        "retryable": status in (409, 412, 429, 503),
    }
    if hint:
        body["hint"] = hint
    if mistakes:
        body["errors"] = [msgspec.to_builtins(mistake) for mistake in mistakes]
    headers: Mapping[str, str] = {"Retry-After": "2"} if status == 503 else {}  # noqa: PLR2004
    return Response(
        msgspec.json.encode(body), status, headers=dict(headers), media_type="application/problem+json"
    )


def from_failure(error: Failure) -> Response:
    """Which answer each of the five stands for."""
    match error:
        case Rejected():
            return problem(422, "invalid", str(error), mistakes=error.mistakes)
        case Missing():
            return problem(404, "not_found", str(error))
        case Conflict():
            return problem(409, "conflict", str(error))
        case Denied():
            return problem(403, "denied", str(error))
        case Transient():
            return problem(503, "unavailable", str(error), hint="try again; nothing was stored")


async def on_failure(request: Request, error: Exception) -> Response:
    if not isinstance(error, FAILURES):
        raise error
    return from_failure(error)


async def on_refused(request: Request, error: Exception) -> Response:
    if not isinstance(error, Refused):
        raise error
    return problem(error.status, error.code, str(error), hint=error.hint)


async def on_http(request: Request, error: Exception) -> Response:
    """No such address, or not that method there."""
    status = getattr(error, "status_code", 404)
    code = "no_such_address" if status == 404 else "method_not_allowed"  # noqa: PLR2004
    return problem(
        status, code, f"{request.method} {request.url.path} is not served", hint="see /openapi.json"
    )


async def on_bug(request: Request, error: Exception) -> Response:
    return problem(500, "internal", "something broke on our side; the log has the details")
