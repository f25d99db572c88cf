"""What happens is on screen at once, in every tab, without a request for it."""

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from setpoint.demo.cloud import cloud_at

from .browser import Served, Watched, watched
from .hands import Hands
from .journal import asked

pytestmark = pytest.mark.real
ALONE = True

TABS = 13


WITHIN_MS = 1_000
TALL = {"width": 1280, "height": 1400}
STAMP = """
([word, where]) => new Promise((seen) => {
  const shows = () => [...document.querySelectorAll(where)].some((each) => each.textContent.includes(word));
  const look = () => shows() && (watch.disconnect(), seen(Date.now()));
  const watch = new MutationObserver(look);
  watch.observe(document.body, { subtree: true, childList: true, characterData: true });
  look();
}).then((at) => { window.seenAt = at; })
"""
"""Writes down when a word is on the page, by the page's own clock: whoever looks from outside looks late."""


def row(page: Page, name: str) -> Locator:
    return page.get_by_role("row").filter(has=page.get_by_role("link", name=name, exact=True))


def test_a_change_at_the_cloud_is_on_screen_within_a_second_and_nothing_asks_for_it(
    tab: Watched, served: Served
) -> None:
    """All there is is on screen, so that no count moves that is not known: the page asks for nothing."""
    tab.page.set_viewport_size(TALL)
    page = tab.open("/inventory?scope=acme")
    host = row(page, "web-3").filter(has_text="host")
    expect(host.get_by_text("READY")).to_be_visible()
    expect(page.get_by_role("status", name=re.compile("stream: live"))).to_be_visible()
    tab.rest()
    before = len(asked(tab.requests))
    hetzner = served.found["clouds"]["hetzner"]
    (server,) = (
        each["status"]["facts"]["server"]
        for each in served.client.items("/v1/organizations/acme/hosts")
        if each["metadata"]["name"] == "web-3"
    )
    watch_for(page, "DEGRADED", "[role=row]")
    cloud_at(hetzner["url"], hetzner["token"]).kill_agent(server)
    expect(host.get_by_text("DEGRADED")).to_be_visible()
    names = {each.path for each in asked(tab.requests)[before:]}
    path = "/v1/organizations/acme/projects/shop/workspaces/prod/hosts/web-3"
    read = "async (path) => Date.parse((await (await fetch(path)).json()).status.since)"
    assert page.evaluate("() => window.seenAt") - page.evaluate(read, path) < WITHIN_MS
    assert names == set()


def test_twelve_tabs_are_open_and_a_thirteenth_works(browser: Browser, served: Served) -> None:
    context = browser.new_context(storage_state=served.state)
    tabs = [watched(context, served.url) for _ in range(TABS)]
    for tab in tabs:
        page = tab.open("/inventory?scope=acme&kind=host")
        expect(row(page, "web-1")).to_be_visible()
        expect(page.get_by_role("status", name=re.compile("stream: live"))).to_be_visible()
    last = tabs[-1].page
    last.get_by_role("link", name="web-1", exact=True).click()
    expect(last.get_by_role("heading", name="web-1")).to_be_visible()
    streams = [each.url for tab in tabs for each in tab.requests if "watch=1" in each.url]
    assert len(streams) <= 1, "one stream, held by the worker that all tabs share"
    context.close()


def test_stop_is_seen_in_another_tab_and_in_another_browser_within_a_second(
    browser: Browser, tab: Watched, served: Served, hands: Hands
) -> None:
    others = [browser.new_context(storage_state=served.state), tab.page.context]
    watching = [watched(context, served.url).page for context in others]
    for page in watching:
        page.goto(f"{served.url}/now?scope=acme")
        expect(page.get_by_role("status", name=re.compile("stream: live"))).to_be_visible()
    page = tab.open("/inventory?scope=acme")
    for each in watching:
        watch_for(each, "stopped", ".mode")
    choose(page, hands, "Stop, with a reason")
    flip(page, hands, "Stop", "something is off")
    (lever,) = served.client.switches()
    for each in watching:
        expect(each.locator(".banner", has_text="something is off")).to_be_visible()
        late = each.evaluate("(at) => window.seenAt - Date.parse(at)", lever["since"])
        assert late < WITHIN_MS
    hands.press("button", "Resume acme")
    flip(page, hands, "Resume", "it is well again")
    for each in watching:
        expect(each.get_by_role("button", name=re.compile("^mode: running"))).to_be_visible()
    others[0].close()


def test_everything_is_stopped_with_two_clicks_and_no_typing_and_the_banner_resumes_it(
    tab: Watched, served: Served
) -> None:
    page = tab.open("/now?scope=acme")
    page.get_by_role("button", name="mode: running; change it").click()
    page.get_by_role("menuitem", name="Stop acme now").click()
    expect(page.get_by_role("button", name="mode: stopped; change it")).to_be_visible()
    (lever,) = served.client.switches()
    assert (lever["key"], lever["mode"], lever["reason"]) == ("scope:acme", "stop", "emergency")
    banner = page.locator(".banner")
    expect(banner).to_contain_text("emergency")
    banner.get_by_role("button", name="Resume").click()
    page.get_by_role("dialog", name="Change the mode").get_by_role("button", name="Resume").click()
    expect(page.get_by_role("button", name="mode: running; change it")).to_be_visible()
    expect(banner).to_have_count(0)


def choose(page: Page, hands: Hands, item: str) -> None:
    """From the menu of the mode."""
    hands.press("button", re.compile("^mode: "))
    expect(page.get_by_role("menuitem").first).to_be_visible()
    hands.take(item)


def flip(page: Page, hands: Hands, does: str, why: str) -> None:
    dialog = page.get_by_role("dialog", name="Change the mode")
    hands.within(dialog).write("why", why)
    hands.within(dialog).press("button", does)
    dialog.wait_for(state="hidden")


def watch_for(page: Page, word: str, where: str) -> None:
    """Begins to watch, and does not wait for it."""
    page.evaluate(f"(wanted) => {{ void ({STAMP})(wanted); }}", [word, where])
