"""A request with a key has one effect and one answer, however often it is sent and whatever dies."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from msgspec.structs import replace

import postgres
from harness import ORGANIZATION, Plane, Reply
from processes import Process, free_port, reached, start
from setpoint.engine.request import Attempt
from setpoint.engine.store import ATTEMPTS_BEFORE, Change, Put, Store
from setpoint.storage.postgres import open_postgres

from .kit import Answer, Api, as_other, channel, settled, still

CHANNELS = f"{ORGANIZATION}/notification_channels"
EVER = 1e12


@pytest.fixture(params=["sqlite", "postgres"])
async def api(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Api]:
    database = {}
    if request.param == "postgres":
        database = {"database": await postgres.emptied(), "allow_unsafe_database": True}
    async with still(tmp_path, **database) as api:
        assert (await api.declare(*settled())).status == 200
        yield api


async def sent(api: Api, method: str, path: str, body: Any, key: str) -> Answer:
    return await api.call(method, path, body, headers={"Idempotency-Key": key})


async def changes(api: Api, name: str) -> int:
    lines = (await api.get(f"{ORGANIZATION}/audit?page_size=500")).body["items"]
    return len([line for line in lines if line["detail"].get("name") == name])


async def attempts(store: Store) -> list[Attempt]:
    return await store.read(ATTEMPTS_BEFORE, before=EVER, limit=100)


async def test_the_same_request_again_has_the_same_answer_and_no_second_effect(api: Api) -> None:
    for method, path, status in (
        ("POST", CHANNELS, 201),
        ("PUT", f"{CHANNELS}/once", 200),
        ("PATCH", f"{CHANNELS}/once", 200),
        ("POST", f"{ORGANIZATION}/plans", 202),
        ("DELETE", f"{CHANNELS}/once", 202),
    ):
        body = (
            {"items": [channel("planned")]}
            if path.endswith("plans")
            else channel("once", labels={"m": method})
        )
        first = await sent(api, method, path, body, f"key of {method} {path}")
        again = await sent(api, method, path, body, f"key of {method} {path}")
        assert (first.status, again.status, again.raw) == (status, status, first.raw), again.raw
        assert again.headers.get("ETag") == first.headers.get("ETag")
        assert again.headers["Content-Type"] == first.headers["Content-Type"]
        assert ("Idempotency-Replayed" in first.headers, again.headers["Idempotency-Replayed"]) == (
            False,
            "true",
        )
    assert await changes(api, "once") == 4
    assert len((await api.get(f"{ORGANIZATION}/plans")).body["items"]) == 1


async def test_what_was_deleted_meanwhile_does_not_come_back(api: Api) -> None:
    first = await sent(api, "PUT", f"{CHANNELS}/gone", channel("gone"), "k")
    await api.good("DELETE", f"{CHANNELS}/gone")
    assert (await sent(api, "PUT", f"{CHANNELS}/gone", channel("gone"), "k")).raw == first.raw
    assert (await api.get(f"{CHANNELS}/gone")).status == 404


async def test_the_same_key_for_anything_else_is_a_mistake(api: Api) -> None:
    assert (await sent(api, "PUT", f"{CHANNELS}/one", channel("one"), "k")).status == 200
    for method, path, body in (
        ("PUT", f"{CHANNELS}/one", channel("one", labels={"a": "b"})),
        ("PUT", f"{CHANNELS}/two", channel("two")),
        ("PATCH", f"{CHANNELS}/one", channel("one")),
        ("PUT", f"{CHANNELS}/one?x=y", channel("one")),
    ):
        refused = await sent(api, method, path, body, "k")
        assert (refused.status, refused.body["code"]) == (422, "key_reused")
    assert (await api.get(f"{CHANNELS}/two")).status == 404


async def test_many_at_the_same_time_have_one_effect(api: Api) -> None:
    many = [sent(api, "POST", CHANNELS, channel("rush"), "rush") for _ in range(20)]
    answers = await asyncio.gather(*many)
    assert {answer.status for answer in answers} <= {201, 409}
    assert {answer.body["code"] for answer in answers if answer.status == 409} <= {"still_running"}
    assert await changes(api, "rush") == 1
    assert (await sent(api, "POST", CHANNELS, channel("rush"), "rush")).status == 201


async def test_a_refusal_leaves_the_key_free(api: Api) -> None:
    wrong = {"spec": {"url": "nowhere"}}
    assert (await sent(api, "PUT", f"{CHANNELS}/later", wrong, "k")).status == 422
    assert (await sent(api, "PUT", f"{CHANNELS}/later", channel("later"), "k")).status == 200
    assert len(await attempts(api.store)) == 1


async def test_a_secret_is_neither_kept_nor_said_twice(api: Api) -> None:
    body = {"name": "ci", "role": "operator"}
    first = await sent(api, "POST", f"{ORGANIZATION}/tokens", body, "k")
    assert first.status == 201
    again = await sent(api, "POST", f"{ORGANIZATION}/tokens", body, "k")
    assert (again.status, again.body["code"], again.body["retryable"]) == (409, "answer_lost", False)
    assert len((await api.get(f"{ORGANIZATION}/tokens")).body["items"]) == 1
    (kept,) = await attempts(api.store)
    assert kept.answer is None
    assert first.body["token"] not in repr(kept)


async def test_a_key_is_its_senders_own(api: Api) -> None:
    token = (await api.call("POST", f"{ORGANIZATION}/tokens", {"name": "ann", "role": "owner"})).body["token"]
    assert (await sent(api, "PUT", f"{CHANNELS}/mine", channel("mine"), "k")).status == 200
    async with as_other(api, token) as ann:
        other = await sent(ann, "PUT", f"{CHANNELS}/hers", channel("hers"), "k")
        assert (other.status, "Idempotency-Replayed" in other.headers) == (200, False)


@pytest.mark.parametrize("key", ["", "x" * 256, "ä"], ids=["empty", "long", "not ASCII"])
async def test_an_odd_key_is_refused(api: Api, key: str) -> None:
    refused = await sent(api, "PUT", f"{CHANNELS}/odd", channel("odd"), key)
    assert (refused.status, refused.body["code"]) == (400, "bad_idempotency_key")


async def test_whoever_was_taken_over_has_no_effect(api: Api) -> None:
    """A process that slept through its time finds that another one has its request."""
    store, began, go = api.run.application.scheduler.store, asyncio.Event(), asyncio.Event()
    commit = store.commit

    async def slow(change: Change) -> None:
        if (
            any(isinstance(put, Put) and getattr(put.row, "landed_at", 0) for put in change.writes)
            and not began.is_set()
        ):
            began.set()
            await go.wait()
        await commit(change)

    store.commit = slow  # type: ignore[method-assign]
    first = asyncio.create_task(sent(api, "PUT", f"{CHANNELS}/slow", channel("slow", labels={"n": "1"}), "k"))
    await began.wait()
    assert (await sent(api, "PUT", f"{CHANNELS}/slow", channel("slow", labels={"n": "1"}), "k")).status == 409
    (row,) = await attempts(store)
    await commit(Change(writes=(Put(replace(row, until=0.0)),)))
    second = await sent(api, "PUT", f"{CHANNELS}/slow", channel("slow", labels={"n": "1"}), "k")
    go.set()
    assert (second.status, (await first).status) == (200, 409)
    assert await changes(api, "slow") == 1


async def test_after_its_day_a_key_is_free(api: Api) -> None:
    await sent(api, "PUT", f"{CHANNELS}/day", channel("day"), "k")
    (row,) = await attempts(api.store)
    assert row.until - api.run.application.scheduler.runtime.now() > 86_000
    await api.store.commit(Change(writes=(Put(replace(row, until=0.0)),)))
    other = await sent(api, "PUT", f"{CHANNELS}/night", channel("night"), "k")
    assert (other.status, "Idempotency-Replayed" in other.headers) == (200, False)


BODY = {"items": [*settled(), channel("crashed")]}


async def declared(plane: Plane) -> Reply:
    headers = {"Idempotency-Key": "the one"}
    async with plane.session.post(
        f"{plane.url}{ORGANIZATION}/declarations", json=BODY, headers=headers
    ) as response:
        return Reply(response.status, json.loads(await response.read()))


@pytest.mark.parametrize("store", ["sqlite", "postgres"])
@pytest.mark.parametrize("point", ["effect.before_commit", "effect.after_commit"])
async def test_a_process_that_dies_leaves_one_effect(tmp_path: Path, store: str, point: str) -> None:
    url = await postgres.emptied() if store == "postgres" else ""
    more = {"SETPOINT_DATABASE": url, "SETPOINT_ALLOW_UNSAFE_DATABASE": "true"} if url else {}
    process = await up(tmp_path, SETPOINT_FAIL_AT=point, **more)
    async with reached(tmp_path, process, alone=True) as plane:
        with pytest.raises(aiohttp.ClientError):
            await declared(plane)
    assert await process.process.wait() == -9
    process = await up(tmp_path, **more)
    try:
        async with reached(tmp_path, process) as plane:
            again = await declared(plane)
            if store == "postgres" and point == "effect.before_commit":
                # Its process may live on another machine: only time tells that it does not.
                assert (again.status, again.body["code"]) == (409, "still_running")
                await hurry(await open_postgres(url, role="api", allow_unsafe=True))
                again = await declared(plane)
            assert again.status == 200
            assert "crashed" in [item["metadata"]["name"] for item in again.body["items"]]
            assert len(again.body["items"]) == len(BODY["items"])
            lines = await plane.every("audit")
            assert [line["action"] for line in lines if line["detail"].get("name") == "crashed"] == [
                "intent.declared"
            ]
    finally:
        await process.kill()


async def hurry(store: Store) -> None:
    (row,) = await attempts(store)
    await store.commit(Change(writes=(Put(replace(row, until=0.0)),)))
    await store.close()


async def up(folder: Path, **env: str) -> Process:
    return await start(folder, ["up", "--data", str(folder / "data"), "--port", str(free_port())], env)
