"""Every form says how the same is done elsewhere, and it can be read and copied: wide and narrow."""

from collections.abc import Callable, Iterator
from typing import Final

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from setpoint.client.client import Batch
from setpoint.demo.fleet import ORGANIZATION, OWNER, fleet, without_records

from .browser import Served, Watched, eventually, picture, watched

pytestmark = pytest.mark.real
ALONE = True
LEAST_WIDE: Final = 200
LEAST_HIGH: Final = 24
WAYS: Final = ("CLI", "curl", "YAML", "Python")
RECORD = "/inventory/dns_record/acme/shop/old-1?scope=acme"


def pressed(*names: str) -> Callable[[Page], None]:
    """Buttons, one after the other."""

    def press(page: Page) -> None:
        for name in names:
            page.get_by_role("button", name=name, exact=True).first.click()

    return press


def chosen(action: str) -> Callable[[Page], None]:
    """An action on two rows."""

    def choose(page: Page) -> None:
        for at in (1, 2):
            page.get_by_role("row").nth(at).get_by_role("checkbox").click()
        page.get_by_role("toolbar").get_by_role("button", name=action).click()

    return choose


def mode(page: Page) -> None:
    page.get_by_role("button", name="mode: running; change it").click()
    page.get_by_role("menuitem", name="Stop, with a reason").click()


FORMS: Final[dict[str, tuple[str, Callable[[Page], None]]]] = {
    "declare": ("/declare/host?scope=acme/shop/prod", pressed()),
    "edit": (f"{RECORD}&tab=edit", pressed()),
    "raw": (f"{RECORD}&tab=raw", pressed()),
    "pause": (RECORD, pressed("Pause")),
    "protect": (RECORD, pressed("Protect")),
    "retry": (RECORD, pressed("Try anew")),
    "delete": (RECORD, pressed("Delete")),
    "mode": ("/now?scope=acme", mode),
    "kind": ("/loops/dns_zone?scope=acme", pressed("Pause this kind")),
    "account": ("/providers?scope=acme", pressed("change the mode of hetzner")),
    "bulk": ("/inventory?scope=acme&kind=host", chosen("Pause")),
    "member": ("/access?scope=acme", pressed("Give access")),
    "role": ("/access?scope=acme&tab=roles&role=new", pressed()),
    "who-can": ("/access?scope=acme&tab=who-can&verb=delete&key=project.workspace.host", pressed()),
    "token": ("/me?scope=acme&tab=tokens", pressed("New token")),
    "plan": ("/plans/PLAN?scope=acme", pressed()),
    "replay": ("/loops/dns_zone?scope=acme&pass=PASS", pressed()),
}
"""What each form is called, where it is, and how it is opened there."""


@pytest.fixture(scope="module")
def held(served: Served) -> dict[str, str]:
    """A plan that waits, and the pass that it was held in."""
    items = without_records(fleet(served.found["clouds"]["hetzner"]["url"], served.found["url"]))
    served.client.declare(ORGANIZATION, Batch(items, OWNER, prune=True))
    (plan, *_) = eventually(lambda: served.client.plans(ORGANIZATION, "held"))
    (judged, *_) = (each for each in served.client.passes(ORGANIZATION) if each["kind"] == "dns_zone")
    return {"PLAN": plan["id"], "PASS": judged["id"]}


@pytest.fixture(params=[1280, 360])
def sized(request: pytest.FixtureRequest, browser: Browser, served: Served) -> Iterator[Watched]:
    size = {"width": request.param, "height": 900}
    context = browser.new_context(storage_state=served.state, viewport=size)
    yield watched(context, served.url)
    context.close()


@pytest.mark.timeout(600)
def test_what_is_shown_as_a_command_is_wide_enough_on_every_form(
    sized: Watched, held: dict[str, str]
) -> None:
    bad: list[str] = []
    for name, (path, open_form) in FORMS.items():
        for word, identity in held.items():
            path = path.replace(word, identity)  # noqa: PLW2901 - an address with its blanks filled in
        page = sized.open(path)
        page.get_by_role("heading", level=1).first.wait_for()
        open_form(page)
        expect(page.locator(".show-as").first).to_be_visible()
        for way in WAYS:
            shown = page.locator(".show-as").last
            shown.get_by_role("button", name=way, exact=True).click()
            expect(shown.locator("pre")).not_to_be_empty()
            bad += [f"{name} as {way}: {each}" for each in too_small(page)]
        picture(page, f"{name}-{page.viewport_size['width'] if page.viewport_size else 0}", "show-as")
    assert bad == []


def test_json_and_yaml_of_an_object_are_wide_enough(sized: Watched, served: Served) -> None:
    for way in ("JSON", "everything"):
        page = sized.open("/inventory/host/acme/shop/prod/web-1?scope=acme&tab=raw")
        page.get_by_role("button", name=way, exact=True).click()
        expect(page.locator("pre")).to_contain_text("web-1")
        assert too_small(page) == []


def too_small(page: Page) -> list[str]:
    """Visible texts that cannot be read, or whose button to copy lies outside."""
    return [found for each in page.locator("pre:visible").all() for found in fault(each)]


def fault(pre: Locator) -> list[str]:
    box, around = pre.bounding_box(), pre.locator("..").bounding_box()
    button = pre.locator("..").get_by_role("button").bounding_box()
    assert box
    assert around
    assert button
    found = []
    if box["width"] < LEAST_WIDE or box["height"] < LEAST_HIGH:
        found.append(f"{box['width']:.0f} x {box['height']:.0f} px")
    if button["x"] + button["width"] > around["x"] + around["width"] + 1:
        found.append("the button to copy lies outside")
    return found
