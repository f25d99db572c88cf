"""The pulse of hosts."""

import re

import pytest
from playwright.sync_api import expect

from .browser import Watched

pytestmark = pytest.mark.real


def test_a_host_that_is_heard_has_a_beat_and_filters_are_in_the_address(tab: Watched) -> None:
    page = tab.open("/hosts?scope=acme")
    host = page.get_by_role("listitem").filter(has_text="web-1")
    expect(host.get_by_role("img")).to_have_accessible_name(
        re.compile(r"^alive in [1-9]\d* of the last 30 times ten seconds")
    )
    expect(host).to_contain_text("heard")
    page.get_by_role("button", name="outdated").click()
    page.get_by_text("No host matches").wait_for()
    assert "only=outdated" in page.url
