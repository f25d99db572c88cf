"""The frame of a page of the manual: plain HTML, one style sheet of our own, no script, nothing fetched."""

from collections.abc import Iterable
from html import escape
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from setpoint.api.markdown import Linked, html

POLICY: Final = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
STYLE: Final = """\
:root { color-scheme: light dark; --line: #8884; --soft: #8882; }
body { margin: 0 auto; max-width: 60rem; padding: 0 1rem 4rem; font: 1rem/1.55 system-ui, sans-serif; }
header { display: flex; gap: 1rem; align-items: center; flex-wrap: wrap; padding: 1rem 0;
  border-bottom: 1px solid var(--line); }
header form { margin-left: auto; }
header input { font: inherit; padding: .25rem .5rem; width: 14rem; max-width: 100%; }
h1, h2, h3 { line-height: 1.25; margin: 2rem 0 .5rem; }
pre { background: var(--soft); padding: .75rem; overflow-x: auto; border-radius: .25rem; }
code { font: .9em ui-monospace, monospace; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid var(--line); padding: .3rem .6rem; text-align: left; vertical-align: top; }
img { max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: .25rem; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); }
"""


def document(request: Request, text: str, linked: Linked = str, twin: str = "") -> Response:
    """Markdown for programs, HTML for browsers: whichever the caller asks for."""
    if "text/html" not in request.headers.get("Accept", ""):
        return markdown(text)
    title = text.partition("# ")[2].partition("\n")[0] or "Manual"
    return page(title, html(text, linked), twin)


def markdown(text: str) -> Response:
    return PlainTextResponse(text, media_type="text/markdown")


def page(title: str, body: str, twin: str = "", asked: str = "") -> Response:
    """A whole page; `body` is HTML already."""
    beside = f'<footer><a href="{escape(twin)}">This page as Markdown</a></footer>' if twin else ""
    found = f'<input type="search" name="q" value="{escape(asked)}" aria-label="Search the manual">'
    content = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)} · Setpoint</title>"
        '<link rel="stylesheet" href="/docs/style.css"></head>\n'
        '<body><header><a href="/docs">Setpoint</a>'
        f'<form action="/docs/search" role="search">{found}</form></header>\n'
        f"<main>\n{body}\n</main>{beside}</body></html>\n"
    )
    return HTMLResponse(content, headers={"Content-Security-Policy": POLICY, "Vary": "Accept"})


def listed(rows: Iterable[tuple[str, str, str]]) -> str:
    """Links with a sentence under each: where to, what it is called, what stands there."""
    return "\n".join(
        f'<p><a href="{escape(to)}">{escape(title)}</a><br>{escape(said)}</p>' for to, title, said in rows
    )
