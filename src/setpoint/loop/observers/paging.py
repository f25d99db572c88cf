"""How a service says that its answer goes on on another page, and how that page is asked for."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Protocol
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit, urlunsplit

from setpoint.engine.errors import Rejected, Transient
from setpoint.loop.observers.fetch import Answer, AnyJson, same_place, shown

MOST_PAGES: Final = 10_000
_NEXT: Final = re.compile(r"<([^>]*)>(?:\s*;[^,]*)?;\s*rel=\"?[^\",]*\bnext\b", re.IGNORECASE)
_SIGNS: Final = (
    "next",
    "next_page",
    "next_page_token",
    "nextPageToken",
    "next_page_url",
    "next_cursor",
    "nextCursor",
    "nextLink",
    "@odata.nextLink",
    "has_more",
    "hasMore",
    "links.next",
    "_links.next",
    "paging.next",
    "pagination.next",
    "meta.next",
    "meta.pagination.next_page",
    "metadata.continue",
)
"""Where services tell that there is more, seen often enough to be believed without being asked."""


class Paging(Protocol):
    """From a page to the next one."""

    def after(self, answer: Answer, count: int) -> str | None:
        """The address of the page after this one, which held so many items; None: it was the last."""
        ...


@dataclass(frozen=True, slots=True)
class NextLink:
    """The body names the next page's address at `path`; missing, null or empty on the last page."""

    path: str = "next"

    def after(self, answer: Answer, count: int) -> str | None:
        link = at(answer.body, self.path)
        if link and not isinstance(link, str):
            raise Rejected(f"{self.path} of {shown(answer.url)} is {link!r}: not an address; try NextToken")
        return urljoin(answer.url, link) if link else None


@dataclass(frozen=True, slots=True)
class LinkHeader:
    """A `Link: <…>; rel="next"` header names the next page (RFC 8288)."""

    def after(self, answer: Answer, count: int) -> str | None:
        found = _NEXT.search(answer.headers.get("link", ""))
        return urljoin(answer.url, found[1]) if found else None


@dataclass(frozen=True, slots=True)
class NextToken:
    """The body holds a token or a number at `path`, which goes back as the query parameter `parameter`."""

    parameter: str
    path: str

    def after(self, answer: Answer, count: int) -> str | None:
        token = at(answer.body, self.path)
        if isinstance(token, bool | list | dict):
            raise Rejected(f"{self.path} of {shown(answer.url)} is {token!r}: not a token or a number")
        return _with(answer.url, self.parameter, str(token)) if token else None


@dataclass(frozen=True, slots=True)
class PageNumber:
    """Pages are counted; the last is the one whose number the body has at `last`, or the first empty one."""

    parameter: str = "page"
    first: int = 1
    last: str = ""

    def after(self, answer: Answer, count: int) -> str | None:
        number = int(dict(parse_qsl(urlsplit(answer.url).query)).get(self.parameter, self.first))
        if self.last:
            last = at(answer.body, self.last)
            if not isinstance(last, int) or isinstance(last, bool):
                raise Rejected(
                    f"{self.last} of {shown(answer.url)} is {last!r}: not the number of the last page"
                )
            ended = number >= last
        else:
            ended = not count
        return None if ended else _with(answer.url, self.parameter, str(number + 1))


@dataclass(frozen=True, slots=True)
class Unpaged:
    """One answer is all of it; one that says there is more is refused."""

    in_body: bool = True

    def after(self, answer: Answer, count: int) -> str | None:
        sign = next((s for s in _SIGNS if self.in_body and at(answer.body, s)), "")
        if sign or _NEXT.search(answer.headers.get("link", "")):
            where = f"{sign} = {at(answer.body, sign)!r}" if sign else "its Link header"
            raise Rejected(f"{shown(answer.url)} says that there is more ({where}): say how with next_page=…")
        return None


def pages(
    url: str, paging: Paging, ask: Callable[[str], Answer], count: Callable[[Answer], int]
) -> Iterator[Answer]:
    """Every page of a listing, up to one that the service itself calls the last."""
    first, asked = url, set[str]()
    while True:
        asked.add(url)
        answer = ask(url)
        yield answer
        following = paging.after(answer, count(answer))
        if following is None:
            return
        if following in asked or len(asked) == MOST_PAGES:
            raise Transient(f"{shown(first)} never comes to a last page: {len(asked)} pages were read")
        if not same_place(first, following):
            raise Rejected(f"{shown(first)} goes on elsewhere, at {shown(following)}: not followed")
        url = following


def at(body: AnyJson, path: str) -> AnyJson:
    """What a body holds at a dotted path, or None; a name that itself has a dot is tried first."""
    if not path:
        return body
    if not isinstance(body, dict):
        return None
    if path in body:
        return body[path]
    name, _, rest = path.partition(".")
    return at(body[name], rest) if rest and name in body else None


def _with(url: str, parameter: str, value: str) -> str:
    parts = urlsplit(url)
    query = [
        (name, held) for name, held in parse_qsl(parts.query, keep_blank_values=True) if name != parameter
    ]
    return urlunsplit(parts._replace(query=urlencode([*query, (parameter, value)])))
