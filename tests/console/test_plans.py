"""A held plan: found in the inbox, read by its causes, approved in part, followed until it is done."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from setpoint.client.client import Batch
from setpoint.demo.fleet import DROPPED, ORGANIZATION, OWNER, fleet, records, without_records

from .browser import EMAIL, AnyJson, Served, Watched, picture
from .hands import Hands

pytestmark = pytest.mark.real
ALONE = True


def items(served: Served) -> list[AnyJson]:
    return fleet(served.found["clouds"]["hetzner"]["url"], served.found["url"])


def declare(served: Served, wanted: list[AnyJson]) -> None:
    served.client.declare(ORGANIZATION, Batch(wanted, OWNER, prune=True))


@pytest.fixture
def emptied(served: Served, tab: Watched) -> Iterator[AnyJson]:
    """Somebody lost half of the file: twelve names are no longer declared, and a plan waits."""
    page = tab.open(f"/inventory?scope={ORGANIZATION}&kind=dns_record&state=READY")
    expect(page.get_by_role("row")).to_have_count(13)
    declare(served, without_records(items(served)))
    page = tab.open(f"/inbox?scope={ORGANIZATION}")
    page.get_by_role("region", name="the chosen plan").get_by_text("would destroy all 12").wait_for()
    yield served.client.plans(ORGANIZATION, "held")[0]
    declare(served, items(served))


def test_some_of_a_plan_is_approved_and_followed_and_the_rest_asks_again(
    tab: Watched, served: Served, emptied: AnyJson, hands: Hands
) -> None:
    page = tab.page
    pane = page.get_by_role("region", name="the chosen plan")
    deciding = hands.within(pane)
    budget = budget_of(served, emptied)
    expect(pane.get_by_text(budget)).to_be_visible()
    approve = pane.get_by_role("button", name="Approve")
    expect(approve).to_contain_text(emptied["digest"][:8])
    expect(approve).to_have_attribute("aria-disabled", "true")  # Nobody said why yet.
    deciding.press("checkbox", "approve delete no longer declared")
    for name in DROPPED:
        deciding.press("checkbox", f"approve delete {name}/A")
    deciding.write("why", "the old shop is closed")
    expect(approve).to_contain_text("Approve 4 of 12")
    deciding.press("button", "Approve")
    expect(pane.get_by_text("would destroy all 8")).to_be_visible()
    expect(pane.get_by_text("left out when the rest was approved")).to_be_visible()
    page.goto(f"{served.url}/plans/{emptied['id']}?scope={ORGANIZATION}")
    page.get_by_text("4 of 4 done").wait_for()
    assert_told_as_it_was(page, budget)
    done = served.client.plan(ORGANIZATION, emptied["id"])
    assert (done["agreed"], done["decided_by"]) == ([f"{name}/A" for name in DROPPED], EMAIL)


def budget_of(served: Served, plan: AnyJson) -> str:
    """How much of the delete budget the plan would use, as the API has it."""
    path = f"/v1/organizations/{ORGANIZATION}/plans/{plan['id']}:review"
    guards = served.client.connection.get(path)["guards"]
    guard = next(each for each in guards if each["name"] == "delete_budget")
    return f"{guard['used']:g} {guard['of']}, allowed {guard['allowed']:g}"


def assert_told_as_it_was(page: Page, budget: str) -> None:
    """Four are gone, eight were left out and are in another plan; who overruled the guards is named."""
    heading = page.locator("header.plan-review-head")
    expect(heading).to_contain_text("4 of 12 approved and done")
    expect(heading).to_contain_text("destroyed 4 of 12")
    deleted = page.get_by_role("region", name="Deleted 4")
    left = page.get_by_role("region", name="Left out 8")
    for name in DROPPED:
        expect(deleted.get_by_role("button", name=f"{name}/A")).to_be_visible()
        expect(left.get_by_role("button", name=f"{name}/A")).to_have_count(0)
    expect(left.get_by_role("button", name="www/A")).to_be_visible()
    expect(page.get_by_text(f"overruled by {EMAIL}").first).to_be_visible()
    expect(page.get_by_text(budget)).to_be_visible()  # As it was judged, before anybody decided.
    picture(page, "plan-in-part")
    left.get_by_role("link", name="the plan that asks about them now").click()
    expect(page.get_by_role("region", name="Would delete 8")).to_be_visible()


def test_a_plan_that_moved_cannot_be_approved_and_says_what_changed(
    tab: Watched, served: Served, emptied: AnyJson
) -> None:
    page = tab.open(f"/plans/{emptied['id']}?scope={ORGANIZATION}")
    page.get_by_role("button", name="Approve all 12").wait_for()
    kept = [record for record in records() if record["metadata"]["name"] == "www"]
    declare(served, [*without_records(items(served)), *kept])
    page.get_by_text("A newer plan took its place.").wait_for()
    expect(page.get_by_role("button", name="Approve")).to_have_count(0)
    page.get_by_role("button", name="what changed since").click()
    expect(page.get_by_text("www/A").first).to_be_visible()
    page.get_by_role("link", name="go to the newer plan").click()
    page.get_by_role("button", name="Approve all 11").wait_for()


def test_a_plan_is_rejected_with_the_keyboard_alone(tab: Watched, served: Served, emptied: AnyJson) -> None:
    page = tab.page
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="DNS zone example-org", level=1).wait_for()
    page.keyboard.press("d")
    page.keyboard.press("a")
    page.keyboard.type("the file was empty by mistake")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_text("rejected by ann@acme.example").first.wait_for()
    expect(page.get_by_role("region", name="Was to delete 12")).to_be_visible()
    expect(page.locator("header.plan-review-head")).to_contain_text("was to destroy all 12")
    expect(page.get_by_text("overruled by")).to_have_count(0)
    picture(page, "plan-rejected")
    assert served.client.plan(ORGANIZATION, emptied["id"])["state"] == "rejected"
