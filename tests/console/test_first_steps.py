"""The way in, and the list of all there is."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from setpoint.client.client import Batch
from setpoint.demo.fleet import ORGANIZATION

from .browser import AnyJson, Served, Watched, connected, sign_in_by_link, started

pytestmark = pytest.mark.real


def test_whoever_has_the_first_link_signs_in_once_and_is_shown_how_things_stand(
    browser: Browser, tmp_path: Path, way: str
) -> None:
    with started(tmp_path) as found:
        context = browser.new_context()
        page = context.new_page()
        sign_in_by_link(page, found["link"], way)
        expect(page).to_have_url(re.compile("/now"))
        expect(page.get_by_role("heading", name="Nothing is declared yet")).to_be_visible()
        assert found["link"].rpartition("#")[2] not in page.url
        with connected(found) as client:
            items: list[AnyJson] = [
                {"kind": "organization", "metadata": {"name": ORGANIZATION}, "spec": {}},
                {"kind": "project", "metadata": {"name": "shop"}, "spec": {}},
            ]
            client.declare(ORGANIZATION, Batch(items, "shop.yaml"))
        expect(page.get_by_role("heading", name=re.compile("in step"))).to_be_visible()
        context.close()
        again = browser.new_page()
        again.goto(found["link"])
        expect(again.get_by_role("alert")).to_be_visible()
        again.context.close()


def test_all_there_is_is_listed_with_its_state(tab: Watched, served: Served) -> None:
    page = tab.open("/inventory?scope=acme&kind=host")
    row = page.get_by_role("row").filter(has=page.get_by_role("link", name="web-1"))
    row.get_by_text("READY").wait_for()
