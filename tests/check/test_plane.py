"""A running control plane, asked from outside and judged by what its store says."""

import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from check.sites import site
from harness import quick
from processes import free_port
from setpoint import system
from setpoint.check import plane, work
from setpoint.check.command import findings
from setpoint.check.finding import Finding, Level, Site
from setpoint.engine.entity import Declared, Scope
from setpoint.engine.plan import Verb
from setpoint.engine.rows import Act, PlanRow, PlanState, Shard
from setpoint.engine.store import SHARDS_OF, Change, Put, Store
from setpoint.storage.sqlite import open_sqlite
from setpoint.storage.sqlite.migrate import down
from setpoint.up import Running, running

DAY = 86400.0


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    """What a control plane has left behind."""
    opened = await open_sqlite(tmp_path)
    try:
        yield opened
    finally:
        await opened.close()


@pytest.fixture
async def up(tmp_path: Path) -> AsyncIterator[Running]:
    async with running(quick(tmp_path)) as run:
        yield run


def at(run: Running, folder: Path, token: str | None = None) -> Site:
    return site(folder, run.token if token is None else token, url=run.url)


def named(found: list[Finding], name: str) -> Finding:
    (finding,) = [each for each in found if each.name == name]
    return finding


async def test_a_healthy_control_plane_has_nothing_that_fails(up: Running, tmp_path: Path) -> None:
    found = await findings(at(up, tmp_path), pre=False)
    assert [each for each in found if each.level is Level.FAIL] == []
    assert named(found, "alive").said == up.url
    assert named(found, "ready").said == "accepting, store, disk"
    assert named(found, "token").said == "accepted"
    assert named(found, "schedulers").said == "1 replica for all 256 parts of the work"
    assert named(found, "workers").said == "1 replica for all 256 parts of the work"
    assert named(found, "acts").level is Level.OK
    assert named(found, "held plans").said == "none"


def test_nobody_there_is_one_line_with_the_cure(tmp_path: Path) -> None:
    address = f"http://127.0.0.1:{free_port()}"
    (found,) = plane.plane(site(tmp_path, url=address))
    assert (found.level, found.said) == (Level.FAIL, f"{address} does not answer: nothing listens there")
    assert found.cure == "setpoint up (as a service: systemctl status setpoint), or --url URL"
    (shared,) = plane.plane(site(tmp_path, url=address, database="postgresql://db/setpoint"))
    assert shared.cure.startswith("setpoint api ")


def test_an_address_that_is_none_is_told(tmp_path: Path) -> None:
    (found,) = plane.plane(site(tmp_path, url="ftp://x"))
    assert (found.level, found.name) == (Level.FAIL, "alive")


async def test_a_wrong_token_and_none_at_all_are_told(up: Running, tmp_path: Path) -> None:
    wrong = named(await findings(at(up, tmp_path, "wrong"), pre=False), "token")
    none = named(await findings(at(up, tmp_path, ""), pre=False), "token")
    assert (wrong.level, wrong.said) == (Level.FAIL, "refused (401)")
    assert (none.level, none.said) == (Level.FAIL, "there is none to try")
    assert wrong.cure == none.cure == "SETPOINT_TOKEN_FILE=DATA/admin.token, or SETPOINT_TOKEN"


async def test_one_that_drains_is_not_ready(up: Running, tmp_path: Path) -> None:
    up.application.drain.begin()
    found = named(await findings(at(up, tmp_path), pre=False), "ready")
    assert (found.level, found.said, found.cure) == (
        Level.FAIL,
        "accepting: draining",
        "it is stopping: start it again",
    )


def test_a_store_that_does_not_answer_is_named(tmp_path: Path) -> None:
    checks = {"accepting": "ok", "store": "no answer within 2 s"}
    with answering(503, {"ready": False, "checks": checks}) as url:
        found = plane.ready(site(tmp_path, url=url))
    assert (found.level, found.said) == (Level.FAIL, "store: no answer within 2 s")
    assert found.cure.startswith("setpoint check --pre")


