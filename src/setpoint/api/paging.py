"""Pages: a size within bounds, an opaque token, and the filters every list knows."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct
from starlette.requests import Request

from setpoint.api.problem import Refused
from setpoint.engine.entity import AnyEntity
from setpoint.engine.errors import Mistake

AnyJson = Any
DEFAULT_SIZE: Final = 50
MAX_SIZE: Final = 500
MAX_BYTES: Final = 150_000
"""Of what may be large each, fewer come at a time."""
LONGEST_NUMBER: Final = 18
"""Digits of the longest number that fits in 64 bits whatever its digits are."""


class Page(Struct, frozen=True):
    """Which part of a list is wanted."""

    size: int
    after: str
    state: str
    labels: Mapping[str, str]

    @property
    def filtered(self) -> bool:
        return bool(self.state or self.labels)

    def wants(self, entity: AnyEntity) -> bool:
        """Whether the filters let it through."""
        labelled = all(entity.declared.labels.get(key) == value for key, value in self.labels.items())
        return labelled and self.state in ("", entity.status.state)


def page_of(request: Request, states: Iterable[str] = (), found: Sequence[Mistake] = ()) -> Page:
    """From `page_size`, `page_token`, `state` and `labels=a=b,c=d`; all mistakes in one refusal."""
    wrong: list[str] = []
    raw = request.query_params.get("page_size", str(DEFAULT_SIZE))
    size = number(raw) or 0
    if not 1 <= size <= MAX_SIZE:
        wrong.append(f"page_size must be a number from 1 to {MAX_SIZE}, not {raw[:64]!r}")
    pairs = [pair.partition("=") for pair in request.query_params.get("labels", "").split(",") if pair]
    wrong += [f"labels: {key!r} has no value; write {key}=value" for key, sign, _ in pairs if not sign]
    known = {state.upper(): state for state in states}
    state = request.query_params.get("state", "").upper()
    if state and known and state not in known:
        wrong.append(f"state is one of {', '.join(known)}, not {state[:64]!r}")
    check([*(Mistake(pointer="", code="bad_parameter", message=each) for each in wrong), *found])
    return Page(
        size=size,
        after=request.query_params.get("page_token", ""),
        state=known.get(state, ""),
        labels={key: value for key, _, value in pairs},
    )


def check(wrong: Sequence[Mistake]) -> None:
    """All that is wrong with a query, at once."""
    if wrong:
        raise Refused(400, "bad_query", "; ".join(each.message for each in wrong), mistakes=tuple(wrong))


def fitting(found: Iterable[AnyJson], room: int = MAX_BYTES) -> list[AnyJson]:
    """As many of these as fit into so many bytes of JSON; at least one, or nobody would come to the next."""
    kept: list[AnyJson] = []
    for each in found:
        room -= len(msgspec.json.encode(each))
        if room < 0 and kept:
            break
        kept.append(each)
    return kept


def revision_of(text: str, called: str) -> int:
    """A revision as a request names it; nothing is the beginning."""
    found = number(text or "0")
    if found is None:
        raise Refused(400, "bad_query", f"{called} is a revision number, not {text[:64]!r}")
    return found


def number(text: str) -> int | None:
    """A whole number in plain digits that the store can hold, or None."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER else None
