"""What the first page loads, what its policy lets in, and what an address holds."""

import re

import pytest
from playwright.sync_api import Browser, Route, expect

from .browser import SAVES_DATA, Served, Watched
from .journal import FIRST_LOAD, assets, weight

pytestmark = pytest.mark.real


def test_the_first_load_is_small(tab: Watched) -> None:
    """Without what is fetched ahead; what further pages load is looked at in test_looks.py."""
    tab.page.add_init_script(SAVES_DATA)
    tab.open("/now?scope=acme").get_by_role("heading", name=re.compile("in step")).wait_for()
    tab.rest()
    assert 100_000 < weight(assets(tab.requests)) <= FIRST_LOAD


def test_every_page_is_fetched_ahead_once_the_first_one_stands(tab: Watched) -> None:
    """So that a section opens without the server, and at once with it."""
    page = tab.open("/now?scope=acme")
    page.get_by_role("heading", name=re.compile("in step")).wait_for()
    page.wait_for_function(
        "(all) => all.every((name) => performance.getEntriesByType('resource').some((each) =>"
        " each.name.includes(`/${name}-`)))",
        arg=["Inventory", "Resource", "Declare", "Audit", "Providers", "Me", "Task", "Zone", "popups"],
    )


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


def test_whoever_is_not_signed_in_gets_there_however_late_the_console_itself_comes(
    browser: Browser, served: Served
) -> None:
    """What asks runs first, and is refused before there is anything that could lead to the door."""
    context = browser.new_context()
    page = context.new_page()
    held: list[Route] = []
    page.route("**/assets/main-*.js", lambda route: held.append(route))  # noqa: PLW0108 - it marks what it is given
    with page.expect_response("**/v1/me") as refused:
        page.goto(f"{served.url}/inventory?scope=acme", wait_until="commit")
    assert refused.value.status == 401
    page.wait_for_timeout(200)
    for route in held:
        route.continue_()
    expect(page.get_by_role("textbox", name="password")).to_be_visible()
    assert "next=%2Finventory" in page.url
    context.close()
