"""A task that failed: read why, and begun once more when its cause is gone."""

import pytest
from playwright.sync_api import expect

from setpoint.client.client import Batch
from setpoint.demo.cloud import cloud_at
from setpoint.demo.fleet import ORGANIZATION

from .browser import Served, Watched

pytestmark = pytest.mark.real
ALONE = True
LAB = {"kind": "workspace", "metadata": {"name": "lab", "project": "shop"}, "spec": {"provider": "hetzner"}}


def test_a_failed_task_is_begun_once_more_with_a_reason(tab: Watched, served: Served) -> None:
    cloud = cloud_at(served.found["clouds"]["hetzner"]["url"], served.found["clouds"]["hetzner"]["token"])
    cloud.fault(kind="error", method="POST", path="/firewalls", status=422)
    served.client.declare(ORGANIZATION, Batch([LAB], "lab.yaml"))
    page = tab.open(f"/tasks?scope={ORGANIZATION}")
    page.get_by_role("row").filter(has_text="lab").filter(has_text="failed").click()
    expect(page.get_by_role("button", name="Cancel")).to_have_attribute("aria-disabled", "true")
    cloud.mend()
    before = page.url
    page.get_by_role("button", name="Retry").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Begin once more")).to_have_attribute("aria-disabled", "true")
    dialog.get_by_label("why").fill("the quota was raised")
    dialog.get_by_role("button", name="CLI").click()
    expect(dialog.get_by_text("setpoint retry")).to_be_visible()
    dialog.get_by_role("button", name="Begin once more").click()
    expect(
        page.get_by_role("banner").or_(page.locator(".page header")).get_by_text("done").first
    ).to_be_visible()
    assert page.url != before
    page.go_back()
    expect(page.get_by_role("button", name="Retry")).to_have_attribute("aria-disabled", "true")
