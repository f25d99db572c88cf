"""A watch: everything that happens, once, in order, however often the reader comes and goes."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from declarations import record
from harness import ORGANIZATION, PROJECT, until
from setpoint.engine.entity import Ref, Scope
from setpoint.engine.rows import Event
from setpoint.engine.store import Change

from .kit import Api, channel, settled, still, thing

EVENTS = f"{ORGANIZATION}/events"
CHANNELS = f"{ORGANIZATION}/notification_channels"
SOON = 5.0


@dataclass(frozen=True)
class Frame:
    """One block of a stream: its fields, and its comments."""

    id: str
    event: str
    data: Any
    comments: tuple[str, ...]


class Reader:
    """Reads server-sent events the way the standard says."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._lines = response.content

    async def next(self) -> Frame | None:
        """The next block, or None at the end of the stream."""
        found: dict[str, str] = {}
        comments: list[str] = []
        while line := await self._lines.readline():
            text = line.decode().rstrip("\n")
            if not text:
                data = json.loads(found["data"]) if "data" in found else None
                return Frame(found.get("id", ""), found.get("event", ""), data, tuple(comments))
            name, _, value = text.partition(":")
            if name:
                found[name] = value.strip()
            else:
                comments.append(value.strip())
        return None

    async def soon(self) -> Frame | None:
        return await asyncio.wait_for(self.next(), SOON)


@contextlib.asynccontextmanager
async def watching(api: Api, path: str = EVENTS, last: str = "") -> AsyncIterator[Reader]:
    headers = {"Last-Event-ID": last} if last else {}
    stream = f"{api.url}{path}{'&' if '?' in path else '?'}watch=1"
    async with api.session.get(stream, headers=headers) as response:
        assert response.status == 200, await response.text()
        assert response.content_type == "text/event-stream"
        yield Reader(response)


async def test_it_says_where_it_starts_and_tells_what_happens(api: Api) -> None:
    head = (await api.get(f"{ORGANIZATION}/audit?page_size=500")).body["items"][-1]["revision"]
    async with watching(api) as reader:
        first = await reader.soon()
        assert first is not None
        assert (first.comments, first.data) == ((f"at {first.id}",), None)
        assert int(first.id) >= head
        made = await api.good("PUT", f"{CHANNELS}/new", channel("new"))
        told = await told_of(reader, made["metadata"]["ref"])
        assert told.event == told.data["type"] == "entity.config_changed"
        assert int(told.id) == told.data["revision"] > int(first.id)
        assert told.data["object"] == (await api.get(f"{CHANNELS}/new")).body
        await api.good("DELETE", f"{CHANNELS}/new")
        gone = await told_of(reader, made["metadata"]["ref"])
        assert (gone.event, gone.data["object"]) == ("entity.deleted", None)


async def told_of(reader: Reader, ref: str) -> Any:
    """The next event about this; what is around it may still be on its way to READY."""
    while (told := await reader.soon()) is not None:
        if told.data is not None and told.data["ref"] == ref:
            return told
    raise AssertionError(f"nothing was told of {ref}")


async def test_whoever_read_first_and_listens_then_is_told_what_happened_in_between(api: Api) -> None:
    made = await api.good("PUT", f"{CHANNELS}/early", channel("early"))
    ref = made["metadata"]["ref"]
    async with watching(api, f"{EVENTS}?back=60") as reader:
        assert (await told_of(reader, ref)).event == "entity.config_changed"
    async with watching(api) as reader:
        await reader.soon()
        await api.good("DELETE", f"{CHANNELS}/early")
        assert (await told_of(reader, ref)).event == "entity.deleted"  # And nothing of before.


async def test_what_happened_in_between_is_told_however_much_it_was(api: Api) -> None:
    made = await api.good("PUT", f"{CHANNELS}/first", channel("first"))
    for number in range(210):
        await api.good("PUT", f"{CHANNELS}/c{number}", channel(f"c{number}"))
    async with watching(api, f"{EVENTS}?back=60") as reader:
        assert (await told_of(reader, made["metadata"]["ref"])).event == "entity.config_changed"


@pytest.mark.parametrize("back", ["61", "-1", "soon", ""])
async def test_how_far_back_is_a_few_seconds(api: Api, back: str) -> None:
    assert (await api.get(f"{EVENTS}?watch=1&back={back}")).body["code"] == "bad_query"


async def test_a_reader_that_is_cut_off_fifty_times_misses_and_repeats_nothing(api: Api) -> None:
    start = (await api.get(f"{EVENTS}?page_size=500")).body["items"][-1]["revision"]
    total = 150
    seen: list[int] = []

    async def declare() -> None:
        for n in range(total):
            await api.good("PUT", f"{CHANNELS}/c{n}", channel(f"c{n}"))

    declaring = asyncio.create_task(declare())
    cuts = 0
    while len(seen) < total:
        async with watching(api, last=str(seen[-1] if seen else start)) as reader:
            await reader.soon()
            for _ in range(3 if cuts < 50 else total):
                frame = await reader.soon()
                assert frame is not None
                seen.append(int(frame.id))
                if len(seen) == total:
                    break
        cuts += 1
    await declaring
    events = (await api.get(f"{EVENTS}?page_size=500&page_token={start}")).body["items"]
    assert seen == [event["revision"] for event in events]
    assert cuts >= 50


