"""What a page loaded and asked for, as the bars have it."""

from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Request, Response

from setpoint.api.console import FOLDER

from .browser import Watched

LARGEST = 200_000
FIRST_LOAD = 260_000
LATER_ROUTE = 120_000
ALONE = ("/v1/me", "/v1/me:can-i", "/v1/sessions/current")
"""Answers that are one thing, and no list."""


@dataclass(frozen=True)
class Asked:
    """One request to the API."""

    path: str
    query: dict[str, list[str]]

    @property
    def lists(self) -> bool:
        """Whether the answer is a list: of one object, a verb on it, or a count, it is not."""
        last = self.path.rsplit("/", 1)[-1]
        one = ":" in last or last in ("activity", "history")
        return self.path not in ALONE and not one and not self._is_one

    @property
    def _is_one(self) -> bool:
        """Parts of an address come in pairs; an odd one at the end is the name of a list."""
        return len(self.path.removeprefix("/v1/").split("/")) % 2 == 0


def asked(requests: list[Request]) -> list[Asked]:
    found = [urlsplit(each.url) for each in requests if each.method == "GET"]
    return [Asked(each.path, parse_qs(each.query)) for each in found if each.path.startswith("/v1/")]


def elsewhere(requests: list[Request], url: str) -> list[str]:
    return [each.url for each in requests if not each.url.startswith((url, "data:", "blob:"))]


def assets(requests: list[Request]) -> frozenset[str]:
    """Scripts and styles that were loaded."""
    paths = {urlsplit(each.url).path.removeprefix("/") for each in requests}
    ours = (path for path in paths if path.endswith((".js", ".css")))
    return frozenset(path for path in ours if (FOLDER / f"{path}.gz").exists())


def weight(paths: frozenset[str]) -> int:
    """As they are compressed with gzip, in bytes."""
    return sum((FOLDER / f"{path}.gz").stat().st_size for path in paths)


@dataclass
class Traffic:
    """What one page asked for and was answered with."""

    tab: Watched
    first: frozenset[str]
    """Scripts and styles that any page has loaded before."""
    responses: list[Response] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tab.page.on("response", lambda each: self.responses.append(each))  # noqa: PLW0108 - it marks it

    def begin(self) -> None:
        self.tab.requests.clear()
        self.responses.clear()

    def excesses(self) -> list[str]:
        """Lists without a size of page, what came from elsewhere, and what is too large."""
        requests = self.tab.requests
        unpaged = [each.path for each in asked(requests) if each.lists and "page_size" not in each.query]
        heavy = weight(assets(requests) - self.first)
        return [
            *(f"asks for {path} without page_size" for path in unpaged),
            *(f"comes from elsewhere: {each}" for each in elsewhere(requests, self.tab.url)),
            *(f"answers {size} bytes: {url}" for url, size in too_large(self.responses)),
            *([f"loads {heavy} bytes more"] if heavy > LATER_ROUTE else []),
        ]


def too_large(responses: list[Response]) -> list[tuple[str, int]]:
    """By what the answers say themselves: bodies of a page that was left cannot be read any more."""
    sizes = [
        (each.url, int(each.headers.get("content-length", 0))) for each in responses if "/v1/" in each.url
    ]
    return [(url, size) for url, size in sizes if size > LARGEST]
