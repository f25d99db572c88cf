"""Who did what, whether the chain is whole, and what a line changed."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from setpoint.client.client import Batch

from .browser import Served, Watched

pytestmark = pytest.mark.real
ABOUT = "/audit?scope=acme&about=auditors"


@pytest.fixture(scope="module", autouse=True)
def role(served: Served) -> None:
    for verbs in (["read"], ["read", "update"]):
        rule = {"keys": ["project.*"], "verbs": verbs}
        metadata = {"organization": "acme", "name": "auditors"}
        item = {"kind": "role", "metadata": metadata, "spec": {"rules": [rule]}}
        served.client.declare("acme", Batch([item], ""))


def test_a_line_shows_what_was_before_and_after(tab: Watched) -> None:
    page = tab.open(ABOUT)
    page.get_by_text("chain verified: ").wait_for()
    page.get_by_role("row").filter(has_text="intent.changed").click()
    line = page.get_by_role("complementary")
    expect(line.get_by_role("row").filter(has_text="spec.rules")).to_contain_text('"read","update"')
    again = tab.open(page.url.removeprefix(tab.url))
    expect(again.get_by_role("complementary")).to_contain_text("Before and after")
    expect(again.get_by_role("combobox", name="to")).to_have_value("auditors")


def test_the_lines_are_saved_with_their_hashes(tab: Watched, tmp_path: Path) -> None:
    page = tab.open(ABOUT)
    page.get_by_role("row").filter(has_text="intent.changed").wait_for()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Export").click()
    saved.value.save_as(tmp_path / "audit.jsonl")
    lines = [json.loads(text) for text in (tmp_path / "audit.jsonl").read_text().splitlines()]
    assert [line["action"] for line in lines] == ["intent.changed", "intent.declared"]
    assert all(len(line["hash"]) == 64 for line in lines)
