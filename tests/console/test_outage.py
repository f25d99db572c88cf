"""The server is cut off and comes back: pages and forms stay, nothing is written, all goes on by itself."""

import re
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from setpoint.client.client import Batch
from setpoint.demo.fleet import ORGANIZATION, OWNER, fleet, without_records

from .browser import SAVES_DATA, Served, eventually, picture, watched
from .relay import Relay, relayed

pytestmark = pytest.mark.real
ALONE = True
OUTAGE_SECONDS = 30
LONGER_MS = 90_000.0
WITHIN_MS = 30_000  # It takes less than five seconds; a busy machine takes its time.
WEB = "/inventory/host/acme/shop/prod/web-1?scope=acme"
BACK = """
() => new Promise((seen) => {
  const back = () => !document.querySelector("[aria-label=connection]")
    && document.querySelector(".stream")?.getAttribute("aria-label").startsWith("stream: live");
  const look = () => back() && (watch.disconnect(), seen(Date.now()));
  const watch = new MutationObserver(look);
  watch.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
  look();
}).then((at) => { window.backAt = at; })
"""
"""Writes down when the page is live again, by its own clock."""


@pytest.fixture(scope="module")
def relay(served: Served) -> Iterator[Relay]:
    with relayed(served.url) as found:
        yield found


@pytest.fixture(scope="module")
def held(served: Served) -> str:
    """A plan that waits: half of a file was lost."""
    items = without_records(fleet(served.found["clouds"]["hetzner"]["url"], served.found["url"]))
    served.client.declare(ORGANIZATION, Batch(items, OWNER, prune=True))
    (plan, *_) = eventually(lambda: served.client.plans(ORGANIZATION, "held"))
    return str(plan["id"])


@pytest.fixture
def context(browser: Browser, served: Served) -> Iterator[BrowserContext]:
    found = browser.new_context(storage_state=served.state, viewport={"width": 1280, "height": 800})
    yield found
    found.close()


def bar(page: Page) -> Locator:
    return page.get_by_role("region", name="connection")


def live(page: Page) -> Locator:
    return page.get_by_role("status", name=re.compile("stream: live"))


@pytest.mark.timeout(300)
def test_every_page_survives_thirty_seconds_without_a_server_and_recovers_by_itself(
    context: BrowserContext, served: Served, relay: Relay, held: str
) -> None:
    opened = open_all(context, relay, held)
    form, plan, walker = opened["declare"], opened["plan"], opened["walker"]
    form.get_by_role("textbox", name="name").fill("half-ty")
    plan.get_by_role("textbox", name="why").fill("because it")
    relay.cut()
    for page in opened.values():
        expect(bar(page)).to_contain_text("No connection for")
        expect(bar(page)).to_contain_text(re.compile(r"What you see is from \d\d:\d\d:\d\d"))
    kept(opened)
    form.get_by_role("textbox", name="name").press_sequentially("ped")
    walk(walker, "Audit")
    change_something(served)
    expect(bar(plan)).to_contain_text(f"No connection for {OUTAGE_SECONDS} s", timeout=LONGER_MS)
    kept(opened)
    for name, page in opened.items():
        picture(page, f"during-{name}", "outage")
        page.evaluate(f"() => {{ void ({BACK})(); }}")
    relay.open()
    at = time.time() * 1000
    for page in opened.values():
        expect(bar(page)).to_have_count(0)
        expect(live(page)).to_be_visible()
        assert page.evaluate("() => window.backAt") - at < WITHIN_MS
    caught_up(opened)
    for name, page in opened.items():
        picture(page, f"after-{name}", "outage")


def open_all(context: BrowserContext, relay: Relay, held: str) -> dict[str, Page]:
    """Each page in a tab of its own, read and live."""
    paths = {
        "now": "/now?scope=acme",
        "inventory": "/inventory?scope=acme&kind=host",
        "resource": WEB,
        "declare": "/declare/host?scope=acme/shop/prod",
        "plan": f"/plans/{held}?scope=acme",
        "walker": "/now?scope=acme",
    }
    found = {}
    for name, path in paths.items():
        tab = watched(context, relay.url)
        found[name] = tab.open(path)
        found[name].get_by_role("heading", level=1).first.wait_for()
        expect(live(found[name])).to_be_visible()
        tab.rest()
    return found