def test_something_else_on_that_port_is_not_taken_for_us(tmp_path: Path) -> None:
    with answering(404, {}) as url:
        alive, ready, token = plane.plane(site(tmp_path, "token", url=url))
    assert "is it really the API?" in alive.said
    assert {alive.level, ready.level, token.level} == {Level.FAIL}


async def test_work_that_nobody_owns_fails(store: Store, tmp_path: Path) -> None:
    found = await work.work(site(tmp_path))
    assert named(found, "schedulers").level is Level.FAIL
    assert named(found, "schedulers").said == "256 of 256 parts of the work have no scheduler"
    assert "setpoint scheduler" in named(found, "schedulers").cure
    assert "setpoint-worker" in named(found, "workers").cure


async def test_a_lease_that_ran_out_owns_nothing(store: Store, tmp_path: Path) -> None:
    now = system.now()
    shards = [
        Shard(key=each.key, service="scheduler", owner="a", epoch=1, until=now + (60 if number else -1))
        for number, each in enumerate(await store.read(SHARDS_OF, service="scheduler"))
    ]
    await store.commit(Change(writes=tuple(map(Put, shards))))
    found = await work.owners(site(tmp_path), store, "scheduler")
    assert (found.level, found.said) == (Level.FAIL, "1 of 256 parts of the work have no scheduler")


async def test_an_act_without_an_outcome_for_long_fails(store: Store, tmp_path: Path) -> None:
    zone = Declared(ref="dns_zone/1", kind="dns_zone", scope=Scope("acme"), name="main", spec={})
    await store.commit(Change(writes=(Put(zone), Put(act("1", ago=30)))))
    assert (await work.acts(site(tmp_path), store)).level is Level.OK
    await store.commit(Change(writes=(Put(act("2", ago=2400)),)))
    found = await work.acts(site(tmp_path), store)
    assert (found.level, found.cure) == (Level.FAIL, "setpoint why dns_zone main")
    assert found.said == "1 without an outcome, the oldest for 40m: create in dns_zone main"


async def test_a_plan_held_for_days_is_a_warning(store: Store, tmp_path: Path) -> None:
    acme = Declared(ref="organization/1", kind="organization", scope=Scope(), name="acme", spec={})
    await store.commit(Change(writes=(Put(acme), Put(plan("new", ago=60)))))
    assert (await work.plans(site(tmp_path), store)).said == "1, none for more than a day"
    await store.commit(
        Change(writes=(Put(plan("old", ago=3 * DAY)), Put(plan("done", 9 * DAY, PlanState.DONE))))
    )
    found = await work.plans(site(tmp_path), store)
    assert (found.level, found.said) == (
        Level.WARN,
        "1 plan held for more than a day, the oldest for 3d: dns_zone main",
    )
    assert found.cure.startswith("setpoint describe plan old")


async def test_a_store_of_another_version_is_not_opened(tmp_path: Path) -> None:
    await (await open_sqlite(tmp_path)).close()
    down(tmp_path)
    before = (tmp_path / "setpoint.db").read_bytes()
    assert await work.work(site(tmp_path)) == []
    assert (tmp_path / "setpoint.db").read_bytes() == before


async def test_no_store_yet_has_nothing_to_say(tmp_path: Path) -> None:
    assert await work.work(site(tmp_path / "no" / "folder")) == []


def act(identity: str, ago: float) -> Act:
    began = system.now() - ago
    return Act(
        id=identity,
        domain="dns_zone/1",
        organization="acme",
        verb=Verb.CREATE,
        item=f"record-{identity}",
        began_at=began,
    )


def plan(identity: str, ago: float, state: PlanState = PlanState.HELD) -> PlanRow:
    return PlanRow(
        id=identity,
        ref="dns_zone/1",
        kind="dns_zone",
        scope=Scope("acme"),
        name="main",
        state=state,
        created_at=system.now() - ago,
    )


@contextmanager
def answering(status: int, body: Any) -> Iterator[str]:
    """A server that always says the same."""

    class Always(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            raw = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_: object) -> None:
            """Silent."""

    with HTTPServer(("127.0.0.1", 0), Always) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
