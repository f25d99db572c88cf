"""Every number on a page is the API's: counts, budgets, guards and times, also after something changed."""

import re
from collections import Counter
from collections.abc import Callable
from typing import Final

import pytest
from playwright.sync_api import Locator, Page, expect

from setpoint.client.client import Batch
from setpoint.demo.cloud import cloud_at
from setpoint.demo.fleet import ORGANIZATION, OWNER, fleet, without_records

from .browser import AnyJson, Served, Watched, eventually, picture

pytestmark = pytest.mark.real
ALONE = True
BASE: Final = f"/v1/organizations/{ORGANIZATION}"
WEB: Final = "projects/shop/workspaces/prod/hosts/web-1"
STATES: Final = ("FAILED", "HELD", "DEGRADED", "PENDING", "READY")


@pytest.fixture(scope="module", autouse=True)
def eventful(served: Served) -> AnyJson:
    """Half of a file was lost, and an agent died: states differ, and a plan waits."""
    hetzner = served.found["clouds"]["hetzner"]
    items = without_records(fleet(hetzner["url"], served.found["url"]))
    served.client.declare(ORGANIZATION, Batch(items, OWNER, prune=True))
    kill(served, "web-3")
    (plan, *_) = eventually(lambda: served.client.plans(ORGANIZATION, "held"))
    eventually(lambda: state_of(served, "web-3") == "DEGRADED")
    return plan


def kill(served: Served, name: str) -> None:
    hetzner = served.found["clouds"]["hetzner"]
    hosts = served.client.items(f"{BASE}/hosts")
    (server,) = (each["status"]["facts"]["server"] for each in hosts if each["metadata"]["name"] == name)
    cloud_at(hetzner["url"], hetzner["token"]).kill_agent(server)


def state_of(served: Served, name: str) -> str:
    path = f"{BASE}/projects/shop/workspaces/prod/hosts/{name}"
    return str(served.client.connection.get(path)["status"]["state"])


def get(served: Served, path: str) -> AnyJson:
    return served.client.connection.get(f"{BASE}/{path}")


def counts(served: Served) -> tuple[Counter[str], Counter[str]]:
    """By state, and by kind."""
    states, kinds = Counter[str](), Counter[str]()
    for each in get(served, "inventory:summary?page_size=500")["items"]:
        states[each["state"]] += each["count"]
        kinds[each["kind"]] += each["count"]
    return states, kinds


def agrees(shown: Callable[[], AnyJson], told: Callable[[], AnyJson]) -> None:
    """Both move: they agree at some moment soon, or they never do."""
    eventually(lambda: shown() == told())


def numbers(found: Locator) -> list[int]:
    return [int(each.replace(",", "")) for each in re.findall(r"\d[\d,]*", found.inner_text())]


def test_now_counts_as_the_summary_does(tab: Watched, served: Served) -> None:
    page = tab.open("/now?scope=acme")
    heading = page.get_by_role("heading", name=re.compile("in step"))
    heading.wait_for()
    agrees(lambda: numbers(heading)[:2], lambda: [counts(served)[0]["READY"], counts(served)[0].total()])
    for state, word in (("HELD", "held"), ("DEGRADED", "degraded")):
        link = heading.get_by_role("link", name=re.compile(word))
        agrees(lambda link=link: numbers(link)[0], lambda state=state: counts(served)[0][state])


def test_the_inventory_counts_as_the_summary_does_and_shows_as_many_rows(
    tab: Watched, served: Served
) -> None:
    page = tab.open("/inventory?scope=acme")
    page.get_by_role("row").nth(1).wait_for()
    facets = page.get_by_role("group", name="states").get_by_role("button")
    agrees(
        lambda: [numbers(facets.nth(at))[0] for at in range(len(STATES))],
        lambda: [counts(served)[0][state] for state in STATES],
    )
    kinds = page.get_by_role("group", name="kinds").get_by_role("button").all_inner_texts()
    told = counts(served)[1]
    assert sorted(int(text.split("\n")[-1]) for text in kinds) == sorted(told.values())
    agrees(lambda: numbers(page.get_by_text(" shown")), lambda: [counts(served)[0].total()])


def test_a_row_that_left_the_state_one_looks_at_leaves_the_list(tab: Watched, served: Served) -> None:
    page = tab.open("/inventory?scope=acme&kind=host&state=READY")
    rows = page.get_by_role("row").filter(has=page.get_by_role("link"))
    names = lambda: rows.get_by_role("link").all_inner_texts()  # noqa: E731 - looked at again and again
    expect(page.get_by_role("link", name="web-2", exact=True)).to_be_visible()
    kill(served, "web-2")
    expect(page.get_by_role("link", name="web-2", exact=True)).to_have_count(0)
    ready = lambda: [  # noqa: E731 - as above
        each["metadata"]["name"] for each in get(served, "inventory?kind=host&state=READY")["items"]
    ]
    agrees(lambda: sorted(names()), lambda: sorted(ready()))
    assert numbers(page.get_by_text(" shown"))[0] == len(names())


def test_an_object_has_as_many_changes_as_its_history(tab: Watched, served: Served) -> None:
    known = get(served, WEB)
    labels = {"kind": "host", "metadata": {"name": "web-1", "project": "shop", "workspace": "prod"}}
    for value in ("one", "two"):
        item = {**labels, "spec": known["spec"]}
        item["metadata"] = {**labels["metadata"], "labels": {"tried": value}}  # type: ignore[dict-item]
        served.client.declare(ORGANIZATION, Batch([item], ""))
    page = tab.open("/inventory/host/acme/shop/prod/web-1?scope=acme&tab=changes")
    past = get(served, f"{WEB}/history?page_size=50")["items"]
    expect(page.get_by_role("tab", name=re.compile("^Changes"))).to_have_text(f"Changes {len(past)}")
    expect(page.get_by_role("listitem").filter(has_text="generation")).to_have_count(len(past))