def kept(opened: dict[str, Page]) -> None:
    """What was there is there, and what would write says why it cannot."""
    expect(opened["now"].get_by_role("heading", name=re.compile("in step"))).to_be_visible()
    expect(opened["inventory"].get_by_role("link", name="web-1", exact=True).first).to_be_visible()
    expect(opened["resource"].get_by_role("heading", name="web-1")).to_be_visible()
    expect(opened["declare"].get_by_role("textbox", name="name")).to_have_value(re.compile("^half-ty"))
    expect(opened["plan"].get_by_role("textbox", name="why")).to_have_value("because it")
    for page, buttons in (
        (opened["resource"], ("Look now", "Pause", "Protect", "Delete")),
        (opened["declare"], ("Declare it",)),
        (opened["plan"], ("Approve", "Reject")),
    ):
        for name in buttons:
            button = page.get_by_role("button", name=name)
            expect(button).to_have_attribute("aria-disabled", "true")
            expect(button).to_have_accessible_description(re.compile("no connection"))


def walk(page: Page, section: str) -> None:
    """To a section that was never opened: its file is there, its rows come later."""
    page.get_by_role("navigation", name="sections").get_by_role("link", name=section).click()
    expect(page.get_by_role("heading", name=section, level=1)).to_be_visible()
    expect(bar(page)).to_be_visible()


def change_something(served: Served) -> None:
    """Behind the back of everybody who is cut off."""
    path = "/v1/organizations/acme/projects/shop/workspaces/prod/hosts/web-1"
    known = served.client.connection.get(path)
    labels = {**known["metadata"]["labels"], "seen": "later"}
    item = {"kind": "host", "metadata": {**known["metadata"], "labels": labels}, "spec": known["spec"]}
    keep = ("name", "organization", "project", "workspace", "labels")
    item["metadata"] = {key: item["metadata"][key] for key in keep}
    served.client.declare(ORGANIZATION, Batch([item], ""))


def caught_up(opened: dict[str, Page]) -> None:
    """What happened meanwhile is on screen, and what one had begun goes on."""
    expect(opened["resource"].get_by_text("seen=later")).to_be_visible()
    expect(opened["walker"].get_by_role("row").nth(1)).to_be_visible()
    form = opened["declare"]
    expect(form.get_by_role("textbox", name="name")).to_have_value("half-typed")
    form.get_by_role("combobox", name="provider").click()
    form.get_by_role("option", name="hetzner").click()
    expect(form.locator(".preview .badge", has_text="create")).to_be_visible()
    expect(form.get_by_role("button", name="Declare it")).not_to_have_attribute("aria-disabled", "true")
    expect(opened["plan"].get_by_role("button", name="Reject")).not_to_have_attribute("aria-disabled", "true")


def test_a_page_whose_file_does_not_come_is_shown_inside_the_frame_and_opens_by_itself(
    context: BrowserContext, relay: Relay
) -> None:
    """Who saves data loads no page ahead: its file is asked for during the outage."""
    context.add_init_script(SAVES_DATA)
    tab = watched(context, relay.url)
    page = tab.open("/now?scope=acme")
    expect(live(page)).to_be_visible()
    tab.rest()
    relay.cut()
    expect(bar(page)).to_be_visible()
    page.get_by_role("navigation", name="sections").get_by_role("link", name="Providers").click()
    expect(page.get_by_role("heading", name="This page is not loaded")).to_be_visible()
    expect(page.get_by_role("navigation", name="sections")).to_be_visible()
    picture(page, "during-unloaded", "outage")
    relay.open()
    expect(page.get_by_role("region", name="provider hetzner")).to_be_visible()
    expect(bar(page)).to_have_count(0)
