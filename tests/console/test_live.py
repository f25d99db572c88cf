"""What happens is on screen at once, in every tab, without a request for it."""

import re
import time

import pytest
from playwright.sync_api import Browser, Page, expect

from setpoint.demo.cloud import cloud_at

from .browser import Served, Watched, watched
from .journal import asked

pytestmark = pytest.mark.real

TABS = 13


def row(page: Page, name: str):  # type: ignore[no-untyped-def]
    return page.get_by_role("row").filter(has=page.get_by_role("link", name=name, exact=True))


def test_a_change_at_the_cloud_is_on_screen_within_a_second_and_nothing_asks_for_it(
    tab: Watched, served: Served
) -> None:
    page = tab.open("/inventory?scope=acme&kind=host")
    expect(row(page, "web-3").get_by_text("READY")).to_be_visible()
    tab.rest()
    before = len(asked(tab.requests))
    hetzner = served.found["clouds"]["hetzner"]
    host = next(
        each
        for each in served.client.items("/v1/organizations/acme/hosts")
        if each["metadata"]["name"] == "web-3"
    )
    cloud_at(hetzner["url"], hetzner["token"]).kill_agent(host["status"]["facts"]["server"])
    row(page, "web-3").get_by_text("DEGRADED").wait_for(timeout=20_000)
    seen = time.time()
    path = "/v1/organizations/acme/projects/shop/workspaces/prod/hosts/web-3"
    read = "async (path) => Date.parse((await (await fetch(path)).json()).status.since)"
    assert seen - page.evaluate(read, path) / 1000 < 1.0
    names = {each.path for each in asked(tab.requests)[before:]} - {path, "/v1/switches"}
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
    browser: Browser, tab: Watched, served: Served
) -> None:
    others = [browser.new_context(storage_state=served.state), tab.page.context]
    watching = [watched(context, served.url).page for context in others]
    for page in watching:
        page.goto(f"{served.url}/now?scope=acme")
        expect(page.get_by_role("status", name=re.compile("stream: live"))).to_be_visible()
    page = tab.open("/inventory?scope=acme")
    page.get_by_role("button", name=re.compile("^mode: run")).click()
    dialog = page.get_by_role("dialog", name="How much may happen here")
    expect(dialog.get_by_role("button", name="Set to stop")).to_have_attribute("aria-disabled", "true")
    dialog.get_by_role("textbox", name="why").fill("something is off")
    dialog.get_by_role("button", name="Set to stop").click()
    dialog.wait_for(state="hidden")
    for each in watching:
        expect(each.locator(".banner", has_text="something is off")).to_be_visible(timeout=1_000)
    page.get_by_role("button", name=re.compile("^mode: stop")).click()
    dialog.get_by_role("textbox", name="why").fill("it is well again")
    dialog.get_by_role("button", name="Let it run").click()
    dialog.wait_for(state="hidden")
    for each in watching:
        expect(each.get_by_role("button", name=re.compile("^mode: run"))).to_be_visible(timeout=1_000)
    others[0].close()
