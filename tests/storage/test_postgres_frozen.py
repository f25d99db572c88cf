"""PostgreSQL that is a copy, or has failed over: noticed by every service, each with its own pen."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncpg  # type: ignore[import-untyped]
import pytest
from msgspec.structs import replace

import postgres
from conformance.store_rows import act, puts, switch
from setpoint.drive.frozen import FAILED_OVER, inspected
from setpoint.engine.errors import Denied
from setpoint.engine.plan import Verb
from setpoint.engine.rows import Act, ActState, Installation, Mode, Switch
from setpoint.storage.postgres import PostgresStore, open_postgres

PENS: Any = ["api", "worker", "scheduler"]
NOW = 1000.0


@pytest.fixture
async def url() -> str:
    return await postgres.emptied()


@pytest.fixture
async def pen(request: pytest.FixtureRequest, url: str) -> AsyncIterator[PostgresStore]:
    owner = await open_postgres(url, allow_unsafe=True)
    await owner.commit(puts(Installation(id="i1", identity="elsewhere", timeline="00000001")))
    await owner.close()
    store = await open_postgres(url, role=request.param, allow_unsafe=True)
    yield store
    await store.close()


async def look(store: PostgresStore) -> str:
    return await inspected(store, "", lambda: NOW)


@pytest.mark.parametrize("pen", PENS, indirect=True)
async def test_whoever_starts_first_freezes_a_copy(pen: PostgresStore) -> None:
    assert "this database is a copy" in await look(pen)
    frozen = await pen.get(Switch, "all")
    assert frozen is not None
    assert (frozen.mode, frozen.by) == (Mode.OBSERVE, "setpoint")
    assert await look(pen) == ""


@pytest.mark.parametrize("pen", PENS, indirect=True)
async def test_a_switch_that_somebody_left_behind_is_tightened(pen: PostgresStore, url: str) -> None:
    owner = await open_postgres(url, allow_unsafe=True)
    await owner.commit(puts(replace(switch("all"), mode=Mode.NO_DELETES, version=4)))
    await owner.close()
    await look(pen)
    frozen = await pen.get(Switch, "all")
    assert frozen is not None
    assert (frozen.mode, frozen.version) == (Mode.OBSERVE, 5)


@pytest.mark.parametrize("pen", ["worker", "scheduler"], indirect=True)
@pytest.mark.parametrize(("key", "by"), [("all", "ann"), ("kind:host", "setpoint")])
async def test_in_nobody_elses_name_and_nowhere_else(pen: PostgresStore, key: str, by: str) -> None:
    with pytest.raises(Denied):
        await pen.commit(puts(Switch(key=key, mode=Mode.RUN, by=by, reason="", since=1.0)))


@pytest.mark.parametrize("pen", ["api"], indirect=True)
async def test_adopting_adds_to_the_journal_what_is_done_and_changes_nothing_in_it(
    pen: PostgresStore, url: str
) -> None:
    owner = await open_postgres(url, allow_unsafe=True)
    await owner.commit(puts(act("known", ActState.UNKNOWN)))
    await owner.close()
    await pen.commit(puts(act("adopted", ActState.DONE)))
    assert await pen.get(Act, "adopted") is not None
    refused = (act("begun"), act("gone", ActState.DONE, verb=Verb.DELETE), act("known", ActState.DONE))
    for row in refused:
        with pytest.raises(Denied):
            await pen.commit(puts(row))


async def test_a_copy_of_the_database_is_noticed_and_the_original_is_not_doubted() -> None:
    original = await postgres.database()
    store = await open_postgres(original, allow_unsafe=True)
    await store.commit(puts(Installation(id="i1")))
    assert await look(store) == ""
    await store.close()
    name = original.partition("?")[0].rpartition("/")[2]
    copied = original.replace(name, f"{name}_copy")
    admin = await postgres.admin_of(postgres.server())
    await admin.execute(f"CREATE DATABASE {name}_copy TEMPLATE {name}")
    await admin.close()
    for url, says in ((original, ""), (copied, "this database is a copy")):
        store = await open_postgres(url, allow_unsafe=True)
        assert says in await look(store)
        assert (await store.get(Switch, "all") is None) == (not says)
        await store.close()
        await postgres.drop(url)


@pytest.mark.timeout(120)
async def test_a_server_that_took_over_is_another_timeline_of_the_same_database() -> None:
    server = postgres.started(postgres.QUICK)
    try:
        store = await reached(server.url())
        await store.commit(puts(Installation(id="i1")))
        assert await look(store) == ""
        before = await store.identity()
        await store.close()
        promoted(server)
        store = await reached(server.url())
        assert await look(store) == FAILED_OVER
        after = await store.identity()
        assert (after.place == before.place, after.timeline > before.timeline) == (True, True)
        frozen = await store.get(Switch, "all")
        assert frozen is not None
        assert (frozen.mode, frozen.by) == (Mode.NO_DELETES, "setpoint")
        assert await look(store) == ""
        await store.close()
    finally:
        server.close()


def promoted(server: postgres.Server) -> None:
    """Stopped, then started as a standby of nobody: whoever reaches it next makes it the primary."""
    assert server.process is not None
    server.process.send_signal(signal.SIGINT)
    server.process.wait(postgres.ENOUGH)
    mark = server.folder / "data" / "standby.signal"
    mark.touch()
    owner = Path(server.folder / "data").stat()
    os.chown(mark, owner.st_uid, owner.st_gid)
    server.start()


async def reached(url: str) -> PostgresStore:
    """A store on a server that may still be starting, or be a standby."""
    for _ in range(300):
        try:
            session = await asyncpg.connect(url)
        except (OSError, asyncpg.PostgresError):
            await asyncio.sleep(0.1)
            continue
        if await session.fetchval("SELECT pg_is_in_recovery()"):
            await session.fetchval("SELECT pg_promote()")
        await session.close()
        return await open_postgres(url, allow_unsafe=True)
    raise AssertionError(f"{url} cannot be reached")
