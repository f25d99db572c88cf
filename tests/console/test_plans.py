"""A held plan: found in the inbox, read by its causes, approved in part, followed until it is done."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from setpoint.client.client import Batch
from setpoint.demo.fleet import DROPPED, ORGANIZATION, OWNER, fleet, records, without_records

from .browser import EMAIL, AnyJson, Served, Watched
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
    page.get_by_role("region", name="the chosen plan").get_by_text("destroys all 12").wait_for()
    yield served.client.plans(ORGANIZATION, "held")[0]
    declare(served, items(served))


def test_some_of_a_plan_is_approved_and_followed_and_the_rest_asks_again(
    tab: Watched, served: Served, emptied: AnyJson, hands: Hands
) -> None:
    page = tab.page
    pane = page.get_by_role("region", name="the chosen plan")
    deciding = hands.within(pane)
    expect(pane.get_by_text("12 deletes at once, allowed 1")).to_be_visible()
    approve = pane.get_by_role("button", name="Approve")
    expect(approve).to_contain_text(emptied["digest"][:8])
    expect(approve).to_have_attribute("aria-disabled", "true")  # Nobody said why yet.
    deciding.press("checkbox", "approve delete no longer declared")
    for name in DROPPED:
        deciding.press("checkbox", f"approve delete {name}/A")
    deciding.write("why", "the old shop is closed")
    expect(approve).to_contain_text("Approve 4 of 12")
    deciding.press("button", "Approve")
    expect(pane.get_by_text("destroys all 8")).to_be_visible()
    expect(pane.get_by_text("left out when the rest was approved")).to_be_visible()
    page.goto(f"{served.url}/plans/{emptied['id']}?scope={ORGANIZATION}")
    page.get_by_text("4 of 4 done").wait_for()
    done = served.client.plan(ORGANIZATION, emptied["id"])
    assert (done["agreed"], done["decided_by"]) == ([f"{name}/A" for name in DROPPED], EMAIL)


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
    assert served.client.plan(ORGANIZATION, emptied["id"])["state"] == "rejected"
