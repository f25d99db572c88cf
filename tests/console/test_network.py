"""What pages load and ask for: little, in pages, from nowhere else."""

import re

import pytest
from playwright.sync_api import Response, expect

from .browser import Served, Watched
from .journal import FIRST_LOAD, LATER_ROUTE, asked, elsewhere, too_large, weight
from .pages import PAGES

pytestmark = pytest.mark.real


def test_the_first_load_is_small(tab: Watched) -> None:
    page = tab.open("/now?scope=acme")
    page.get_by_role("heading", name=re.compile("in step")).wait_for()
    tab.rest()
    assert 100_000 < weight(tab.requests) <= FIRST_LOAD


@pytest.mark.parametrize("path", PAGES)
def test_a_page_asks_for_little_and_only_here(tab: Watched, served: Served, path: str) -> None:
    responses: list[Response] = []
    tab.page.on("response", lambda each: responses.append(each))  # noqa: PLW0108 - it marks what it is given
    page = tab.open("/now?scope=acme")
    page.get_by_role("heading", name=re.compile("in step")).wait_for()
    tab.rest()
    first = weight(tab.requests)
    page = tab.open(path)
    page.get_by_role("heading", level=1).first.wait_for()
    tab.rest()
    assert weight(tab.requests) - first <= LATER_ROUTE
    assert [each for each in asked(tab.requests) if each.lists and "page_size" not in each.query] == []
    assert elsewhere(tab.requests, served.url) == []
    assert too_large(responses) == []


def test_the_policy_lets_no_inline_script_run(tab: Watched) -> None:
    response = tab.page.goto(f"{tab.url}/now")
    assert response is not None
    policy = response.headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    tab.page.get_by_role("navigation", name="sections").wait_for()
    inline = "const s = document.createElement('script'); s.textContent = 'ran = 1'; document.body.append(s)"
    tab.page.evaluate(f"() => {{ {inline} }}")
    assert tab.page.evaluate("() => window.ran") is None
    tab.complaints.clear()  # The browser complained about the script, as it should.


def test_whoever_reloads_sees_the_same(tab: Watched) -> None:
    page = tab.open("/inventory?scope=acme")
    page.get_by_role("button", name=re.compile("^DNS record")).click()
    page.get_by_label("find by name").fill("old")
    page.get_by_role("button", name="Name").click()
    expect(page.get_by_role("row")).to_have_count(5)
    address, names = page.url, page.get_by_role("row").get_by_role("link").all_inner_texts()
    assert "kind=dns_record" in address
    page.reload()
    expect(page.get_by_role("row")).to_have_count(5)
    assert page.url == address
    again = page.get_by_role("row").get_by_role("link").all_inner_texts()
    assert again == names == ["old-1", "old-2", "old-3", "old-4"]
