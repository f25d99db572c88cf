"""Thousands of objects, and a plan of a thousand changes: in pages, narrowed by the server, few drawn."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Response, expect

from setpoint.client.client import Batch

from .browser import Served, Watched, connected, sign_in_by_link
from .journal import Asked, asked, too_large
from .many import HOSTS, PLAN, many, name

pytestmark = pytest.mark.real

MANY = 3_000
MOST_DRAWN = 80
PAGE = 100


@pytest.fixture(scope="module")
def served(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with many(tmp_path_factory.mktemp("many"), MANY) as found:
        context = browser.new_context()
        sign_in_by_link(context.new_page(), found["link"])
        state = context.storage_state()
        context.close()
        with connected(found) as client:
            yield Served(found["url"], found, client, state)


@pytest.fixture
def responses(tab: Watched) -> Iterator[list[Response]]:
    found: list[Response] = []
    tab.page.on("response", lambda each: found.append(each))  # noqa: PLW0108 - it marks what it is given
    yield found
    assert too_large(found) == []
    assert [each for each in asked(tab.requests) if each.lists and "page_size" not in each.query] == []


def names(page: Page) -> list[str]:
    return page.get_by_role("row").get_by_role("link").all_inner_texts()


def last(tab: Watched) -> dict[str, list[str]]:
    """What the list was asked for at last."""
    return [each.query for each in asked(tab.requests) if each.path.endswith("/inventory")][-1]


def test_a_page_is_read_few_rows_are_drawn_and_more_come_at_the_end(
    tab: Watched, responses: list[Response]
) -> None:
    page = tab.open("/inventory?scope=acme&order=name")
    expect(page.get_by_role("link", name=name(0), exact=True)).to_be_visible()
    tab.rest()
    assert page.get_by_role("status").get_by_text(f"{PAGE}+ shown").count() == 1
    assert page.get_by_role("row").count() <= MOST_DRAWN
    for _ in range(3):
        page.get_by_role("grid").evaluate("grid => grid.scrollTo(0, grid.scrollHeight)")
        tab.rest()
    expect(page.get_by_role("link", name=name(3 * PAGE + 5), exact=True)).to_be_visible()
    assert page.get_by_role("row").count() <= MOST_DRAWN
    assert "page_token" in last(tab)


def test_what_is_typed_narrows_at_the_server(tab: Watched, responses: list[Response]) -> None:
    page = tab.open("/inventory?scope=acme")
    page.get_by_role("row").nth(1).wait_for()
    page.get_by_label("find by name").press_sequentially("l-0299")
    expect(page.get_by_role("row")).to_have_count(1 + 10)
    assert names(page) == [name(2990 + number) for number in range(10)]
    assert last(tab)["text"] == ["l-0299"]


def test_an_order_and_a_state_are_the_servers(tab: Watched, responses: list[Response]) -> None:
    page = tab.open("/inventory?scope=acme&kind=notification_channel&order=name desc")
    expect(page.get_by_role("link", name=name(MANY - 1), exact=True)).to_be_visible()
    facets = page.get_by_role("group", name="states")
    facets.get_by_role("button", name=re.compile("HELD")).click()
    expect(page.get_by_role("row").nth(1)).to_contain_text("HELD")
    tab.rest()
    assert (last(tab)["state"], last(tab)["order_by"]) == (["HELD"], ["name desc"])
    assert facets.get_by_role("button", name=re.compile("HELD")).inner_text().split()[-1] == str(MANY // 20)


def test_how_things_stand_is_told_without_reading_everything(tab: Watched, responses: list[Response]) -> None:
    page = tab.open("/now?scope=acme")
    page.get_by_role("heading", level=1).first.wait_for()
    tab.rest()
    assert sum(len(each.query.get("page_token", [])) for each in asked(tab.requests)) == 0


def test_a_thousand_equal_changes_are_one_row_and_its_members_come_in_pages(
    tab: Watched, responses: list[Response]
) -> None:
    page = tab.open(f"/plans/{PLAN}?scope=acme")
    rows = page.locator(".plan-group")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("1000")
    expect(rows).to_contain_text("size cx22 → cx42")
    members = page.locator(".plan-members-list > li .link.mono")
    expect(members).to_have_count(50)
    page.get_by_role("button", name="50 of 1000 shown, show more").click()
    expect(members).to_have_count(100)
    page.get_by_role("checkbox", name="approve replace web-0007").uncheck()
    expect(page.get_by_role("button", name=re.compile(f"Approve {HOSTS - 1} of {HOSTS}"))).to_be_visible()
    tab.rest()
    paged = [each.query for each in asked(tab.requests) if each.path.endswith(":changes")]
    assert paged
    assert all("page_size" in query for query in paged)


def test_a_stop_of_everything_is_told_to_whoever_asks_for_nothing(tab: Watched, served: Served) -> None:
    page = tab.open("/inventory?scope=acme")
    expect(page.get_by_role("status", name=re.compile("stream: live"))).to_be_visible()
    tab.rest()
    before = len(levers(tab))
    served.client.set_switch("all", {"mode": "stop", "reason": "something is off"})
    expect(page.locator(".banner", has_text="something is off")).to_be_visible()
    served.client.clear_switch("all")
    expect(page.locator(".banner")).to_have_count(0)
    assert len(levers(tab)) - before == 2, "once for each move, and not now and then"


def levers(tab: Watched) -> list[Asked]:
    return [each for each in asked(tab.requests) if each.path == "/v1/switches"]


def test_members_are_loaded_in_pages_and_deleting_shows_who_loses_what(
    tab: Watched, served: Served, responses: list[Response]
) -> None:
    rules = [{"keys": ["project.dns_zone"], "verbs": ["read"]}]
    people = [
        {
            "kind": "membership",
            "metadata": {"name": f"p{number:02}"},
            "spec": {"email": f"p{number:02}@example.org", "roles": [{"role": "dns"}] if number == 0 else []},
        }
        for number in range(60)
    ]
    role = {"kind": "role", "metadata": {"name": "dns"}, "spec": {"rules": rules}}
    served.client.declare("acme", Batch([role, *people], ""))
    page = tab.open("/access?scope=acme")
    lines = page.get_by_role("list", name="members").get_by_role("listitem")
    expect(lines).to_have_count(50)
    page.get_by_role("button", name="50 shown, load more").click()
    expect(lines).to_have_count(60)
    page.goto(f"{served.url}/access?scope=acme&tab=roles&role=dns")
    page.get_by_role("button", name="Change", exact=True).click()
    page.get_by_role("button", name="Delete the role …").click()
    lost = page.get_by_role("region", name="what is lost")
    expect(lost.get_by_text("p00@example.org")).to_be_visible()
    expect(page.get_by_text("! membership p00: there is no role dns")).to_be_visible()
    expect(page.get_by_role("button", name="Delete dns")).to_have_attribute("aria-disabled", "true")