async def test_a_lever_above_all_organizations_is_told_to_each_and_nothing_else_up_there(api: Api) -> None:
    async with watching(api) as reader:
        first = await reader.soon()
        assert first is not None
        secret = Event(organization="", type="account.made", ref=Ref("account/1"), scope=Scope(), at=1.0)
        await api.store.commit(Change(events=(secret,)))
        await api.good("PUT", "/v1/switches/all", {"mode": "stop", "reason": "something is off"})
        heard: list[Frame] = []
        while not heard or heard[-1].data["ref"] != "switch/all":
            frame = await reader.soon()
            heard += [frame] if frame is not None and frame.data is not None else []
        told = heard[-1]
        assert "account/1" not in [frame.data["ref"] for frame in heard]
        assert (told.event, told.id, told.data["object"]) == ("switch.changed", "", None)
        assert "something is off" in told.data["message"]
        await api.good("DELETE", "/v1/switches/all")
        again = await told_of(reader, "switch/all")
        assert again.data["revision"] > told.data["revision"]
    async with watching(api, last=first.id) as reader:
        await reader.soon()
        made = await api.good("PUT", f"{CHANNELS}/after", channel("after"))
        assert (await told_of(reader, made["metadata"]["ref"])).id


async def test_a_watch_of_one_kind_in_one_place_tells_of_nothing_else(api: Api) -> None:
    await api.declare(thing("project", "other", {}))
    async with watching(api, f"{PROJECT}/dns_records") as reader:
        await reader.soon()
        await api.good("PUT", f"{CHANNELS}/noise", channel("noise"))
        zone = {"spec": {"provider": "hetzner", "domain": "example.net"}}
        await api.good("PUT", f"{ORGANIZATION}/projects/other/dns_zones/example-org", zone)
        elsewhere = {**record(1), "metadata": {"name": "r1"}}
        await api.good("PUT", f"{ORGANIZATION}/projects/other/dns_records/r1", elsewhere)
        await api.good("PUT", f"{PROJECT}/dns_records/r2", record(2))
        told = await reader.soon()
        assert told is not None
        assert told.data["object"]["metadata"]["name"] == "r2"


async def test_what_happens_to_the_organization_itself_is_told(api: Api) -> None:
    async with watching(api) as reader:
        await reader.soon()
        await api.good("PATCH", ORGANIZATION, {"spec": {"title": "Acme and sons"}})
        told = await reader.soon()
        assert told is not None
        assert told.data["object"]["kind"] == "organization"


@pytest.mark.parametrize(
    ("path", "last", "status", "code"),
    [
        (EVENTS, "999999", 410, "gone"),
        (EVENTS, "x", 400, "bad_query"),
        (EVENTS, "-1", 400, "bad_query"),
        (EVENTS, "9" * 40, 400, "bad_query"),
        ("/v1/organizations", "", 400, "needs_organization"),
    ],
)
async def test_a_watch_that_cannot_be_is_refused(
    api: Api, path: str, last: str, status: int, code: str
) -> None:
    refused = await api.get(f"{path}?watch=1&since={last}")
    assert (refused.status, refused.body["code"]) == (status, code)


async def test_asking_for_the_head_of_a_watch_does_not_start_one(api: Api) -> None:
    assert (await asyncio.wait_for(api.call("HEAD", f"{EVENTS}?watch=1"), SOON)).status == 200


async def test_silence_is_broken_by_a_comment(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("setpoint.api.watch.KEEP_ALIVE_SECONDS", 0.05)
    async with watching(api) as reader:
        await reader.soon()
        quiet = [await reader.soon() for _ in range(3)]
        assert [frame.comments for frame in quiet if frame] == [("keep-alive",)] * 3


async def test_streams_end_at_once_when_the_service_stops(tmp_path: Path) -> None:
    async with still(tmp_path) as api, aiohttp.ClientSession(headers=api.session.headers) as session:
        await api.declare(*settled())
        response = await session.get(f"{api.url}{EVENTS}?watch=1")
        reader = Reader(response)
        await reader.soon()
        api.run.application.stop()
        assert await asyncio.wait_for(reader.next(), 1.0) is None


async def test_a_hundred_readers_that_vanish_leave_nothing_behind(api: Api) -> None:
    before = len(asyncio.all_tasks())
    async with contextlib.AsyncExitStack() as readers:
        for _ in range(100):
            reader = await readers.enter_async_context(watching(api))
            await reader.soon()
        assert len(asyncio.all_tasks()) >= before + 100

    async def freed() -> bool:
        return len(asyncio.all_tasks()) <= before + 2

    async def story() -> str:
        return f"{len(asyncio.all_tasks())} tasks, {before} before"

    await until(freed, "the streams of vanished readers to end", story, within=SOON)
