"""A page that is passed through is byte for byte the page that is made object by object."""

from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest
import pytest_asyncio

from harness import ORGANIZATION
from setpoint.api import rendered
from setpoint.api.observations import Observations
from setpoint.api.rendered import Rendered
from setpoint.engine.entity import State, Status
from setpoint.engine.store import DECLARED_PAGE, Change, Put
from setpoint.system import now

from .kit import Api, channel, settled, still

CHANNELS = f"{ORGANIZATION}/notification_channels"


@pytest_asyncio.fixture
async def api(tmp_path: Path) -> AsyncIterator[Api]:
    async with still(tmp_path) as api:
        await api.declare(*settled(), *(channel(f"c{n}", labels={"n": str(n)}) for n in range(5)))
        yield api


async def test_it_is_what_is_made_object_by_object(api: Api) -> None:
    through = await api.get(f"{CHANNELS}?page_size=3")
    made = await api.get(f"{CHANNELS}?page_size=3&order_by=created&filter=metadata.generation%20%3E%200")
    assert through.body == made.body
    again = await api.get(f"{CHANNELS}?page_size=3&page_token={through.body['next_page_token']}")
    assert len({*through.names, *again.names}) == 6


async def test_what_has_changed_is_shown_as_it_is_now(api: Api) -> None:
    [first, *_] = (await api.get(CHANNELS)).body["items"]
    told = Status(ref=first["metadata"]["ref"], state=State.FAILED, reason="it fell over")
    await api.store.commit(Change(writes=(Put(told),)))
    [later, *_] = (await api.get(CHANNELS)).body["items"]
    assert (later["status"]["state"], later["status"]["reason"]) == ("FAILED", "it fell over")
    await api.good("PATCH", f"{CHANNELS}/{first['metadata']['name']}", {"metadata": {"labels": {"n": "new"}}})
    [last, *_] = (await api.get(CHANNELS)).body["items"]
    assert last["metadata"]["labels"] == {"n": "new"}


async def test_the_memory_is_bounded(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendered, "KEPT", 2)
    kinds = api.run.application.scheduler.kinds
    memory = Rendered(kinds, Observations(api.store, now, kinds, {}, lambda _: {}, alone=True))
    page = {"kind": "notification_channel", "organization": "acme", "project": "", "workspace": ""}
    stored = await api.store.bodies(DECLARED_PAGE, **page, after="", limit=5)
    shown = [await memory.of(each) for each in (*stored, *stored)]
    assert shown[:5] == shown[5:]
    assert len(memory._known) <= 2
    assert msgspec.json.decode(shown[0].raw)["kind"] == "notification_channel"
