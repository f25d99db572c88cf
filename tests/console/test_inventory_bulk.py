"""Inventory: rows chosen, what would be done to them shown first, then done one by one; columns and views."""

import pytest
from playwright.sync_api import expect

from setpoint.demo.fleet import ORGANIZATION

from .browser import Served, Watched

pytestmark = pytest.mark.real
HOSTS = f"/inventory?scope={ORGANIZATION}&kind=host&order=name"


def modes(served: Served) -> list[str]:
    return sorted(each["mode"] for each in served.client.switches() if each["key"].startswith("domain:host/"))


def test_several_hosts_are_paused_by_keyboard_and_run_again(tab: Watched, served: Served) -> None:
    page = tab.open(HOSTS)
    page.get_by_role("row").filter(has_text="web-3").wait_for()
    for key in ("j", "x", "j", "j", "X"):
        page.keyboard.press(key)
    bar = page.get_by_role("toolbar", name="chosen rows")
    expect(bar.get_by_text("3 chosen")).to_be_visible()
    page.keyboard.press("p")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("3 chosen: 3 will be paused")).to_be_visible()
    dialog.get_by_label("why").fill("a race with the vendor")
    dialog.get_by_role("button", name="CLI").click()
    expect(dialog.get_by_text("setpoint pause host web-1").first).to_be_visible()
    dialog.get_by_role("button", name="Pause 3").click()
    expect(dialog.get_by_text("3 of 3 done")).to_be_visible()
    assert modes(served) == ["stop"] * 3
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(bar).to_have_count(0)
    page.get_by_label("choose all that are shown").check()
    bar.get_by_role("button", name="Run again …").click()
    dialog.get_by_role("button", name="Run again 3").click()
    expect(dialog.get_by_text("3 of 3 done")).to_be_visible()
    assert modes(served) == []


def test_what_cannot_be_deleted_is_named_with_its_reason_and_nothing_goes_by_one_key(
    tab: Watched, served: Served
) -> None:
    page = tab.open(f"/inventory?scope={ORGANIZATION}&order=name")
    for name in ("provider hetzner", "host web-1"):
        page.get_by_label(f"choose {name}").check()
    page.get_by_role("button", name="Delete …").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("2 chosen: 1 will be deleted, 1 will not")).to_be_visible()
    expect(dialog.get_by_text("! hetzner: provider hetzner is used by")).to_be_visible()
    button = dialog.get_by_role("button", name="Delete 1")
    expect(button).to_have_attribute("aria-disabled", "true")
    dialog.get_by_label("type delete 1").fill("delete 1")
    expect(button).not_to_have_attribute("aria-disabled", "true")
    page.keyboard.press("Escape")
    assert "web-1" in {
        each["metadata"]["name"]
        for each in served.client.items(f"/v1/organizations/{ORGANIZATION}/inventory")
    }


def test_columns_are_chosen_from_the_schema_and_a_view_keeps_them(tab: Watched, served: Served) -> None:
    page = tab.open(HOSTS)
    page.get_by_role("button", name="Columns").click()
    page.get_by_label("Image", exact=True).check()
    page.keyboard.press("Escape")
    expect(page.get_by_role("columnheader", name="Image")).to_be_visible()
    assert "columns=" in page.url
    page.get_by_role("button", name="Views").click()
    page.get_by_role("button", name="Name this view …").click()
    page.get_by_role("dialog").get_by_label("name").fill("images")
    page.get_by_role("button", name="Keep it").click()
    page.goto(f"{served.url}/inventory?scope={ORGANIZATION}")
    expect(page.get_by_role("columnheader", name="Image")).to_have_count(0)
    page.get_by_role("button", name="Views").click()
    page.get_by_role("button", name="images", exact=True).click()
    expect(page.get_by_role("columnheader", name="Image")).to_be_visible()
    assert "kind=host" in page.url
