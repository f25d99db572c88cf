"""Pages: a size within bounds, an opaque token, and the filters every list knows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from starlette.requests import Request

from setpoint.api.problem import Refused

DEFAULT_SIZE: Final = 50
MAX_SIZE: Final = 500


@dataclass(frozen=True, slots=True)
class Page:
    """Which part of a list is wanted."""

    size: int
    after: str
    state: str
    labels: Mapping[str, str]


def page_of(request: Request) -> Page:
    """From `page_size`, `page_token`, `state` and `labels=a=b,c=d`; all mistakes in one refusal."""
    wrong: list[str] = []
    raw = request.query_params.get("page_size", str(DEFAULT_SIZE))
    size = int(raw) if raw.isdigit() else 0
    if not 1 <= size <= MAX_SIZE:
        wrong.append(f"page_size must be a number from 1 to {MAX_SIZE}, not {raw!r}")
    pairs = [pair.partition("=") for pair in request.query_params.get("labels", "").split(",") if pair]
    wrong += [f"labels: {key!r} has no value; write {key}=value" for key, sign, _ in pairs if not sign]
    if wrong:
        raise Refused(400, "bad_query", "; ".join(wrong))
    return Page(
        size=size,
        after=request.query_params.get("page_token", ""),
        state=request.query_params.get("state", "").upper(),
        labels={key: value for key, _, value in pairs},
    )
