"""The whole manual inside the product: every page as HTML and as Markdown, a search, a map for programs."""

import asyncio
import functools
import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from setpoint.api.layout import STYLE, listed, markdown, page
from setpoint.api.markdown import html, plain, sections
from setpoint.api.problem import Refused
from setpoint.api.served import Public

FOLDERS: Final = (Path(__file__).parent.parent / "manual", Path(__file__).parents[3] / "docs")
"""Where it is installed, and where it is written."""
SORTS: Final = {
    "tutorial": "Tutorial",
    "how-to": "How to",
    "explanation": "Explanation",
    "reference": "Reference",
}
SORT: Final = re.compile(r"\A---\nkind: ([\w-]+)\n")
WORD: Final = re.compile(r"\w+")
PICTURE: Final = ".png"
MOST_FOUND: Final = 20
LONGEST_QUERY: Final = 200
SHOWN: Final = 240
IN_TITLE, IN_HEADING = 20, 8


class Page(Struct, frozen=True):
    """One page as it was written."""

    name: str
    text: str

    @property
    def title(self) -> str:
        return plain(self.text.partition("\n# ")[2].partition("\n")[0])

    @property
    def sort(self) -> str:
        found = SORT.match(self.text)
        return found[1] if found else "reference"

    @property
    def about(self) -> str:
        """Its first paragraph, on one line."""
        first = self.text.partition("\n# ")[2].partition("\n\n")[2].partition("\n\n")[0]
        return " ".join(plain(first).split())

    @property
    def address(self) -> str:
        return "/docs" if self.name == "index" else f"/docs/{self.name}"

    def linked(self, to: str) -> str:
        """A link between pages as a browser follows it here."""
        path, sign, part = to.partition("#")
        if ":" in path or not path.endswith((".md", PICTURE)):
            return to
        there = posixpath.normpath(posixpath.join(posixpath.dirname(self.name), path))
        return f"/docs/{there.removesuffix('.md')}{sign}{part}"


def folder() -> Path | None:
    """Where the manual is, if it came along."""
    return next((each for each in FOLDERS if (each / "index.md").is_file()), None)


@functools.cache
def pictures() -> Mapping[str, bytes]:
    """Every picture there is, by name: few and small, so they are kept."""
    there = folder()
    if there is None:
        return {}
    return {file.relative_to(there).as_posix(): file.read_bytes() for file in there.rglob(f"*{PICTURE}")}


@functools.cache
def pages() -> Mapping[str, Page]:
    """Every page there is, by name."""
    there = folder()
    if there is None:
        return {}
    files = sorted(there.rglob("*.md"))
    names = (file.relative_to(there).as_posix().removesuffix(".md") for file in files)
    return {name: Page(name, file.read_text()) for name, file in zip(names, files, strict=True)}


def routes() -> Iterator[Public]:
    """They tell nothing about a tenant, so they need no token."""
    yield Public("/docs", home)
    yield Public("/docs/", home)
    yield Public("/docs/search", search)
    yield Public("/docs/style.css", style)
    yield Public("/docs/{page:path}", serve)
    yield Public("/llms.txt", for_programs)


async def home(request: Request) -> Response:
    """GET the first page of the manual, and a list of all others."""
    known = await asyncio.to_thread(pages)
    first = _known(known, "index")
    body = html(first.text, first.linked)
    for sort, title in SORTS.items():
        rows = [(each.address, each.title, _short(each.about)) for each in _sorted(known, sort)]
        body += f"\n<h2>{title}</h2>\n{listed(rows)}"
    return page("Manual", body, "/docs/index.md")


async def serve(request: Request) -> Response:
    """GET one page as HTML; with .md at the end, as it was written; or a picture of one."""
    name = request.path_params["page"].rstrip("/")
    if drawn := (await asyncio.to_thread(pictures)).get(name):
        return Response(drawn, media_type="image/png", headers={"Cache-Control": "max-age=3600"})
    known = await asyncio.to_thread(pages)
    if name.endswith(".md"):
        return markdown(_known(known, name.removesuffix(".md")).text)
    found = _known(known, name)
    return page(found.title, html(found.text, found.linked), f"/docs/{found.name}.md")


async def search(request: Request) -> Response:
    """GET the parts of pages in which all words of `q` stand, best first."""
    asked = request.query_params.get("q", "")[:LONGEST_QUERY]
    found = list(hits(await asyncio.to_thread(pages), asked)) if asked.strip() else []
    words = f"{len(found)} found" if found else "Nothing found" if asked.strip() else "Search the manual"
    return page("Search", f"<h1>{words}</h1>\n{listed(found)}", asked=asked)


def hits(known: Mapping[str, Page], asked: str) -> Iterator[tuple[str, str, str]]:
    """Where to, what it is called, and what stands there."""
    wanted = [word.lower() for word in WORD.findall(asked)]
    scored = [
        (_score(wanted, each.title, part.heading, part.text), each, part)
        for each in known.values()
        for part in sections(each.text)
    ]
    best = sorted((each for each in scored if each[0]), key=lambda each: (-each[0], each[1].name))
    for _, each, part in best[:MOST_FOUND]:
        title = each.title if part.heading == each.title else f"{each.title}: {part.heading}"
        yield f"{each.address}#{part.anchor}", title, _around(part.text, wanted)


async def style(request: Request) -> Response:
    """GET how pages look."""
    return PlainTextResponse(STYLE, media_type="text/css")


async def for_programs(request: Request) -> Response:
    """GET a map of the manual for programs that read: every page as Markdown, with a sentence."""
    known = await asyncio.to_thread(pages)
    parts = ["# Setpoint", f"> {_known(known, 'index').about}"]
    for sort, title in SORTS.items():
        lines = [
            f"- [{each.title}](/docs/{each.name}.md): {_short(each.about)}" for each in _sorted(known, sort)
        ]
        parts += [f"## {title}", "\n".join(lines)]
    parts += ["## Contract", "- [OpenAPI](/openapi.json): every route, body and answer"]
    return PlainTextResponse("\n\n".join(parts) + "\n")


def _known(known: Mapping[str, Page], name: str) -> Page:
    found = known.get(name) or known.get(f"{name}/README")
    if found is None:
        hint = "GET /docs lists them" if known else "this installation was made without its manual"
        raise Refused(404, "no_such_address", f"there is no page {name[:64]!r} in the manual", hint=hint)
    return found


def _sorted(known: Mapping[str, Page], sort: str) -> list[Page]:
    return sorted((each for each in known.values() if each.sort == sort), key=lambda each: each.title)


def _score(wanted: list[str], title: str, heading: str, text: str) -> int:
    """Nothing unless every word stands there; more for what a page or a part is called."""
    own, above, page = (Counter(WORD.findall(each.lower())) for each in (text, heading, title))
    counts = [min(own[w], 5) + IN_HEADING * above[w] + IN_TITLE * page[w] for w in wanted]
    return sum(counts) if counts and all(counts) and any(own[w] or above[w] for w in wanted) else 0


def _around(text: str, wanted: list[str]) -> str:
    """The words around the first that was asked for."""
    flat = " ".join(plain(text).split())
    places = [at for word in wanted if (at := flat.lower().find(word)) >= 0]
    start = max(0, min(places, default=0) - SHOWN // 3)
    return ("…" if start else "") + flat[start : start + SHOWN]


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
