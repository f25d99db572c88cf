"""Versions: who has seen what, and whose change goes on top of it."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import postgres
from harness import ORGANIZATION
from setpoint.engine.entity import Ref, State, Status
from setpoint.engine.store import Change, Put

from .kit import Api, channel, settled, still

CHANNELS = f"{ORGANIZATION}/notification_channels"
WRITERS = 50


@pytest.fixture(params=["sqlite", "postgres"])
async def api(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Api]:
    database = {}
    if request.param == "postgres":
        database = {"database": await postgres.emptied(), "allow_unsafe_database": True}
    async with still(tmp_path, **database) as api:
        assert (await api.declare(*settled())).status == 200
        yield api


async def test_fifty_writers_lose_nothing(api: Api) -> None:
    path = f"{CHANNELS}/counter"
    await api.good("PUT", path, channel("counter", labels={"n": "0"}))

    async def add_one() -> None:
        while True:
            found = await api.get(path)
            labels = {"n": str(int(found.body["metadata"]["labels"]["n"]) + 1)}
            sent = channel("counter", labels=labels)
            answer = await api.call("PUT", path, sent, headers={"If-Match": found.headers["ETag"]})
            if answer.status == 200:
                return
            assert (answer.status, answer.body["code"]) in ((412, "stale"), (409, "conflict"))

    await asyncio.gather(*(add_one() for _ in range(WRITERS)))
    last = (await api.get(path)).body["metadata"]
    assert (last["labels"]["n"], last["generation"]) == (str(WRITERS), WRITERS + 1)


async def test_whoever_has_seen_it_gets_nothing_until_it_changes(api: Api) -> None:
    path = f"{CHANNELS}/hooks"
    first = await api.get(path)
    seen = {"If-None-Match": first.headers["ETag"]}
    same = await api.get(path, headers=seen)
    assert (same.status, same.raw, same.headers["ETag"]) == (304, b"", first.headers["ETag"])
    for spelt in (f'"x", {first.headers["ETag"]}', f"W/{first.headers['ETag']}", "*"):
        assert (await api.get(path, headers={"If-None-Match": spelt})).status == 304
    ref = Ref(first.body["metadata"]["ref"])
    await api.store.commit(Change(writes=(Put(Status(ref=ref, state=State.FAILED, reason="x")),)))
    moved = await api.get(path, headers=seen)
    assert (moved.status, moved.body["status"]["state"]) == (200, "FAILED")
    # What moved is the status: an edit of what was read before it is not stale.
    edit = await api.call("PUT", path, channel("hooks"), headers={"If-Match": first.headers["ETag"]})
    assert edit.status == 200


async def test_lists_and_records_have_tags_too(api: Api) -> None:
    await api.good("POST", f"{ORGANIZATION}/plans", {"items": [channel("planned")]})
    (plan,) = (await api.get(f"{ORGANIZATION}/plans")).body["items"]
    for path in (CHANNELS, f"{ORGANIZATION}/plans/{plan['id']}", f"{ORGANIZATION}/audit", "/v1/kinds"):
        tag = (await api.get(path)).headers["ETag"]
        assert (await api.get(path, headers={"If-None-Match": tag})).status == 304
    before = (await api.get(CHANNELS)).headers["ETag"]
    await api.good("PUT", f"{CHANNELS}/new", channel("new"))
    assert (await api.get(CHANNELS, headers={"If-None-Match": before})).status == 200


async def test_a_stale_change_is_told_what_there_is_now(api: Api) -> None:
    path = f"{CHANNELS}/hooks"
    old = (await api.get(path)).headers["ETag"]
    await api.good("PATCH", path, {"metadata": {"labels": {"a": "b"}}})
    for method in ("PUT", "PATCH", "DELETE"):
        refused = await api.call(method, path, channel("hooks"), headers={"If-Match": old})
        assert (refused.status, refused.body["code"]) == (412, "stale")
        assert refused.body["current"]["generation"] == 2
        assert refused.body["current"]["changed_by"] == "administrator"
    assert (await api.get(path)).body["metadata"]["labels"] == {"a": "b"}


async def test_a_delete_and_an_edit_at_once_do_not_both_stand_on_the_same_version(api: Api) -> None:
    for number in range(10):
        path = f"{CHANNELS}/race-{number}"
        tag = {"If-Match": (await api.call("PUT", path, channel(f"race-{number}"))).headers["ETag"]}
        edit = api.call("PATCH", path, {"metadata": {"labels": {"a": "b"}}}, headers=tag)
        edited, deleted = await asyncio.gather(edit, api.call("DELETE", path, headers=tag))
        assert (edited.status < 300) + (deleted.status < 300) == 1, (edited.raw, deleted.raw)
