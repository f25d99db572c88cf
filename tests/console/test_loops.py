"""Loops: what each last decided, one stopped by its lever, and a pass judged again with something changed."""

import pytest
from playwright.sync_api import expect

from setpoint.demo.fleet import ORGANIZATION

from .browser import Served, Watched

pytestmark = pytest.mark.real
ALONE = True


def zones_passes(served: Served) -> list[str]:
    """Those of the loop that is looked at: others go on meanwhile."""
    return [each["id"] for each in served.client.passes(ORGANIZATION) if each["kind"] == "dns_zone"]


def test_a_pass_is_replayed_with_another_mode_and_nothing_is_done(tab: Watched, served: Served) -> None:
    page = tab.open(f"/loops?scope={ORGANIZATION}")
    page.get_by_role("row").filter(has_text="DNS zone").click()
    page.get_by_role("heading", name="DNS zone", level=1).wait_for()
    before = zones_passes(served)
    page.get_by_role("option").first.click()
    detail = page.get_by_role("region", name="the chosen pass")
    detail.get_by_text("let through").first.wait_for()
    detail.get_by_role("combobox", name="mode").click()
    page.get_by_role("option", name="stop", exact=True).click()
    expect(detail.get_by_text("would hold as well")).to_be_visible()
    expect(detail.get_by_text("observe only")).to_be_visible()
    assert "pass=" in page.url
    page.reload()
    expect(page.get_by_role("region", name="the chosen pass")).to_be_visible()
    assert zones_passes(served) == before


def test_a_kind_is_paused_with_a_reason_and_runs_again(tab: Watched, served: Served) -> None:
    page = tab.open(f"/loops/webhook?scope={ORGANIZATION}")
    page.get_by_role("heading", name="webhook", level=1).wait_for()
    for button, said in (("Pause this kind", "stop"), ("Resume this kind", "run")):
        page.get_by_role("button", name=button).click()
        page.get_by_role("dialog").get_by_label("why").fill("trying the lever")
        does = "Resume" if said == "run" else "Stop"
        page.get_by_role("dialog").get_by_role("button", name=does).click()
        expect(page.get_by_role("dialog")).to_have_count(0)
        modes = {each["key"]: each["mode"] for each in served.client.switches()}
        assert modes.get("kind:webhook", "run") == said


def test_the_last_day_is_a_map_that_leads_to_the_loop(tab: Watched) -> None:
    page = tab.open(f"/loops?scope={ORGANIZATION}")
    page.get_by_role("button", name="last 24 hours").click()
    row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name="DNS zone"))
    expect(row.get_by_role("cell")).to_have_count(24)
    expect(row.get_by_role("cell").last).to_contain_text("done")
    assert "view=hours" in page.url
    page.reload()
    page.get_by_role("rowheader", name="DNS zone").get_by_role("link").click()
    page.get_by_role("heading", name="DNS zone", level=1).wait_for()
