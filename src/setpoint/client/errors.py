"""The two ways a call ends badly: nobody answered, or the answer was no."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

AnyJson = Any


@dataclass(frozen=True, slots=True)
class Mistake:
    """One thing wrong with what was sent; the pointer is a JSON pointer into the request."""

    pointer: str
    code: str
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """A refusal as the API words it."""

    status: int
    code: str
    detail: str
    hint: str = ""
    retryable: bool = False
    mistakes: tuple[Mistake, ...] = ()
    body: Mapping[str, AnyJson] = field(default_factory=dict)
    """The document as it came, for those who read JSON."""


class Unreachable(Exception):
    """No answer: nothing listens there, the connection broke, or it took too long."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"{url}: {reason}")
        self.url = url
        self.reason = reason


class Refused(Exception):
    """The API answered, and the answer was no."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem


def problem_of(status: int, body: AnyJson) -> Problem:
    """The problem document, or one made up for an answer that is none, such as a proxy's page."""
    if not isinstance(body, Mapping) or "detail" not in body:
        detail = f"the server answered {status} without saying why; is it really the API?"
        made_up = {"status": status, "code": "not_ours", "detail": detail}
        return Problem(status=status, code="not_ours", detail=detail, body=made_up)
    errors = body.get("errors") or ()
    return Problem(
        status=status,
        code=str(body.get("code", "")),
        detail=str(body["detail"]),
        hint=str(body.get("hint") or ""),
        retryable=bool(body.get("retryable")),
        mistakes=tuple(_mistake(error) for error in errors if isinstance(error, Mapping)),
        body=body,
    )


def _mistake(error: Mapping[str, AnyJson]) -> Mistake:
    return Mistake(*(str(error.get(key) or "") for key in ("pointer", "code", "message", "hint")))
