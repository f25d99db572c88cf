"""Twenty thousand objects, and a label that the last one alone has: whoever asks for it finds it."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlencode

import pytest
import pytest_asyncio

import postgres
from harness import ORGANIZATION
from setpoint.client.client import Client
from setpoint.client.connection import Connection
from setpoint.client.endpoint import Endpoint
from setpoint.engine.entity import Declared, Ref, Scope
from setpoint.engine.store import Change, Put

from .kit import Api, still

pytestmark = pytest.mark.asyncio(loop_scope="module")

MANY = 20_000
BATCH = 2_500
LISTS = ("inventory", "notification_channels")
LAST = f"c{MANY - 1:05}"


def row(number: int) -> Declared:
    rare = {"Owner": "Nobody"} if number == MANY - 1 else {"owner": "somebody"}
    return Declared(
        ref=Ref(f"notification_channel/{number:026}"),
        kind="notification_channel",
        scope=Scope("acme"),
        name=f"c{number:05}",
        spec={"url": "https://hooks.example.org/", "secret": "secret://hooks"},
        labels={"team": f"team-{number % 7}", **rare},
    )


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=["sqlite", "postgres"])
async def api(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Api]:
    database: dict[str, Any] = {}
    if request.param == "postgres":
        database = {"database": await postgres.emptied(), "allow_unsafe_database": True}
    async with still(tmp_path_factory.mktemp("rare"), **database) as found:
        assert (await found.declare({"kind": "organization", "spec": {}})).status == 200
        for begin in range(0, MANY, BATCH):
            rows = [Put(row(number)) for number in range(begin, begin + BATCH)]
            await found.store.commit(Change(writes=tuple(rows)))
        yield found


async def pages(api: Api, what: str, **query: str) -> list[list[str]]:
    found, token = [], ""
    while True:
        asked = urlencode({"page_size": 100, "page_token": token, **query})
        page = await api.get(f"{ORGANIZATION}/{what}?{asked}")
        assert page.status == 200, page.raw
        found.append(page.names)
        token = page.body["next_page_token"]
        if not token:
            return found


@pytest.mark.parametrize("order", ["created", "name", "name desc", "changed"])
@pytest.mark.parametrize("what", LISTS)
async def test_a_rare_label_is_found_by_the_store_at_once(api: Api, what: str, order: str) -> None:
    assert await pages(api, what, labels="Owner=Nobody", order_by=order) == [[LAST]]
    both = f"Owner=Nobody,team=team-{(MANY - 1) % 7}"
    assert await pages(api, what, labels=both, order_by=order) == [[LAST]]
    assert await pages(api, what, labels="Owner=Nobody,team=none", order_by=order) == [[]]


async def test_a_label_is_compared_exactly_whatever_the_store_takes_for_alike(api: Api) -> None:
    """Of those that the store lets through, one has it in other letters, and the others a longer value."""
    assert await pages(api, "inventory", labels="owner=nobody") == [[]]
    found = await pages(api, "inventory", labels="team=team-")
    assert [name for page in found for name in page] == []


@pytest.mark.parametrize("what", LISTS)
async def test_a_filter_walks_to_the_end_in_bounded_steps(api: Api, what: str) -> None:
    found = await pages(api, what, filter='labels.Owner == "Nobody"')
    assert [len(page) for page in found] in ([0, 0, 0, 1], [0, 0, 0, 1, 0])
    assert [name for page in found for name in page] == [LAST]


async def test_words_and_labels_together_leave_out_what_has_only_one_of_them(api: Api) -> None:
    assert await pages(api, "inventory", labels="Owner=Nobody", text=LAST) == [[LAST]]
    assert await pages(api, "inventory", labels="Owner=Nobody", text="c00000") == [[]]


async def test_every_page_joined_is_everything_with_that_label(api: Api) -> None:
    found = await pages(api, "notification_channels", labels="team=team-3")
    names = [name for page in found for name in page]
    assert names == [f"c{number:05}" for number in range(MANY) if number % 7 == 3]


async def test_the_command_line_goes_on_over_pages_that_have_nothing(api: Api) -> None:
    def read() -> list[str]:
        client = Client(Connection(Endpoint(api.url, api.run.token)))
        query = {"filter": 'labels.Owner == "Nobody"'}
        try:
            found = client.items(f"{ORGANIZATION}/notification_channels", query)
            return [body["metadata"]["name"] for body in found]
        finally:
            client.close()

    assert await asyncio.to_thread(read) == [LAST]
