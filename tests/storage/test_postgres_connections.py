"""When connections break or the server goes away: what was answered stays, and all recovers by itself."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import asyncpg  # type: ignore[import-untyped]
import pytest

import postgres
from conformance.store_leases import asked
from conformance.store_rows import audit, event, names, puts, refs, sign, wake, zone
from setpoint.engine.audit import broken_at
from setpoint.engine.errors import Conflict, Denied, Rejected, Transient
from setpoint.engine.rows import Head, Wake
from setpoint.engine.store import AUDIT_PAGE, EVENTS_AFTER, SIGNS, WAKES_AFTER, Change, Expect, Put
from setpoint.storage.postgres import PostgresStore, open_postgres

OTHERS = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
DURABLE = {**postgres.QUICK, "synchronous_commit": "on"}


@pytest.fixture
async def url() -> str:
    return await postgres.emptied()


@pytest.fixture
async def store(url: str) -> AsyncIterator[PostgresStore]:
    opened = await open_postgres(url, allow_unsafe=True)
    yield opened
    await opened.close()


@pytest.fixture
async def admin(url: str) -> AsyncIterator[Any]:
    session = await asyncpg.connect(url)
    yield session
    await session.close()


async def write(store: PostgresStore, lane: str, acknowledged: set[str], until: asyncio.Event) -> None:
    """Commits one after the other; what fails is asked for again, unless it turns out to be there."""
    number = 0
    while not until.is_set():
        name = f"{lane}-{number:04}"
        change = Change(
            expects=(Expect(Wake, name),),
            writes=(Put(wake(name)), Put(wake(f"twin-{name}"))),
            events=(event(),),
            audit=(audit(),),
        )
        try:
            await store.commit(change)
        except Transient:
            await asyncio.sleep(0.01)
            continue
        except Conflict:
            pass  # It was there: only the answer had been lost.
        acknowledged.add(name)
        number += 1


async def kill_often(admin: Any, until: asyncio.Event) -> int:
    chance, killed = random.Random(7), 0  # noqa: S311 - whom to kill
    for _ in range(60):
        await asyncio.sleep(0.02)
        pids = [pid for (pid,) in await admin.fetch(OTHERS)]
        if pids:
            killed += await admin.fetchval("SELECT pg_terminate_backend($1)", chance.choice(pids))
    until.set()
    return killed


async def test_nothing_acknowledged_is_lost_while_connections_are_killed_under_load(
    url: str, store: PostgresStore, admin: Any
) -> None:
    other = await open_postgres(url, allow_unsafe=True)
    acknowledged: set[str] = set()
    until = asyncio.Event()
    lanes = [
        write(each, f"{name}{lane}", acknowledged, until)
        for each, name in ((store, "a"), (other, "b"))
        for lane in range(4)
    ]
    killed, *_ = await asyncio.gather(kill_often(admin, until), *lanes)
    there = set(await names(other, WAKES_AFTER, after="", limit=10**6))
    chain = await store.read(AUDIT_PAGE, organization="acme", after=0, limit=10**6)
    events = await store.read(EVENTS_AFTER, organization="acme", after=0, limit=10**6)
    head = await other.get(Head, "acme")
    await other.close()
    assert killed > 30
    assert len(acknowledged) > 30
    assert acknowledged - there == set()
    assert {name.removeprefix("twin-") for name in there} == {n for n in there if not n.startswith("twin-")}
    assert len(there) == 2 * len(chain) == 2 * len(events)
    assert broken_at(chain) is None
    assert head is not None
    assert sorted(line.revision for line in [*chain, *events]) == list(range(1, head.revision + 1))


@pytest.mark.parametrize("cut", ["before", "after"])
async def test_a_commit_whose_answer_is_lost_may_have_landed(url: str, tmp_path: Path, cut: Any) -> None:
    async with postgres.relayed(url, tmp_path) as (through, relay):
        store = await open_postgres(through, allow_unsafe=True)
        relay.armed, relay.cut = True, cut
        relay.go_on.set()
        with pytest.raises(Transient, match="the commit was not answered") as raised:
            await store.commit(puts(wake("w1")))
        assert raised.value.landed
        assert await names(store, WAKES_AFTER, after="", limit=9) == (["w1"] if cut == "after" else [])
        await store.commit(puts(wake("w2")))
        await store.close()


async def test_a_connection_lost_before_commit_has_written_nothing(url: str, tmp_path: Path) -> None:
    async with postgres.relayed(url, tmp_path, b"INSERT INTO wake") as (through, relay):
        store = await open_postgres(through, allow_unsafe=True)
        relay.armed, relay.cut = True, "before"
        relay.go_on.set()
        changes = [puts(wake("w1")), puts(zone("1")), puts(wake("w2"))]
        outcomes = await asyncio.gather(*map(store.commit, changes), return_exceptions=True)
        assert [(type(each), getattr(each, "landed", None)) for each in outcomes] == [(Transient, False)] * 3
        assert len({id(each) for each in outcomes}) == 3
        assert await names(store, WAKES_AFTER, after="", limit=9) == []
        await store.commit(puts(wake("w3")))
        await store.close()


async def test_a_server_that_says_nothing_more_is_not_waited_for_for_ever(url: str, tmp_path: Path) -> None:
    async with postgres.relayed(url, tmp_path) as (through, relay):
        store = await open_postgres(through, allow_unsafe=True, command_seconds=0.3)
        relay.armed = True
        with pytest.raises(Transient, match="the commit was not answered: TimeoutError") as raised:
            await store.commit(puts(wake("w1")))
        assert raised.value.landed
        relay.go_on.set()
        await store.commit(puts(wake("w2")))
        assert await names(store, WAKES_AFTER, after="w1", limit=9) == ["w2"]
        await store.close()


async def test_a_cancelled_read_or_commit_leaves_every_connection_usable(store: PostgresStore) -> None:
    for number in range(30):
        work = [
            asyncio.ensure_future(store.read(WAKES_AFTER, after="", limit=9)),
            asyncio.ensure_future(store.commit(puts(wake(f"{number:02}")))),
        ]
        await asyncio.sleep(0.0005 * (number % 5))
        for each in work:
            each.cancel()
        await asyncio.gather(*work, return_exceptions=True)
    await store.commit(puts(wake("last")))
    assert len(await store.read(WAKES_AFTER, after="", limit=99)) == 31


async def test_reads_go_on_after_every_connection_was_killed(store: PostgresStore, admin: Any) -> None:
    await store.commit(puts(wake("w1")))
    await store.sign([sign("1", 1.0)])
    for _ in range(3):
        everyone = [store.read(WAKES_AFTER, after="", limit=9) for _ in range(20)]
        await asyncio.gather(*everyone)
        await admin.fetch(f"SELECT pg_terminate_backend(pid) FROM ({OTHERS}) AS others")  # noqa: S608 - ours
        assert await names(store, WAKES_AFTER, after="", limit=9) == ["w1"]
        assert await store.read(SIGNS, refs=refs("host/1")) == [sign("1", 1.0)]


async def test_listeners_are_told_that_something_may_have_been_missed(
    store: PostgresStore, admin: Any
) -> None:
    told: asyncio.Queue[frozenset[str]] = asyncio.Queue()
    store.listen(told.put_nowait)
    async with asyncio.timeout(60):
        while told.empty():
            await admin.fetch(f"SELECT pg_terminate_backend(pid) FROM ({OTHERS}) AS others")  # noqa: S608 - ours
            await asyncio.sleep(0.1)
    assert await told.get() == {""}


async def test_a_database_that_is_away_is_transient_quickly_and_needs_no_restart_of_ours() -> None:
    with contextlib.closing(postgres.started(DURABLE)) as server:
        await (await postgres.admin_of(server)).close()
        store = await open_postgres(server.url(), allow_unsafe=True)
        await store.commit(puts(wake("w1")))
        server.kill()
        for ask in (
            *(partial(store.commit, puts(wake(f"lost{attempt}"))) for attempt in range(5)),
            partial(store.read, WAKES_AFTER, after="", limit=9),
            partial(store.sign, [sign("1", 1.0)]),
            partial(store.lease, asked("a", more=1)),
        ):
            async with asyncio.timeout(60):
                with pytest.raises(Transient):
                    await ask()
        server.start()
        await (await postgres.admin_of(server)).close()
        async with asyncio.timeout(60):
            await store.commit(puts(wake("w2")))
            assert await names(store, WAKES_AFTER, after="", limit=9) == ["w1", "w2"]
        server.kill()
        async with asyncio.timeout(60):
            await store.close()


async def test_closing_finishes_what_was_asked_and_leaves_no_connection_behind() -> None:
    url = await postgres.database()
    store = await open_postgres(url, allow_unsafe=True)
    waiting = [asyncio.ensure_future(store.commit(puts(wake(f"{number:03}")))) for number in range(600)]
    await asyncio.sleep(0)
    await store.close()
    assert all(task.done() and task.exception() is None for task in waiting)
    again = await open_postgres(url, allow_unsafe=True)
    assert len(await again.read(WAKES_AFTER, after="", limit=999)) == 600
    await again.close()
    await postgres.drop(url)


async def test_a_closed_store_says_so_and_may_be_closed_again(url: str) -> None:
    store = await open_postgres(url, allow_unsafe=True)
    await store.close()
    await store.close()
    with pytest.raises(Transient, match="closed"):
        await store.commit(Change())
    with pytest.raises(Transient, match="closed"):
        await store.read(WAKES_AFTER, after="", limit=1)
    with pytest.raises(Transient, match="closed"):
        await store.sign([])
    with pytest.raises(Transient, match="closed"):
        await store.lease(asked("a"))


async def test_a_member_that_postgres_refuses_fails_alone(store: PostgresStore) -> None:
    changes = [puts(wake("a")), puts(zone("1", generation=2**70)), puts(wake("b"))]
    outcomes = await asyncio.gather(*map(store.commit, changes), return_exceptions=True)
    assert (outcomes[0], outcomes[2]) == (None, None)
    assert isinstance(outcomes[1], asyncpg.DataError)
    assert await names(store, WAKES_AFTER, after="", limit=9) == ["a", "b"]


async def test_a_lock_held_by_a_stranger_is_waited_for(store: PostgresStore, admin: Any) -> None:
    await store.commit(puts(wake("w1")))
    async with admin.transaction():
        await admin.execute("SELECT FROM wake WHERE id = 'w1' FOR UPDATE")
        waiting = asyncio.ensure_future(store.commit(puts(wake("w1", "zone/2"))))
        await asyncio.wait([waiting], timeout=0.1)
        assert not waiting.done()
    await waiting


async def test_a_deadlock_with_a_stranger_is_run_again(store: PostgresStore, admin: Any) -> None:
    await store.commit(puts(wake("w1"), wake("w2")))
    await admin.execute("SET deadlock_timeout = '10s'")  # So that it is the store's side that gives up.
    async with admin.transaction():
        await admin.execute("SELECT FROM wake WHERE id = 'w2' FOR UPDATE")
        waiting = asyncio.ensure_future(store.commit(puts(wake("w1", "zone/2"), wake("w2", "zone/2"))))
        await asyncio.wait([waiting], timeout=0.1)
        await admin.execute("SELECT FROM wake WHERE id = 'w1' FOR UPDATE")
    await waiting
    assert await store.get(Wake, "w1") == wake("w1", "zone/2")


@pytest.mark.parametrize(
    ("address", "error", "said"),
    [
        ("mysql://there", Rejected, "invalid DSN"),
        ("postgresql://postgres@/nowhere?host={folder}", Rejected, 'database "nowhere" does not exist'),
        ("postgresql://stranger@/postgres?host={folder}", Denied, 'role "stranger" does not exist'),
        ("postgresql://postgres@/postgres?host={folder}/nobody", Transient, "the database cannot be used"),
    ],
)
async def test_an_address_that_leads_nowhere_is_told_in_one_sentence(
    address: str, error: type[Exception], said: str, url: str
) -> None:
    with pytest.raises(error, match=said):
        await open_postgres(address.format(folder=postgres.server().folder))
