"""Hints through a real Redis: others hear at once. Without it, or with too many, only time changes."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import redis.asyncio

import postgres
from processes import free_port
from real.parts import part
from setpoint.engine.entity import Ref, Scope
from setpoint.engine.rows import Event, Wake
from setpoint.engine.store import WAKES_AFTER, Change, Put
from setpoint.storage.postgres import PostgresStore, open_postgres

pytestmark = pytest.mark.real


class Server:
    """A Redis that can be killed and started again at the same address."""

    def __init__(self, folder: Path) -> None:
        self.program, self.folder, self.port = part("redis-server", "redis-server"), folder, free_port()
        self.process: asyncio.subprocess.Process | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    async def start(self) -> None:
        options = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        quiet = asyncio.subprocess.DEVNULL
        self.process = await asyncio.create_subprocess_exec(
            self.program, *options, cwd=self.folder, stdout=quiet, stderr=quiet
        )
        async with redis.asyncio.Redis.from_url(self.url) as asked, asyncio.timeout(10):
            while True:
                with contextlib.suppress(redis.exceptions.ConnectionError):
                    await asked.ping()
                    return
                await asyncio.sleep(0.02)

    async def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            await self.process.wait()
            self.process = None


class Listener:
    """What one process was told."""

    def __init__(self, store: PostgresStore) -> None:
        self.told: list[frozenset[str]] = []
        self._news = asyncio.Event()
        store.listen(self._hear)

    def _hear(self, moved: frozenset[str]) -> None:
        self.told.append(moved)
        self._news.set()

    async def hears(self, organization: str) -> None:
        async with asyncio.timeout(10):
            while not any(organization in moved for moved in self.told):
                self._news.clear()
                await self._news.wait()


def change(name: str, organization: str) -> Change:
    wake = Wake(id=name, ref=Ref("zone/1"), reason="")
    event = Event(organization=organization, type="t", ref=wake.ref, scope=Scope(organization), at=1.0)
    return Change(writes=(Put(wake),), events=(event,))


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    found = Server(tmp_path)
    await found.start()
    yield found
    await found.kill()


@pytest.fixture
async def pair(server: Server) -> AsyncIterator[tuple[PostgresStore, PostgresStore]]:
    url = await postgres.database()
    first, second = [await open_postgres(url, allow_unsafe=True, hints=server.url) for _ in range(2)]
    yield first, second
    await first.close()
    await second.close()
    await postgres.drop(url)


async def test_another_process_hears_of_a_commit(pair: tuple[PostgresStore, PostgresStore]) -> None:
    first, second = pair
    other = Listener(second)
    await other.hears("")  # It listens.
    await first.commit(change("w1", "acme"))
    await other.hears("acme")


async def test_whoever_follows_an_organization_hears_of_its_progress(
    server: Server, pair: tuple[PostgresStore, PostgresStore]
) -> None:
    asked = redis.asyncio.Redis.from_url(server.url, decode_responses=True)
    async with asked, asked.pubsub() as topic:
        await topic.psubscribe("setpoint:*:acme")
        await topic.get_message(timeout=5)
        await pair[0].commit(change("w1", "acme"))
        await pair[0].commit(change("w2", "other"))
        message = await topic.get_message(timeout=5)
        assert message is not None
        assert message["channel"].endswith(":acme")


async def test_its_loss_costs_nothing_but_time_and_it_is_found_again(
    server: Server, pair: tuple[PostgresStore, PostgresStore]
) -> None:
    first, second = pair
    await server.kill()
    await first.commit(change("w1", "acme"))
    assert [wake.id for wake in await second.read(WAKES_AFTER, after="", limit=9)] == ["w1"]
    other = Listener(second)
    await server.start()
    # Whoever tells may still find the old connection dead: that hint is lost, and the next one is not.
    for number in range(20):
        await first.commit(change(f"later{number}", "later"))
        await asyncio.sleep(0.5)
        if any("later" in moved for moved in other.told):
            return
    raise AssertionError(f"nothing was heard but {other.told}")


async def test_hints_repeated_and_made_up_change_nothing(
    server: Server, pair: tuple[PostgresStore, PostgresStore]
) -> None:
    first, second = pair
    other = Listener(second)
    await other.hears("")
    await first.commit(change("w1", "acme"))
    async with redis.asyncio.Redis.from_url(server.url) as asked:
        name = await _name(second)
        for _ in range(10):
            await asked.publish(f"setpoint:{name}:acme", "somebody")
            await asked.publish(f"setpoint:{name}:nobody", b"\xff\x00")
    await other.hears("nobody")
    assert [wake.id for wake in await second.read(WAKES_AFTER, after="", limit=9)] == ["w1"]


async def _name(store: PostgresStore) -> str:
    [row] = await store._fetch("SELECT current_database()", [])
    return str(row[0])
