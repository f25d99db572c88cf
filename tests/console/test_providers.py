"""Accounts at vendors: what they are for, and a credential that is changed with overlap."""

import pytest
from playwright.sync_api import expect

from .browser import Served, Watched

pytestmark = pytest.mark.real


def test_a_card_says_what_may_be_done_and_what_breaks_without_it(tab: Watched) -> None:
    page = tab.open("/providers?scope=acme")
    card = page.get_by_role("region", name="provider hetzner")
    expect(card).to_contain_text("reads everything")
    expect(card).to_contain_text(" % of 360,000 left")
    card.get_by_text("objects could not be looked at or changed any more").click()
    card.get_by_role("link", name="web-1").wait_for()


def test_a_credential_is_sealed_here_and_never_shown(tab: Watched, served: Served) -> None:
    page = tab.open("/providers?scope=acme")
    page.get_by_role("button", name="the credential of hetzner").click()
    value = f"{served.found['clouds']['hetzner']['token']}"
    page.get_by_label("the new credential").fill(value)
    page.get_by_role("button", name="Keep it", exact=True).click()
    card = page.get_by_role("region", name="provider hetzner")
    expect(card).to_contain_text("version 1, set")
    assert value not in page.content()
    (secret,) = served.client.items("/v1/organizations/acme/secrets")
    assert (secret["name"], secret["version"]) == ("hetzner", 1)
