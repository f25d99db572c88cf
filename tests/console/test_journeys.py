"""What people do, by mouse and by keyboard only."""

import re

import pytest
import yaml
from playwright.sync_api import Page, expect

from setpoint.client.client import Batch
from setpoint.demo.cloud import cloud_at

from .browser import EMAIL, PASSWORD, Served, Watched
from .hands import Hands

pytestmark = pytest.mark.real
ALONE = True
OLD_1 = "/v1/organizations/acme/projects/shop/dns_records/old-1"


@pytest.fixture(scope="module")
def red(served: Served) -> str:
    """A host whose agent died at the cloud."""
    hetzner = served.found["clouds"]["hetzner"]
    hosts = served.client.items("/v1/organizations/acme/hosts")
    (server,) = (each["status"]["facts"]["server"] for each in hosts if each["metadata"]["name"] == "web-3")
    cloud_at(hetzner["url"], hetzner["token"]).kill_agent(server)
    return "web-3"


def test_a_host_is_declared_from_a_form_and_becomes_ready(tab: Watched, hands: Hands, way: str) -> None:
    page, name = tab.open("/inventory?scope=acme/shop/prod&kind=host"), f"by-{way}"
    hands.press("button", "Declare a host")
    hands.write("name", name)
    hands.choose("provider", "hetzner")
    expect(page.locator(".preview .badge", has_text="create")).to_be_visible()
    hands.press("button", "Declare it")
    expect(page.get_by_role("heading", name=name)).to_be_visible()
    expect(page.locator("header").get_by_text("READY")).to_be_visible()
    hands.press("button", "Delete")
    dialog = page.get_by_role("dialog", name=f"Delete {name}")
    expect(dialog.get_by_role("button", name="Delete it")).to_have_attribute("aria-disabled", "true")
    hands.within(dialog).write(f"type {name}", name)
    hands.within(dialog).press("button", "Delete it")
    expect(page.get_by_text(re.compile(f"leaving|there is no host {name}")).first).to_be_visible()


def test_why_something_is_red_is_two_steps_away_from_now(tab: Watched, hands: Hands, red: str) -> None:
    page = tab.open("/now?scope=acme")
    cards = page.get_by_role("region", name="needs you")
    expect(cards.get_by_role("link", name=red, exact=True).first).to_be_visible()
    hands.within(cards).ask_why(red)
    expect(page.get_by_role("tab", name="Why", selected=True)).to_be_visible()
    expect(page.get_by_role("heading", name=red)).to_be_visible()
    expect(page.get_by_role("tabpanel")).to_contain_text(re.compile("heartbeat|silent|agent"))


def test_an_object_is_exported_as_yaml_that_declares_the_same(
    tab: Watched, served: Served, hands: Hands
) -> None:
    page = tab.open("/inventory?scope=acme&kind=dns_record")
    hands.open_row("old-1")
    hands.press("tab", "Raw")
    hands.press("button", "YAML")
    text = page.locator(".show-as pre")
    expect(text).to_contain_text("kind: dns_record")
    before = served.client.connection.get(OLD_1)
    found = yaml.safe_load(text.inner_text())
    assert (found["kind"], found["metadata"]["name"]) == ("dns_record", "old-1")
    assert found["spec"] == before["spec"]
    served.client.declare("acme", Batch([found], ""))
    assert served.client.connection.get(OLD_1)["metadata"]["generation"] == before["metadata"]["generation"]


def test_a_colleague_gets_a_role_what_it_changes_is_shown_before_and_the_audit_has_it(
    tab: Watched, served: Served, hands: Hands, way: str
) -> None:
    page, email = tab.open("/access?scope=acme"), f"{way}@acme.example"
    hands.press("button", "Give access")
    form = page.get_by_role("dialog", name="Give somebody access")
    hands.within(form).write("email", email)
    hands.within(form).choose("role", "operator")
    expect(form.get_by_role("list", name="gains")).to_contain_text("project.")
    known = served.client.items("/v1/organizations/acme/members")
    assert email not in [each["email"] for each in known]
    hands.within(form).press("button", "Save and invite")
    hands.within(page.get_by_role("dialog", name=f"{email} is invited")).press("button", "I have it")
    expect(page.get_by_role("list", name="members")).to_contain_text(email)
    hands.go("Audit")
    line = page.get_by_role("row").filter(has_text="intent.declared").filter(has_text=way)
    expect(line.first).to_be_visible()
    expect(line.first).to_contain_text(EMAIL)


def test_sections_rows_and_tabs_have_keys_and_the_page_lists_them(tab: Watched) -> None:
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
    expect(page.locator(".preview .badge", has_text="update")).to_be_visible()
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
    page.get_by_role("textbox", name="email").fill(EMAIL)
    page.get_by_role("textbox", name="password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="web-1", exact=True)).to_be_visible()
    assert "kind=host" in page.url
    tab.complaints.clear()  # The browser tells of the 401.


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)
