"""Tasks: long work step by step, with how long it took and how the last ones went."""

import pytest
from playwright.sync_api import expect

from setpoint.demo.fleet import ORGANIZATION

from .browser import Served, Watched

pytestmark = pytest.mark.real


def test_a_task_shows_its_steps_and_why_it_cannot_be_cancelled(tab: Watched, served: Served) -> None:
    page = tab.open(f"/tasks?scope={ORGANIZATION}")
    row = page.get_by_role("row").filter(has_text="workspace.create").first
    row.get_by_text("3 of 3").wait_for()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    steps = page.get_by_role("region", name="steps")
    for step in ("account", "perimeter", "verify"):
        expect(steps.get_by_text(step, exact=True)).to_be_visible()
    cancel = page.get_by_role("button", name="Cancel")
    expect(cancel).to_have_attribute("aria-disabled", "true")
    expect(page.get_by_text("it is done")).to_have_count(1)
