"""Everything of a scope in one list, whatever its kind; and how many of it are in which state."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from harness import ORGANIZATION, PROJECT, WORKSPACE

from .kit import Api, as_other, channel, settled, still, thing

pytestmark = pytest.mark.asyncio(loop_scope="module")

EVERYTHING = ["acme", "example-org", "hetzner", "hooks", "prod", "shop", "web-1"]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def some(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Api]:
    host = thing(
        "host", "web-1", {"provider": "hetzner"}, project="shop", workspace="prod", labels={"tier": "Web"}
    )
    async with still(tmp_path_factory.mktemp("some")) as api:
        assert (await api.declare(*settled(), host)).status == 200
        yield api


async def test_all_kinds_are_in_one_list(some: Api) -> None:
    found = await some.get(f"{ORGANIZATION}/inventory?page_size=50&order_by=name")
    assert found.names == EVERYTHING[1:]
    assert {item["kind"] for item in found.body["items"]} == {
        "dns_zone", "provider", "notification_channel", "workspace", "project", "host"
    }  # fmt: skip


async def test_pages_joined_are_the_whole_list(some: Api) -> None:
    names, token = [], ""
    while True:
        page = await some.get(f"{ORGANIZATION}/inventory?page_size=2&page_token={token}")
        names += page.names
        token = page.body["next_page_token"]
        if not token:
            break
    assert sorted(names) == EVERYTHING[1:]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("kind=host", ["web-1"]),
        ("text=WEB", ["web-1"]),
        ("text=tier=web", ["web-1"]),
        ("text=oo", ["hooks"]),
        ("state=READY", ["hooks"]),
        ('filter=kind == "host" || name == "hooks"', ["hooks", "web-1"]),
    ],
)
async def test_it_is_narrowed_by_kind_text_state_and_filter(some: Api, query: str, names: list[str]) -> None:
    assert sorted((await some.get(f"{ORGANIZATION}/inventory?{query}")).names) == names


async def test_a_project_and_a_workspace_show_what_lies_in_them(some: Api) -> None:
    assert sorted((await some.get(f"{PROJECT}/inventory")).names) == ["example-org", "prod", "web-1"]
    assert (await some.get(f"{WORKSPACE}/inventory")).names == ["web-1"]


async def test_a_kind_that_is_not_there_is_refused(some: Api) -> None:
    refused = await some.get(f"{ORGANIZATION}/inventory?kind=hsot")
    assert (refused.status, refused.body["code"]) == (400, "bad_query")


async def test_the_summary_counts_what_the_list_shows(some: Api) -> None:
    listed = (await some.get(f"{ORGANIZATION}/inventory?page_size=500")).body["items"]
    counted = (await some.get(f"{ORGANIZATION}/inventory:summary")).body["items"]
    assert sum(item["count"] for item in counted) == len(listed)
    assert {(item["kind"], item["state"]) for item in counted} == {
        (item["kind"], item["status"]["state"]) for item in listed
    }
    assert (await some.get(f"{WORKSPACE}/inventory:summary")).body["items"] == [
        {"kind": "host", "state": "PENDING", "count": 1}
    ]


async def test_whoever_may_see_one_project_counts_that_project(some: Api) -> None:
    body = {"name": "eve", "role": "member", "project": "shop"}
    token = (await some.call("POST", f"{ORGANIZATION}/tokens", body)).body["token"]
    async with as_other(some, token) as eve:
        listed = (await eve.get(f"{ORGANIZATION}/inventory?page_size=500")).names
        counted = (await eve.get(f"{ORGANIZATION}/inventory:summary")).body["items"]
    assert "hetzner" not in listed
    assert {"web-1", "example-org"} <= set(listed)
    assert sum(item["count"] for item in counted) == len(listed)


async def test_whoever_may_see_one_object_counts_that_object(some: Api) -> None:
    keys = ["organization.notification_channel"]
    rules = [{"verbs": ["read"], "keys": keys, "names": ["hooks"]}, {"verbs": ["read"], "keys": ["catalog"]}]
    one = thing("role", "one", {"about": "one channel", "rules": rules})
    assert (await some.declare(channel("more"), one)).status == 200
    made = await some.call("POST", f"{ORGANIZATION}/tokens", {"name": "mallory", "role": "one"})
    async with as_other(some, made.body["token"]) as mallory:
        found = await mallory.get(f"{ORGANIZATION}/inventory:summary")
    assert found.body["items"] == [{"kind": "notification_channel", "state": "READY", "count": 1}]
    await some.good("DELETE", f"{ORGANIZATION}/tokens/{made.body['id']}")
    for path in ("notification_channels/more", "roles/one"):
        await some.good("DELETE", f"{ORGANIZATION}/{path}")
