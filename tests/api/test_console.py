"""The console as it is served: compressed, guarded, and never in the way of the API."""

import gzip
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from setpoint.api import console

from .kit import Api, still

PAGE = b"<!doctype html><title>Setpoint</title>" + b" " * 200
TYPES = Path(__file__).parent.parent.parent / "console" / "src" / "api" / "schema.d.ts"
BROWSER = {"Accept": "text/html,application/xhtml+xml", "Accept-Encoding": "gzip, br"}


@pytest.fixture
async def api(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Api]:
    built = tmp_path / "built"
    (built / "assets").mkdir(parents=True)
    for name, body in {"index.html": PAGE, "assets/index-1.js": b"0;" * 200}.items():
        (built / name).write_bytes(body)
        (built / f"{name}.gz").write_bytes(gzip.compress(body))
    monkeypatch.setattr(console, "FOLDER", built)
    async with still(tmp_path / "data") as found:
        yield found


@pytest.mark.parametrize("path", ["/", "/now", "/inventory/host/acme/shop/prod/web-1", "/start"])
async def test_a_browser_gets_the_page_at_every_address_of_the_console(api: Api, path: str) -> None:
    found = await api.get(path, headers=BROWSER)
    assert (found.status, found.raw) == (200, PAGE)
    assert found.headers["Content-Encoding"] == "gzip"
    assert found.headers["Cache-Control"] == "no-cache"
    policy = found.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize(
    ("path", "accept"),
    [
        ("/now", "application/json"),
        ("/v1/nowhere", "text/html"),
        ("/docs/nowhere", "text/html"),
        ("/assets/index-0.js", "text/html"),
        ("/now.html", "text/html"),
    ],
)
async def test_what_is_not_there_is_still_refused_in_words(api: Api, path: str, accept: str) -> None:
    found = await api.get(path, headers={"Accept": accept})
    assert (found.status, found.body["code"]) == (404, "no_such_address")


async def test_a_wrong_method_is_still_called_one(api: Api) -> None:
    found = await api.get("/v1/sessions", headers=BROWSER)
    assert (found.status, found.headers["Allow"]) == (405, "POST")


async def test_files_are_kept_for_ever_and_the_page_is_asked_for_by_its_tag(api: Api) -> None:
    found = await api.get("/assets/index-1.js", headers=BROWSER)
    assert found.headers["Cache-Control"].endswith("immutable")
    page = await api.get("/", headers=BROWSER)
    again = await api.get("/", headers={**BROWSER, "If-None-Match": page.headers["ETag"]})
    assert (again.status, again.raw) == (304, b"")


async def test_whoever_takes_nothing_compressed_gets_it_as_it_is(api: Api) -> None:
    found = await api.get("/", headers={"Accept-Encoding": "identity"})
    assert "Content-Encoding" not in found.headers
    assert found.raw == PAGE


async def test_a_path_cannot_leave_the_folder(api: Api) -> None:
    assert (await api.get("/assets/%2e%2e/%2e%2e/data/admin.token")).status == 404


async def test_without_a_build_the_page_says_how_to_make_one(
    api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console, "FOLDER", tmp_path / "nothing")
    found = await api.get("/", headers=BROWSER)
    assert found.status == 200
    assert b"make console" in found.raw


async def test_the_console_knows_the_routes_that_are_served(api: Api) -> None:
    """Those of kinds it learns from /v1/kinds; the others are types, and a stale one would not compile."""
    document = (await api.get("/openapi.json")).body
    plurals = {kind["plural"] for kind in (await api.get("/v1/kinds")).body["items"]}
    served = {path for path in document["paths"] if path.startswith("/v1/") and not of_kind(path, plurals)}
    known = set(re.findall(r'^ +"(/v1/[^"]+)": {$', TYPES.read_text(), re.MULTILINE))
    assert known == served | {"/v1/organizations"}, (
        "run: npm run types, with the contract (see console/README.md)"
    )


def of_kind(path: str, plurals: set[str]) -> bool:
    last = re.sub(r"[:/]?{name}.*", "", path).rsplit("/", 1)[-1]
    return last in plurals
