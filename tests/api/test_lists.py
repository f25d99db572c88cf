"""Lists as people ask for them: filtered, sorted, in parts, counted; and no more work than was promised."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlencode

import pytest
import pytest_asyncio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness import ORGANIZATION
from setpoint.api import collection

from .kit import Api, as_other, channel, settled, still

pytestmark = pytest.mark.asyncio(loop_scope="module")

CHANNELS = f"{ORGANIZATION}/notification_channels"
NUMBER = 40
KNOWN = "known are state, reason, name, labels, kind, metadata, spec, status"
FEW = settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def name(number: int) -> str:
    """Names that do not rise with the time they were given."""
    return f"c{(number * 17) % NUMBER:02}"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def many(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Api]:
    async with still(tmp_path_factory.mktemp("many")) as api:
        items = [channel(name(n), labels={"n": str(n % 4)}) for n in range(NUMBER)]
        assert (await api.declare(*settled()[:-1], *items)).status == 200
        yield api


async def pages(api: Api, size: int, **query: Any) -> AsyncIterator[list[str]]:
    after = ""
    while True:
        page = await api.get(f"{CHANNELS}?{urlencode({'page_size': size, 'page_token': after, **query})}")
        assert page.status == 200, page.raw
        yield page.names
        after = page.body["next_page_token"]
        if not after:
            return


ORDERS = {
    "created": [name(n) for n in range(NUMBER)],
    "created desc": [name(n) for n in reversed(range(NUMBER))],
    "name": [f"c{n:02}" for n in range(NUMBER)],
    "name asc": [f"c{n:02}" for n in range(NUMBER)],
    "-name": [f"c{n:02}" for n in reversed(range(NUMBER))],
}


@given(size=st.integers(1, 60), order=st.sampled_from(list(ORDERS)), wanted=st.sampled_from(["", "0", "3"]))
@FEW
async def test_pages_joined_are_all_in_their_order(many: Api, size: int, order: str, wanted: str) -> None:
    query = {"order_by": order, **({"filter": f'labels.n == "{wanted}"'} if wanted else {})}
    found = [page async for page in pages(many, size, **query)]
    matching = {name(n) for n in range(NUMBER) if not wanted or str(n % 4) == wanted}
    assert [one for page in found for one in page] == [one for one in ORDERS[order] if one in matching]


async def test_what_changed_last_comes_last_or_first(many: Api) -> None:
    await many.good("PATCH", f"{CHANNELS}/c05", {"metadata": {"labels": {"n": "1", "new": "yes"}}})
    assert (await many.get(f"{CHANNELS}?order_by=changed&page_size=500")).names[-1] == "c05"
    latest = await many.get(f"{CHANNELS}?order_by=-changed&page_size=1")
    assert latest.names == ["c05"]
    assert latest.body["items"][0]["metadata"]["changed_by"] == "administrator"


@pytest.mark.parametrize("order", ["created", "name"])
async def test_nothing_is_lost_or_doubled_while_others_declare(many: Api, order: str) -> None:
    before = {one async for page in pages(many, 100) for one in page}
    new = [f"{'ax'[n % 2]}-{order}-{n}" for n in range(30)]

    async def declare() -> None:
        for one in new:
            await many.good("PUT", f"{CHANNELS}/{one}", channel(one))

    declaring = asyncio.create_task(declare())
    while not declaring.done():
        seen = [one async for page in pages(many, 7, order_by=order) for one in page]
        assert len(seen) == len(set(seen))
        assert before <= set(seen)
    for one in new:
        await many.good("DELETE", f"{CHANNELS}/{one}")


async def test_only_the_parts_that_were_asked_for(many: Api) -> None:
    fields = "spec.url,metadata.name,metadata.labels.n,status.state"
    found = await many.get(f"{CHANNELS}?fields={fields}&page_size=1")
    assert found.body["items"] == [
        {
            "spec": {"url": "https://hooks.example.org/"},
            "metadata": {"name": "c00", "labels": {"n": "0"}},
            "status": {"state": "READY"},
        }
    ]
    one = await many.get(f"{CHANNELS}/c00?fields=metadata,metadata.name,kind")
    assert one.body.keys() == {"metadata", "kind"}
    assert {"name", "ref", "generation"} <= one.body["metadata"].keys()


async def test_how_many_there_are(many: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = await many.get(f'{CHANNELS}?total=true&page_size=2&filter=labels.n == "2"')
    assert (len(counted.names), counted.body["total"]) == (2, {"count": 10, "exact": True})
    assert "total" not in (await many.get(CHANNELS)).body
    monkeypatch.setattr(collection, "COUNTED", 20)
    assert (await many.get(f"{CHANNELS}?total=true")).body["total"] == {"count": 20, "exact": False}


async def test_a_filter_that_finds_little_is_answered_in_short_pages(
    many: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collection, "SCANNED", 8)
    found = [page async for page in pages(many, 50, filter=f'name == "{name(30)}"')]
    assert [len(page) for page in found] == [0, 0, 0, 1, 0, 0]


async def test_of_all_organizations_only_so_many_are_sorted(
    many: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [one["metadata"]["name"] for one in await everywhere(many, "order_by=name desc&page_size=7")]
    assert found == sorted(found, reverse=True)
    assert len(found) >= NUMBER
    assert len(await everywhere(many, "page_size=7")) == len(found)
    monkeypatch.setattr(collection, "SORTED", 20)
    refused = await many.get("/v1/notification_channels?order_by=name")
    assert (refused.status, refused.body["code"]) == (422, "too_many_to_sort")


async def everywhere(api: Api, query: str) -> list[Any]:
    found, token = [], ""
    while True:
        page = await api.get(f"/v1/notification_channels?{query}&page_token={token}")
        assert page.status == 200, page.raw
        found += page.body["items"]
        token = page.body["next_page_token"]
        if not token:
            return found


async def test_a_sorted_page_reads_no_more_than_it_shows(many: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collection, "SCANNED", 8)
    for order in ORDERS:
        assert len((await many.get(f"{CHANNELS}?order_by={order}&page_size=5")).names) == 5


async def test_all_that_is_wrong_with_a_query_is_said_at_once(many: Api) -> None:
    query = {
        "filter": 'size > 2 && colour == "red"',
        "fields": "spec.ulr,metadata.nmae,sepc,kind.x",
        "order_by": "colour",
        "page_size": "0",
        "page_token": "x",
    }
    refused = await many.get(f"{CHANNELS}?{urlencode(query)}")
    assert (refused.status, refused.body["code"]) == (400, "bad_query")
    assert [error["message"] for error in refused.body["errors"]] == [
        "page_size must be a number from 1 to 500, not '0'",
        f"filter, character 1: there is no field size; {KNOWN}",
        f"filter, character 13: there is no field colour; {KNOWN}",
        "fields: there is no spec.ulr",
        "fields: there is no metadata.nmae",
        "fields: there is no sepc",
        "fields: there is no kind.x",
        "order_by is one of created, name, changed, each also with desc after it, not 'colour'",
        "page_token is not one of this list in this order; begin again without it",
    ]
    hints = [error["hint"] for error in refused.body["errors"]]
    assert hints[1] == 'size > 2 && colour == "red"\n^'
    assert hints[3:6] == ["did you mean url?", "did you mean name?", "did you mean spec?"]


async def test_a_token_of_another_order_is_refused(many: Api) -> None:
    token = (await many.get(f"{CHANNELS}?page_size=1&order_by=name")).body["next_page_token"]
    for other in ("created", "-name", "changed"):
        assert (await many.get(f"{CHANNELS}?order_by={other}&page_token={token}")).status == 400


async def test_a_filter_finds_nothing_that_is_not_theirs(many: Api) -> None:
    body = {"name": "eve", "role": "owner", "project": "shop"}
    token = (await many.call("POST", f"{ORGANIZATION}/tokens", body)).body["token"]
    async with as_other(many, token) as eve:
        found = await eve.get(f"{CHANNELS}?total=true&order_by=name&filter=true")
        assert found.status == 403 or (found.names, found.body["total"]["count"]) == ([], 0)
