"""Every page: nothing serious for axe-core, little traffic, a picture, and the same in a second browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from setpoint.client.client import Batch
from setpoint.demo.cloud import cloud_at
from setpoint.demo.fleet import DROPPED, ORGANIZATION, OWNER, fleet, without_records

from .browser import SAVES_DATA, AnyJson, Served, Watched, eventually, picture, watched
from .journal import Traffic, assets
from .pages import Look, looks

pytestmark = pytest.mark.real
ALONE = True
AXE = Path(__file__).parent.parent.parent / "console" / "node_modules" / "axe-core" / "axe.min.js"
GRAVE = ("serious", "critical")
WAYS = {"dark": 1280, "light": 1280, "narrow": 360}
SHOWN = """() => {
  const texts = (of) => [...document.querySelectorAll(of)].map((each) => each.textContent.trim());
  return {
    title: texts('main h1:not(.sentence)').slice(0, 1),
    tab: texts('[role=tab][aria-selected=true]'),
    facets: texts('.facet[aria-pressed=true] > :first-child'),
    rows: texts('[role=row] [role=gridcell] a').slice(0, 8),
  };
}"""
"""What an address promises to show again: which page, tab, filters and rows."""
APPROVE = """async ([path, body]) => {
  const headers = { 'Content-Type': 'application/json' };
  return (await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })).status;
}"""


@pytest.fixture(scope="module")
def eventful(browser: Browser, served: Served) -> list[Look]:
    """A fleet with something to see: an agent died, half a file was lost, some of its plan was approved."""
    hetzner = served.found["clouds"]["hetzner"]
    hosts = served.client.items(f"/v1/organizations/{ORGANIZATION}/hosts")
    server = next(each["status"]["facts"]["server"] for each in hosts if each["metadata"]["name"] == "web-3")
    cloud_at(hetzner["url"], hetzner["token"]).kill_agent(server)
    items = without_records(fleet(hetzner["url"], served.found["url"]))
    served.client.declare(ORGANIZATION, Batch(items, OWNER, prune=True))
    (plan,) = eventually(lambda: held(served, len_of=12))
    path = f"/v1/organizations/{ORGANIZATION}/plans/{plan['id']}:approve"
    wanted = {
        "digest": plan["digest"],
        "reason": "the old shop is closed",
        "items": [f"{name}/A" for name in DROPPED],
    }
    context = browser.new_context(storage_state=served.state)
    page = context.new_page()
    page.goto(f"{served.url}/now?scope=acme")
    assert page.evaluate(APPROVE, [path, wanted]) == 200
    context.close()
    eventually(lambda: held(served, len_of=8))
    return looks(served)


@pytest.fixture(scope="module")
def shown_before() -> dict[str, AnyJson]:
    """What each page showed in the first browser it was opened in."""
    return {}


@pytest.fixture(params=WAYS)
def dressed(
    request: pytest.FixtureRequest, browser: Browser, served: Served
) -> Iterator[tuple[str, Watched]]:
    """A browser of its own, in other colours or narrow."""
    way = request.param
    context = browser.new_context(
        storage_state=served.state,
        viewport={"width": WAYS[way], "height": 800},
        color_scheme="light" if way == "light" else "dark",
        # What looks into the page from outside is let past the policy that keeps others out.
        bypass_csp=True,
    )
    context.add_init_script(SAVES_DATA)
    yield way, watched(context, served.url)
    context.close()


@pytest.mark.timeout(900)
def test_every_page_is_readable_for_everybody_and_the_same_in_a_second_browser(
    dressed: tuple[str, Watched], eventful: list[Look], shown_before: dict[str, AnyJson]
) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not here; make console fetches it")
    way, tab = dressed
    opened(tab, eventful[0])
    traffic = Traffic(tab, assets(tab.requests))
    found: dict[str, list[str]] = {}
    for look in eventful:
        traffic.begin()
        page = opened(tab, look)
        excesses = traffic.excesses()
        picture(page, f"{look.name}-{way}")
        if bad := [*excesses, *findings(page), *too_wide(page, WAYS[way])]:
            found[look.name] = bad
        shown = page.evaluate(SHOWN)
        assert shown_before.setdefault(look.name, shown) == shown
    assert found == {}
    assert tab.complaints == []


def held(served: Served, *, len_of: int) -> list[AnyJson]:
    return [each for each in served.client.plans(ORGANIZATION, "held") if each["asked_count"] == len_of]


def opened(tab: Watched, look: Look) -> Page:
    page = tab.open(look.path)
    page.get_by_role("heading", level=1).first.wait_for()
    tab.rest()
    for key in look.keys:
        page.keyboard.press(key)
        page.get_by_role("dialog").wait_for()
    return page


def too_wide(page: Page, allowed: int) -> list[str]:
    wide = page.evaluate("() => document.documentElement.scrollWidth")
    return [f"{wide} px wide, {allowed} are there"] if wide > allowed else []


def findings(page: Page) -> list[str]:
    """What all rules of axe-core find."""
    page.add_script_tag(path=AXE)
    said = page.evaluate("() => axe.run(document, { resultTypes: ['violations'] })")
    grave = [each for each in said["violations"] if each["impact"] in GRAVE]
    return [f"{each['id']}: {each['nodes'][0]['html'][:200]}" for each in grave]
