"""What people do, by mouse and by keyboard only."""

import re

import pytest
from playwright.sync_api import Page, expect

from .browser import Served, Watched

pytestmark = pytest.mark.real

SOON = 30_000


def test_a_host_is_declared_from_a_form_and_becomes_ready(tab: Watched, served: Served) -> None:
    page = tab.open("/inventory?scope=acme/shop/prod&kind=host")
    page.get_by_role("button", name="Declare a host").click()
    page.get_by_role("textbox", name="name").fill("by-form")
    page.get_by_role("combobox", name="provider").click()
    page.get_by_role("option", name="hetzner").click()
    expect(page.locator(".preview .badge", has_text="create")).to_be_visible(timeout=SOON)
    page.get_by_role("button", name="YAML").click()
    expect(page.get_by_text("kind: host")).to_be_visible()
    page.get_by_role("button", name="Declare it").click()
    expect(page.get_by_role("heading", name="by-form")).to_be_visible()
    expect(page.locator("header").get_by_text("READY")).to_be_visible(timeout=SOON)
    page.get_by_role("button", name="Delete").click()
    dialog = page.get_by_role("dialog", name="Delete by-form")
    expect(dialog.get_by_role("button", name="Delete it")).to_have_attribute("aria-disabled", "true")
    dialog.get_by_role("textbox", name="type by-form").fill("by-form")
    dialog.get_by_role("button", name="Delete it").click()
    expect(page.get_by_text(re.compile("leaving|there is no host by-form")).first).to_be_visible(timeout=SOON)


def test_why_something_is_red_is_two_keys_away_from_now(tab: Watched, served: Served) -> None:
    """With the keyboard only, from the list of all there is to the reason."""
    page = tab.open("/now?scope=acme")
    page.get_by_role("heading", name=re.compile("in step")).wait_for()
    press(page, "g", "v")
    expect(page.get_by_role("heading", name="Inventory")).to_be_visible()
    expect(page.get_by_role("row").nth(1)).to_be_visible()
    press(page, "j", "w")
    expect(page.get_by_role("tab", name="Why", selected=True)).to_be_visible()
    press(page, "]")
    expect(page.get_by_role("tab", name="History", selected=True)).to_be_visible()
    press(page, "?")
    expect(page.get_by_role("dialog", name="Keys of this page")).to_contain_text("why is it so")
    press(page, "Escape")


def test_anything_is_found_with_the_palette(tab: Watched) -> None:
    page = tab.open("/now?scope=acme")
    page.get_by_role("heading", name=re.compile("in step")).wait_for()
    page.keyboard.press("Control+k")
    page.keyboard.type("web-1")
    expect(page.get_by_role("option", name=re.compile("host web-1"))).to_be_visible()
    while page.get_by_role("option", selected=True).inner_text().split("\n")[0] != "host web-1":
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="web-1")).to_be_visible()


def test_an_object_is_changed_as_yaml_after_its_plan_was_shown(tab: Watched, served: Served) -> None:
    page = tab.open("/inventory/dns_record/acme/shop/old-4?scope=acme&tab=raw")
    field = page.get_by_role("textbox", name="YAML")
    expect(field).to_have_value(re.compile("ttl: 300"))
    field.fill(field.input_value().replace("ttl: 300", "ttl: 600"))
    expect(page.locator(".preview .badge", has_text="update")).to_be_visible(timeout=SOON)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("tab", name="Summary", selected=True)).to_be_visible()
    expect(page.get_by_role("row").filter(has_text="ttl")).to_contain_text("600")
    expect(page.get_by_role("row").filter(has_text="ttl")).to_contain_text("generation 2")


def test_a_mistake_is_shown_at_its_field_and_stays(tab: Watched) -> None:
    page = tab.open("/declare/host?scope=acme/shop/prod")
    page.get_by_role("textbox", name="name").fill("Not A Name")
    page.get_by_role("combobox", name="provider").click()
    page.get_by_role("option", name="hetzner").click()
    page.get_by_role("textbox", name="size").fill("HUGE!")
    expect(page.get_by_role("alert")).to_contain_text("size")
    expect(page.get_by_role("textbox", name="size")).to_have_attribute("aria-invalid", "true")
    tab.complaints.clear()  # The browser tells of the refusal, as it does of any.


def test_whoever_is_signed_out_comes_back_to_where_they_were(tab: Watched) -> None:
    tab.page.context.clear_cookies()
    page = tab.open("/inventory?scope=acme&kind=host")
    page.get_by_role("textbox", name="email").wait_for()
    page.get_by_role("textbox", name="email").fill("ann@acme.example")
    page.get_by_role("textbox", name="password").fill("gravel-Otter-42-plinth")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="web-1", exact=True)).to_be_visible()
    assert "kind=host" in page.url
    tab.complaints.clear()  # The browser tells of the 401.


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)
