"""Oneself: sessions, the second factor, and tokens that are shown once."""

import time

import pytest
from playwright.sync_api import Browser, expect

from setpoint.access.totp import STEP, code_at

from .browser import EMAIL, PASSWORD, Served, Watched, connected

pytestmark = pytest.mark.real
FIREFOX = "Mozilla/5.0 (Android 16; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0"


def test_a_token_is_shown_once_used_and_revoked(tab: Watched, served: Served) -> None:
    page = tab.open("/me?scope=acme&tab=tokens")
    page.get_by_role("button", name="New token").click()
    page.get_by_role("textbox", name="name").fill("laptop")
    page.get_by_role("button", name="Make it").click()
    shown = page.get_by_role("dialog", name="The token laptop")
    secret = shown.locator("pre").inner_text()
    assert secret.startswith("setpoint_pat_")
    with connected({"url": served.url, "token": secret}) as client:
        assert client.me()["name"] == "ann@acme.example"
    shown.get_by_role("button", name="I have it").click()
    tokens = page.get_by_role("list", name="tokens")
    expect(tokens).to_contain_text("acts as you")
    assert secret not in page.content()
    tokens.get_by_role("button", name="revoke laptop").click()
    page.get_by_text("You have no token").wait_for()


def test_a_session_ends_elsewhere_and_not_here(tab: Watched, browser: Browser, served: Served) -> None:
    elsewhere = browser.new_context(user_agent=FIREFOX)
    phone = elsewhere.new_page()
    phone.goto(f"{served.url}/now?scope=acme")
    phone.get_by_role("textbox", name="email").fill(EMAIL)
    phone.get_by_role("textbox", name="password").fill(PASSWORD)
    phone.keyboard.press("Enter")
    phone.get_by_role("navigation", name="sections").wait_for()
    page = tab.open("/me?scope=acme")
    sessions = page.get_by_role("list", name="sessions")
    here = sessions.get_by_role("listitem").filter(has_text="this one")
    expect(here.get_by_role("button")).to_have_attribute("aria-disabled", "true")
    lost = sessions.get_by_role("listitem").filter(has_text="Firefox")
    lost.get_by_role("button").click()
    expect(lost).to_have_count(0)
    phone.goto(f"{served.url}/now?scope=acme")
    phone.get_by_role("textbox", name="password").wait_for()
    elsewhere.close()


def test_a_second_factor_is_set_up_with_recovery_codes_and_taken_away(tab: Watched) -> None:
    page = tab.open("/me?scope=acme&tab=proof")
    factor = page.get_by_role("region", name="second factor")
    factor.get_by_role("button", name="Set up an authenticator").click()
    factor.get_by_role("img", name="the key of your authenticator as a picture").wait_for()
    key = factor.locator("code").inner_text()
    factor.get_by_role("textbox", name="its first code").fill(code_at(key, int(time.time() // STEP)))
    factor.get_by_role("button", name="Turn it on").click()
    factor.get_by_text("It is on.").wait_for()
    assert len(factor.locator("pre").inner_text().splitlines()) >= 8
    factor.get_by_role("button", name="I have them").click()
    factor.get_by_role("button", name="Take it away").click()
    factor.get_by_role("button", name="Set up an authenticator").wait_for()
