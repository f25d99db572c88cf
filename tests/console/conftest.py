"""One browser, one demo for all that leave it as it was, and for every test a page of its own, signed in."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from .browser import Served, Watched, chromium, serving, watched
from .hands import WAYS, Hands, hands_of

PATIENCE_MS = 30_000.0
expect.set_options(timeout=PATIENCE_MS)  # What is expected comes when it comes: machines of tests are busy.


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="session")
def shared(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(browser, tmp_path_factory.mktemp("demo")) as found:
        yield found


@pytest.fixture(scope="module")
def served(
    request: pytest.FixtureRequest, browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """The demo that others use as well; a module that turns its fleet upside down says `ALONE = True`."""
    if not getattr(request.module, "ALONE", False):
        yield request.getfixturevalue("shared")
        return
    with serving(browser, tmp_path_factory.mktemp("demo")) as found:
        yield found


@pytest.fixture
def tab(browser: Browser, served: Served) -> Iterator[Watched]:
    context = browser.new_context(storage_state=served.state, viewport={"width": 1280, "height": 800})
    found = watched(context, served.url)
    yield found
    context.close()
    assert found.complaints == []


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def hands(way: str, tab: Watched) -> Hands:
    """Whoever does it with the mouse, and again with the keyboard alone."""
    return hands_of(way, tab.page)
