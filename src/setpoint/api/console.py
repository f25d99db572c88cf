"""The console as files: compressed when it was built, with a policy that lets nothing in from elsewhere."""

import asyncio
import hashlib
import mimetypes
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from setpoint.api.served import Public

FOLDER: Final = Path(__file__).parent.parent / "console"
PAGE: Final = "index.html"
PACKED: Final = {"br": ".br", "gzip": ".gz"}
"""By what a browser takes, best first: the ending of the file beside."""
FOREVER: Final = "public, max-age=31536000, immutable"
EVERY_TIME: Final = "no-cache"
POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "worker-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
NOT_PAGES: Final = ("/v1/", "/docs/", "/schemas/", "/assets/")
ABSENT: Final = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>Setpoint</title>"
    "<h1>Setpoint is running, its console is not built</h1>"
    "<p>Build it with <code>make console</code> and start again; it needs Node 20.19 or newer and npm."
    "<p>Everything else works without it: <code>setpoint get all</code>, and the API under <code>/v1</code>."
)


class Asset(Struct, frozen=True):
    """One file, as it is and as it was compressed."""

    raw: bytes
    packed: dict[str, bytes]
    type: str
    tag: str


Assets = dict[str, Asset]


@cache
def assets_in(folder: Path) -> Assets:
    """What was built, by its path; nothing where nothing was."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.name.startswith(".")]
    bodies = {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
    return {
        name: Asset(
            raw=raw,
            packed={how: bodies[name + end] for how, end in PACKED.items() if name + end in bodies},
            type=mimetypes.guess_type(name)[0] or "application/octet-stream",
            tag=f'"{hashlib.blake2b(raw, digest_size=12).hexdigest()}"',
        )
        for name, raw in bodies.items()
        if not name.endswith(tuple(PACKED.values()))
    }


def routes() -> Iterator[Public]:
    yield Public("/", page)
    yield Public("/setpoint.svg", asset)
    yield Public("/assets/{name:path}", asset)


async def page(request: Request) -> Response:
    """GET the page: whatever the address, the same first file."""
    assets = await asyncio.to_thread(assets_in, FOLDER)
    if PAGE not in assets:
        return Response(ABSENT, media_type="text/html")
    return answered(request, assets[PAGE], EVERY_TIME)


async def asset(request: Request) -> Response:
    """GET a file that the page needs; its name changes with its content, so it is kept for ever."""
    assets = await asyncio.to_thread(assets_in, FOLDER)
    name = request.url.path.removeprefix("/")
    if name not in assets:
        raise HTTPException(404)
    return answered(request, assets[name], FOREVER if name.startswith("assets/") else EVERY_TIME)


async def lost(request: Request) -> Response | None:
    """For an address that no route knows: a page of the console, where a browser asks for one."""
    return await page(request) if is_page(request) else None


def is_page(request: Request) -> bool:
    """Whether somebody opened an address in a browser, and not a file or a route that is not there."""
    path = request.url.path
    wanted = "text/html" in request.headers.get("Accept", "")
    return request.method in ("GET", "HEAD") and wanted and "." not in path and not path.startswith(NOT_PAGES)


def answered(request: Request, asset: Asset, kept: str) -> Response:
    """As small as the browser takes it; nothing but the tag for whoever has it already."""
    headers = {
        "ETag": asset.tag,
        "Cache-Control": kept,
        "Vary": "Accept-Encoding",
        "Content-Security-Policy": POLICY,
        "Cross-Origin-Opener-Policy": "same-origin",
    }
    if asset.tag in request.headers.get("If-None-Match", ""):
        return Response(status_code=304, headers=headers)
    taken = {each.partition(";")[0].strip() for each in request.headers.get("Accept-Encoding", "").split(",")}
    how = next((each for each in asset.packed if each in taken), "")
    if how:
        headers["Content-Encoding"] = how
    return Response(asset.packed.get(how, asset.raw), headers=headers, media_type=asset.type)
