"""The manual as it is served: every page, every link, a search, and nothing from anywhere else."""

import re
import tomllib
from html.parser import HTMLParser
from pathlib import Path

import pytest

from setpoint.api.manual import hits, pages, pictures
from setpoint.api.markdown import html, sections

from .kit import Api

pytestmark = pytest.mark.asyncio(loop_scope="module")

ROOT = Path(__file__).parent.parent.parent
FILES = sorted((ROOT / "docs").rglob("*.md"))
BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


class Read(HTMLParser):
    """What a browser would fetch and follow, and which parts can be linked to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.parts: set[str] = set()
        self.tags: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {key: value or "" for key, value in attrs}
        self.tags.add(tag)
        self.parts |= {named["id"]} if "id" in named else set()
        if tag == "a":
            self.links.append(named["href"])
        self.fetched += [named[key] for key in ("src", "href", "action") if key in named and tag != "a"]


async def test_every_page_is_served_and_so_is_what_it_was_written_as(shared: Api) -> None:
    for file in FILES:
        name = file.relative_to(ROOT / "docs").as_posix()
        twin = await shared.get(f"/docs/{name}")
        assert (twin.status, twin.headers["Content-Type"]) == (200, "text/markdown; charset=utf-8")
        assert twin.raw == file.read_bytes()
        shown = await shared.get(f"/docs/{name.removesuffix('.md')}")
        assert (shown.status, shown.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
        title = next(sections(file.read_text())).heading
        assert f">{title}</h1>" in re.sub(r"</?code>", "", shown.raw.decode())


async def test_every_link_of_every_page_leads_somewhere(shared: Api) -> None:
    seen: dict[str, Read] = {}
    waiting = ["/docs"]
    while waiting:
        address = waiting.pop()
        answer = await shared.get(address, headers=BROWSER)
        assert answer.status == 200, address
        if answer.headers["Content-Type"].startswith("text/html"):
            seen[address] = Read(answer.raw.decode())
            to = {link.partition("#")[0] for link in seen[address].links if link.startswith("/")}
            waiting += sorted(to - seen.keys() - set(waiting) - {""})
        else:
            seen[address] = Read("")
    assert len([each for each in seen if not each.endswith(".md")]) >= len(FILES)
    for address, found in seen.items():
        for link in found.links:
            there, sign, part = link.partition("#")
            assert not sign or part in seen[there or address].parts, f"{address}: {link}"
            assert not link.startswith("."), f"{address}: {link}"


async def test_nothing_comes_from_anywhere_else(shared: Api) -> None:
    for page in pages().values():
        answer = await shared.get(page.address)
        found = Read(answer.raw.decode())
        drawn = {f"/docs/{name}" for name in pictures()}
        fetched = {each.partition("?")[0] for each in found.fetched}
        assert fetched <= {"/docs/style.css", "/docs/search"} | drawn
        assert not found.tags & {"script", "iframe", "object", "style"}
        policy = answer.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'")
        assert "unsafe" not in policy
        assert "http" not in policy
    style = await shared.get("/docs/style.css")
    assert (style.status, style.headers["Content-Type"]) == (200, "text/css; charset=utf-8")
    assert "url(" not in style.raw.decode()


async def test_a_slash_at_the_end_changes_nothing(shared: Api) -> None:
    for path in ("/docs", "/docs/how-to/use-the-console"):
        plain, slashed = await shared.get(path), await shared.get(f"{path}/")
        assert (slashed.status, slashed.raw) == (200, plain.raw)


async def test_the_pictures_of_a_page_are_served_and_small(shared: Api) -> None:
    assert pictures()
    for name, drawn in pictures().items():
        answer = await shared.get(f"/docs/{name}")
        assert (answer.status, answer.headers["Content-Type"], answer.raw) == (200, "image/png", drawn)
        assert len(drawn) <= 150_000, name
    shown = await shared.get("/docs/how-to/use-the-console")
    assert '<img src="/docs/images/now.png" alt="' in shown.raw.decode()


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ("second factor", "/docs/how-to/sign-in#"),
        ("approve held plan", "/docs/how-to/approve-a-held-plan#"),
        ("setpoint_pass_duration_seconds", "/docs/reference/metrics#"),
        ("step_up", "/docs/reference/error-codes#step_up"),
    ],
)
async def test_a_search_finds_the_part_that_says_it(shared: Api, asked: str, first: str) -> None:
    found = Read((await shared.get("/docs/search", params={"q": asked})).raw.decode())
    assert found.links[1].startswith(first), found.links[:5]


async def test_a_search_for_nothing_finds_nothing_and_shows_what_was_asked_as_text(shared: Api) -> None:
    for asked in ("", "  ", "zzzzzz", '"><script>alert(1)</script>', "x" * 5000):
        answer = await shared.get("/docs/search", params={"q": asked})
        assert answer.status == 200
        assert "script" not in Read(answer.raw.decode()).tags
    assert list(hits(pages(), "zzzzzz guard")) == []


async def test_programs_find_every_page_by_a_map(shared: Api) -> None:
    answer = await shared.get("/llms.txt")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    text = answer.raw.decode()
    assert text.startswith("# Setpoint\n\n> Setpoint holds things at what you declare.")
    listed = set(re.findall(r"\]\(/docs/(.*?)\)", text))
    assert listed == {file.relative_to(ROOT / "docs").as_posix() for file in FILES}


@pytest.mark.parametrize(
    "path", ["none", "how-to/none.md", "%2e%2e/pyproject.toml", "..%2f..%2fetc%2fpasswd"]
)
async def test_what_is_no_page_is_refused(shared: Api, path: str) -> None:
    refused = await shared.get(f"/docs/{path}")
    assert (refused.status, refused.body["code"]) == (404, "no_such_address")


async def test_a_browser_reads_what_a_refusal_points_at(shared: Api) -> None:
    for path in ("/docs/problems", "/docs/problems/step_up", "/docs/kinds/host"):
        shown = await shared.get(path, headers=BROWSER)
        assert shown.headers["Content-Type"] == "text/html; charset=utf-8"
        assert shown.headers["Vary"] == "Accept"
        assert (await shared.get(path)).headers["Content-Type"] == "text/markdown; charset=utf-8"


async def test_the_manual_goes_with_the_product() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["force-include"] == {"docs": "setpoint/manual"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("# A <b> & `c<d>`", '<h1 id="a-b-cd">A &lt;b&gt; &amp; <code>c&lt;d&gt;</code></h1>'),
        ("one\ntwo", "<p>one two</p>"),
        ("**a** *b* [c](d.md#e)", '<p><strong>a</strong> <em>b</em> <a href="d.md#e">c</a></p>'),
        ('[x](javascript:"><x)', '<p><a href="javascript:&quot;&gt;&lt;x">x</a></p>'),
        ("- a\n  b\n- c", "<ul><li>a b</li><li>c</li></ul>"),
        ("1. a\n\n   ```\n   x < y\n   ```\n2. b", None),
        ("| a | b |\n| --- | --- |\n| `x\\|y` | 2 |", None),
        ("```python\n# no heading\n```", "<pre><code># no heading</code></pre>"),
        ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"),
        ("---\nkind: how-to\n---\n\n# T", '<h1 id="t">T</h1>'),
    ],
)
async def test_markdown_becomes_html_and_nothing_else(text: str, shown: str | None) -> None:
    assert html(text) == (shown or html(text))
    if "x < y" in text:
        assert html(text) == "<ol><li>a\n<pre><code>x &lt; y</code></pre></li><li>b</li></ol>"
    if "| a |" in text:
        assert "<td><code>x|y</code></td><td>2</td>" in html(text)
