"""What a request takes for granted: about the object it changes, or about what its sender has seen already.

A tag is what was declared, a dot, and all that was shown. Edits go by the first part: a status that moved
makes no edit stale. Reads go by the whole.
"""

from typing import Final

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from setpoint.api.headers import sent_as
from setpoint.api.problem import Refused
from setpoint.api.render import Ready, moment, tag_of
from setpoint.engine.draft import etag
from setpoint.engine.entity import Declared
from setpoint.engine.kind import Kind
from setpoint.words import add_article

ANY: Final = "*"
OK: Final = 200


class Precondition(Struct, frozen=True):
    """Versions by their tags; none means that anything goes."""

    match: tuple[str, ...] = ()
    none_match: tuple[str, ...] = ()

    @property
    def given(self) -> bool:
        return bool(self.match or self.none_match)

    def check(self, known: Declared | None) -> None:
        """Refuses unless it holds for what is there now."""
        tag = etag(known) if known is not None else None
        fits = not self.match or _among(tag, self.match)
        if fits and not _among(tag, self.none_match):
            return
        current = None if known is None else _version(known)
        detail = "it was changed since it was read" if self.match else "it exists already"
        raise Refused(412, "stale", detail, hint="read it again and retry", current=current)

    def demand(self, kind: Kind, known: Declared | None) -> None:
        """Refuses a change of what is there that does not say which version it is about."""
        if kind.exact and known is not None and not self.given:
            sort = add_article(kind.name)
            detail = f"{sort} is changed only with If-Match: others may change it at the same time"
            hint = "read it, and send back its ETag as If-Match"
            raise Refused(428, "needs_match", detail, hint=hint, current=_version(known))
        self.check(known)


def precondition_of(request: Request) -> Precondition:
    return Precondition(
        match=_declared(_tags(request.headers.get("If-Match", ""))),
        none_match=_declared(_tags(request.headers.get("If-None-Match", ""))),
    )


def conditional(request: Request, response: Response) -> Response:
    """What was read, with a tag of its own; nothing but the tag for whoever has it already."""
    if request.method not in ("GET", "HEAD") or response.status_code != OK or streams(response):
        return response
    tag = _tag(response)
    asked = sent_as(b"if-none-match", request.scope)
    if not asked:
        return response
    seen = tuple(each.removeprefix('W/"') for each in _tags(asked))
    if not _among(tag, seen):
        return response
    kept = {name: value for name, value in response.headers.items() if name in ("etag", "cache-control")}
    return Response(status_code=304, headers=kept)


def _tag(response: Response) -> str:
    """The one it has, or gets."""
    if isinstance(response, Ready):
        return response.tag
    return response.headers.setdefault("ETag", f'"{tag_of(bytes(response.body))}"').strip('"')


def streams(response: Response) -> bool:
    return isinstance(response, StreamingResponse)


def _version(known: Declared) -> dict[str, str | int | None]:
    """What there is now, for whoever wants to decide anew."""
    return {
        "etag": etag(known),
        "generation": known.generation,
        "changed_by": known.changed_by,
        "changed_at": moment(known.changed_at),
    }


def _declared(tags: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(tag.partition(".")[0] for tag in tags)


def _tags(header: str) -> tuple[str, ...]:
    """A weak tag keeps its prefix, so it is never taken for a strong one."""
    return tuple(tag.strip().strip('"') for tag in header.split(",") if tag.strip())


def _among(tag: str | None, tags: tuple[str, ...]) -> bool:
    return tag is not None and (tag in tags or ANY in tags)
