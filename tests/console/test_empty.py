"""Where there is nothing, a page teaches: one button that leads on, and one command that says the same."""

import pytest
from playwright.sync_api import expect

from .browser import Watched

pytestmark = pytest.mark.real
EMPTY = {
    "/inventory?scope=acme&text=nothing-is-called-so": ("Clear all filters", "setpoint get all"),
    "/hosts?scope=acme&text=nothing-is-called-so": ("Clear all filters", "setpoint get host"),
    "/audit?scope=acme&actor=nobody": ("Clear all filters", "setpoint audit"),
    "/inbox?scope=acme": ("See how everything stands", "setpoint plan -f shop.yaml"),
    "/me?scope=acme&tab=tokens": ("New token", "setpoint token create laptop"),
    "/inventory/nothing/of/this/kind?scope=acme": ("See what there is", "setpoint kinds"),
    "/no-such-page": ("Go to Now", "setpoint get all"),
}


@pytest.mark.parametrize(("address", "taught"), EMPTY.items())
def test_what_is_empty_teaches_one_button_and_one_command(
    tab: Watched, address: str, taught: tuple[str, str]
) -> None:
    action, command = taught
    page = tab.open(address)
    empty = page.locator(".empty")
    expect(empty).to_have_count(1)
    leads = empty.locator(":is(a, button):not([aria-label=copy])")
    assert [each.strip() for each in leads.all_inner_texts()] == [action]
    assert [each.split(" --")[0] for each in empty.locator("code").all_inner_texts()] == [command]


def test_filters_that_find_no_line_of_the_audit_are_cleared_by_its_button(tab: Watched) -> None:
    page = tab.open("/audit?scope=acme&actor=nobody")
    page.get_by_role("button", name="Clear all filters").click()
    expect(page.get_by_role("row").nth(1)).to_be_visible()
