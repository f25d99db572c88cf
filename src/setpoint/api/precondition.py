"""What a request takes for granted about the object it changes: `If-Match` and `If-None-Match`."""

from dataclasses import dataclass
from typing import Final

from starlette.requests import Request

from setpoint.api.problem import Refused
from setpoint.engine.draft import etag
from setpoint.engine.entity import Declared

ANY: Final = "*"


@dataclass(frozen=True, slots=True)
class Precondition:
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
        current = None if known is None else {"etag": tag, "generation": known.generation}
        detail = "it was changed since it was read" if self.match else "it exists already"
        raise Refused(412, "stale", detail, hint="read it again and retry", current=current)


def precondition_of(request: Request) -> Precondition:
    return Precondition(
        match=_tags(request.headers.get("If-Match", "")),
        none_match=_tags(request.headers.get("If-None-Match", "")),
    )


def _tags(header: str) -> tuple[str, ...]:
    """A weak tag keeps its prefix, so it is never taken for a strong one."""
    return tuple(tag.strip().strip('"') for tag in header.split(",") if tag.strip())


def _among(tag: str | None, tags: tuple[str, ...]) -> bool:
    return tag is not None and (tag in tags or ANY in tags)