def test_an_object_says_when_it_was_observed_and_is_next(tab: Watched, served: Served) -> None:
    """By the page's own clock, within the seconds that it shows."""
    page = tab.open("/inventory/host/acme/shop/prod/web-1?scope=acme")
    title = page.locator(".title-reason")
    expect(title).to_contain_text("observed")
    observed, following = title.locator("time").nth(1), title.locator("time").nth(2)
    agrees(
        lambda: observed.get_attribute("datetime", timeout=1_000),
        lambda: iso(page, get(served, WEB)["status"]["observed_at"]),
    )
    expect(title).to_contain_text("next observation")
    assert following.count() <= 1
    condition = page.locator("dd", has_text="heartbeats arrive")
    expect(condition).to_contain_text(re.compile(r"for \d+ (s|min)"))


def iso(page: Page, at: str) -> str:
    return str(page.evaluate("(at) => new Date(at).toISOString()", at))


def test_the_inbox_counts_the_plans_that_wait_and_its_guards_are_the_reviews(
    tab: Watched, served: Served, eventful: AnyJson
) -> None:
    page = tab.open(f"/plans/{eventful['id']}?scope=acme")
    held = served.client.plans(ORGANIZATION, "held")
    expect(page.get_by_role("link", name=f"{len(held)} plan")).to_be_visible()
    review = get(served, f"plans/{eventful['id']}:review")
    holding = [guard for guard in review["guards"] if guard["held"]]
    expect(page.get_by_text(f"{len(holding)} of {len(review['guards'])} hold it")).to_be_visible()
    for guard in review["guards"]:
        if guard.get("used") is None:
            continue
        line = page.locator(".plan-checklist > li").filter(
            has_text=re.compile(f"^.?{guard['name'].replace('_', ' ')}")
        )
        expect(line.locator(".number").first).to_contain_text(re.compile(rf"\b{guard['used']:g}\b"))
        expect(line.locator(".number").first).to_contain_text(re.compile(rf"\b{guard['allowed']:g}\b"))
    elsewhere = tab.open("/inbox?scope=acme/elsewhere")
    expect(elsewhere.get_by_role("link", name="0 plans wait for a person")).to_be_visible()


def test_loops_show_what_the_api_counts(tab: Watched, served: Served) -> None:
    page = tab.open("/loops?scope=acme")
    page.get_by_role("row").nth(1).wait_for()
    loops = get(served, "loops?page_size=100")
    budget = loops["budget"]
    expect(page.get_by_text(f"{budget['left']} of {budget['limit']} deletes left this hour")).to_be_visible()
    expect(page.get_by_text(re.compile(f"^{len(loops['items'])} loops"))).to_be_visible()
    zone = next(each for each in loops["items"] if each["kind"] == "dns_zone")
    page = tab.open("/loops/dns_zone?scope=acme")
    for title, count in (
        ("Slow lane", zone["slow"]),
        ("Contested", zone["contested"]),
        ("Braked", zone["braked"]),
    ):
        expect(page.get_by_role("heading", name=f"{title} {count}")).to_be_visible()
    deletes = zone["deletes"] + zone["approved_deletes"]
    figure = page.locator("section.card").filter(has_text="Deletes in the last hour")
    expect(figure).to_contain_text(re.compile(rf"hour\s*{deletes}"))


def test_hosts_providers_tasks_and_members_are_counted_as_the_api_does(tab: Watched, served: Served) -> None:
    hosts = list(served.client.items(f"{BASE}/hosts"))
    page = tab.open("/hosts?scope=acme")
    expect(page.get_by_role("list", name="hosts").get_by_role("listitem")).to_have_count(len(hosts))
    unwell = lambda: sum(  # noqa: E731 - looked at again and again
        each["status"]["state"] != "READY" for each in served.client.items(f"{BASE}/hosts")
    )
    facet = page.get_by_role("button", name=re.compile("^not READY"))
    agrees(lambda: numbers(facet), lambda: [unwell()])
    (provider,) = served.client.items(f"{BASE}/providers")
    facts = provider["status"]["facts"]
    page = tab.open("/providers?scope=acme")
    card = page.get_by_role("region", name="provider hetzner")
    expect(card).to_contain_text(f"{facts['servers']} servers, {facts['marked']} of them ours")
    expect(card).to_contain_text(f"{facts['zones']} zones")
    failed = [each for each in served.client.tasks(ORGANIZATION) if each["state"] == "failed"]
    running = [each for each in served.client.tasks(ORGANIZATION) if each["state"] not in ("done", "failed")]
    page = tab.open("/tasks?scope=acme")
    says = f"{len(running)} under way" if running else "nothing is under way"
    expect(page.get_by_text(says + (f", {len(failed)} failed" if failed else ""))).to_be_visible()
    members = list(served.client.items(f"{BASE}/members"))
    page = tab.open("/access?scope=acme")
    expect(page.get_by_role("tab", name="Members")).to_have_text(f"Members {len(members)}")


def test_of_an_organization_that_is_not_there_nothing_is_counted(tab: Watched) -> None:
    page = tab.open("/now?scope=nothing-of-this-name")
    expect(page.get_by_role("heading", name="There is no organization nothing-of-this-name")).to_be_visible()
    expect(page.get_by_text("in step")).to_have_count(0)
    expect(page.get_by_role("button", name=re.compile("^mode: "))).to_have_count(0)
    expect(page.locator(".stream")).to_have_count(0)
    picture(page, "unknown-organization")
    tab.complaints.clear()  # The browser tells of the 404.
