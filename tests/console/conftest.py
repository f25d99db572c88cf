"""One browser, a demo for each module, and for every test a page of its own, signed in."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from .browser import Served, Watched, chromium, connected, demo, sign_in_by_link, watched


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def served(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with demo(tmp_path_factory.mktemp("demo")) as found:
        context = browser.new_context()
        sign_in_by_link(context.new_page(), found["link"])
        state = context.storage_state()
        context.close()
        with connected(found) as client:
            yield Served(found["url"], found, client, state)


@pytest.fixture
def tab(browser: Browser, served: Served) -> Iterator[Watched]:
    context = browser.new_context(storage_state=served.state, viewport={"width": 1280, "height": 800})
    found = watched(context, served.url)
    yield found
    context.close()
    assert found.complaints == []
