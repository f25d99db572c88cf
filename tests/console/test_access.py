"""Who may do what: given, seen before it is saved, and asked about."""

import re

import pytest
from playwright.sync_api import expect

from .browser import Served, Watched

pytestmark = pytest.mark.real


def test_a_colleague_gets_a_role_and_what_it_changes_is_shown_before(tab: Watched, served: Served) -> None:
    page = tab.open("/access?scope=acme")
    page.get_by_role("button", name="Give access").wait_for()
    page.keyboard.press("n")
    form = page.get_by_role("dialog", name="Give somebody access")
    form.get_by_role("textbox", name="email").fill("Carol@acme.example")
    moves = form.get_by_role("region", name="access diff")
    expect(moves.get_by_role("list", name="gains")).to_contain_text("create update project.")
    assert "carol@acme.example" not in members(served)
    form.get_by_role("button", name="Save and invite").click()
    invited = page.get_by_role("dialog", name="carol@acme.example is invited")
    expect(invited.get_by_text("#")).to_contain_text("setpoint_lnk_")
    invited.get_by_role("button", name="I have it").click()
    expect(page.get_by_role("list", name="members")).to_contain_text("carol@acme.example")
    page.get_by_role("button", name="change the roles of carol@acme.example").click()
    page.get_by_role("button", name="Remove from acme …").click()
    loses = page.get_by_role("list", name="loses")
    expect(loses).to_contain_text("create update project.")


def test_a_role_is_made_by_pressing_cells(tab: Watched, served: Served) -> None:
    page = tab.open("/access?scope=acme&tab=roles&role=new")
    page.get_by_role("textbox", name="name").fill("gardener")
    page.get_by_role("button", name="read project.*: not allowed").click()
    cell = page.get_by_role("button", name=re.compile("^read project.workspace.host: "))
    expect(cell).to_have_accessible_name("read project.workspace.host: allowed")
    cell.press("Enter")
    expect(cell).to_have_accessible_name("read project.workspace.host: forbidden")
    expect(page.get_by_role("region", name="access diff")).to_contain_text("nobody more and nobody less")
    page.get_by_role("button", name="Save role").click()
    page.get_by_role("button", name="gardener").wait_for()
    page.get_by_role("img", name="read project.workspace.host: forbidden").wait_for()
    found = served.client.items("/v1/organizations/acme/roles")
    (role,) = (each for each in found if each["metadata"]["name"] == "gardener")
    assert [(rule["keys"], rule["verbs"], rule["effect"]) for rule in role["spec"]["rules"]] == [
        (["project.*"], ["read"], "allow"),
        (["project.workspace.host"], ["read"], "forbid"),
    ]


def test_who_can_is_in_the_address_and_answered_with_the_rule(tab: Watched) -> None:
    page = tab.open("/access?scope=acme/shop&tab=who-can&verb=delete&key=project.workspace.host")
    who = page.get_by_role("list", name="who can delete project.workspace.host in acme/shop")
    expect(who).to_contain_text("role administrator allows")


def members(served: Served) -> list[str]:
    return [each["email"] for each in served.client.items("/v1/organizations/acme/members")]
