"""Pages: joined they are everything there is, whatever their size, filters and whoever declares meanwhile."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import pytest_asyncio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness import ORGANIZATION
from setpoint.engine.entity import State, Status
from setpoint.engine.store import Change, Put

from .kit import Api, channel, settled, still

pytestmark = pytest.mark.asyncio(loop_scope="module")

CHANNELS = f"{ORGANIZATION}/notification_channels"
NUMBER = 60
FEW = settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def many(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Api]:
    """Sixty channels: every tenth is labelled rare, every seventh FAILED."""
    data: Path = tmp_path_factory.mktemp("many")
    async with still(data) as api:
        items = [channel(f"c{n:03}", labels={"rare": "yes"} if n % 10 == 0 else {}) for n in range(NUMBER)]
        answer = await api.declare(*settled(), *items)
        made = [item for item in answer.body["items"] if item["metadata"]["name"].startswith("c0")]
        failed = [
            Put(Status(ref=one["metadata"]["ref"], state=State.FAILED, reason="x")) for one in made[::7]
        ]
        await api.store.commit(Change(writes=tuple(failed)))
        yield api


async def pages(api: Api, size: int, **query: Any) -> AsyncIterator[list[str]]:
    after = ""
    while True:
        asked = urlencode({"page_size": size, "page_token": after, **query})
        page = await api.get(f"{CHANNELS}?{asked}")
        yield page.names
        after = page.body["next_page_token"]
        if not after:
            return


def wanted(query: dict[str, str]) -> list[str]:
    found = [("hooks", False, False)] + [(f"c{n:03}", n % 10 == 0, n % 7 == 0) for n in range(NUMBER)]
    if "labels" in query:
        found = [one for one in found if one[1]]
    if "state" in query:
        found = [one for one in found if one[2] == (query["state"].upper() == "FAILED")]
    return [name for name, _, _ in found]


queries = st.fixed_dictionaries(
    {}, optional={"labels": st.just("rare=yes"), "state": st.sampled_from(["FAILED", "ready", "Ready"])}
)


@given(size=st.integers(1, 100), query=queries)
@FEW
async def test_pages_joined_are_everything_and_only_the_last_is_short(
    many: Api, size: int, query: dict[str, str]
) -> None:
    found = [page async for page in pages(many, size, **query)]
    assert list(itertools.chain(*found)) == wanted(query)
    assert [len(page) for page in found[:-1]] == [size] * (len(found) - 1)
    assert len(found) == 1 or found[-1]


async def test_a_page_is_never_empty_while_later_ones_match(many: Api) -> None:
    first = await many.get(f"{CHANNELS}?page_size=2&labels=rare=yes")
    assert first.names == ["c000", "c010"]
    last = await many.get(f"{CHANNELS}?page_size=500&labels=rare=yes&state=FAILED")
    assert (last.names, last.body["next_page_token"]) == (["c000"], "")
    assert (await many.get(f"{CHANNELS}?labels=rare=yes,team=shop")).names == []


async def test_nothing_is_missed_or_repeated_while_others_declare(many: Api) -> None:
    before = {name async for page in pages(many, 100) for name in page}

    async def declare() -> None:
        for n in range(40):
            await many.good("PUT", f"{CHANNELS}/new-{n}", channel(f"new-{n}"))

    declaring = asyncio.create_task(declare())
    while not declaring.done():
        seen = [name async for page in pages(many, 7) for name in page]
        assert len(seen) == len(set(seen))
        assert before <= set(seen)
    for n in range(40):
        await many.good("DELETE", f"{CHANNELS}/new-{n}")


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("page_size=0", "page_size must be a number from 1 to 500, not '0'"),
        ("page_size=501", "page_size must be a number from 1 to 500, not '501'"),
        ("page_size=-1", "not '-1'"),
        ("page_size=ten", "not 'ten'"),
        ("page_size=²", "not '²'"),
        (f"page_size={'9' * 5000}", "page_size must be a number"),
        ("state=BROKEN", "state is one of PENDING, READY, DEGRADED, HELD, FAILED, not 'BROKEN'"),
        ("labels=team", "labels: 'team' has no value; write team=value"),
        ("page_size=0&labels=team&state=x", "page_size must be a number from 1 to 500, not '0'; labels: "),
    ],
)
async def test_a_bad_query_is_refused_in_one_sentence(many: Api, query: str, says: str) -> None:
    refused = await many.get(f"{CHANNELS}?{query}")
    assert (refused.status, refused.body["code"]) == (400, "bad_query")
    assert says in refused.body["detail"]


@pytest.mark.parametrize("path", ["events", "audit"])
async def test_history_is_paged_by_revision(many: Api, path: str) -> None:
    everything = (await many.get(f"{ORGANIZATION}/{path}?page_size=500")).body["items"]
    assert [row["revision"] for row in everything] == sorted({row["revision"] for row in everything})
    found, after = [], ""
    while True:
        page = (await many.get(f"{ORGANIZATION}/{path}?page_size=7&page_token={after}")).body
        found += page["items"]
        after = page["next_page_token"]
        if not after:
            break
    # What is written meanwhile, as the keys of a new organization, comes at the end.
    assert found[: len(everything)] == everything
    assert [row["revision"] for row in found] == sorted({row["revision"] for row in found})
    for token in ("x", "²", "9" * 30):
        assert (await many.get(f"{ORGANIZATION}/{path}?page_token={token}")).status == 400
