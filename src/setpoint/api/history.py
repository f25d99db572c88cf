"""What an object was declared as, generation by generation: who changed what, and when."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from setpoint.api.paging import fitting, page_of, revision_of
from setpoint.api.render import answer, moment
from setpoint.engine.request import Past

AnyJson = Any
MOST_CHANGES: Final = 200
ABSENT: Final = object()


def history_page(request: Request, pasts: Sequence[Past]) -> Response:
    """Newest first; a token is the generation that the page before ended with."""
    asked = page_of(request)
    below = revision_of(asked.after, "page_token")
    left = [each for each in shown_history(pasts) if not below or each["generation"] < below]
    items = fitting(left[: asked.size])
    more = str(items[-1]["generation"]) if len(items) < len(left) else ""
    return answer({"items": items, "next_page_token": more})


def shown_history(pasts: Sequence[Past]) -> list[dict[str, AnyJson]]:
    """Newest first, each with what it changed of the one before; the oldest that is kept changes nothing."""
    before = [*pasts[1:], None]
    return [_shown(past, earlier) for past, earlier in zip(pasts, before, strict=True)]


def _shown(past: Past, before: Past | None) -> dict[str, AnyJson]:
    changed = list(changes(_whole(before), _whole(past))) if before is not None else []
    return {
        "generation": past.generation,
        "verb": past.verb,
        "by": past.by,
        "at": moment(past.at),
        "spec": past.spec,
        "labels": past.labels,
        "protected": past.protected,
        "changed": changed[:MOST_CHANGES],
    }


def _whole(past: Past) -> dict[str, AnyJson]:
    return {"spec": past.spec, "labels": past.labels, "protected": past.protected}


def changes(before: AnyJson, after: AnyJson, path: str = "") -> Iterator[dict[str, AnyJson]]:
    """Field by field; a list is one value."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in sorted({*before, *after}):
            inner = f"{path}.{key}" if path else key
            yield from changes(before.get(key, ABSENT), after.get(key, ABSENT), inner)
    elif before != after:
        values = {"before": before, "after": after}
        yield {"field": path, **{key: value for key, value in values.items() if value is not ABSENT}}
