"""How loops fare, a row for each kind at each place: as the console's page of loops shows it."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import pytest_asyncio
from msgspec.structs import replace

from engine.situations import ALONE, case, creates, deletes
from harness import ORGANIZATION, PROJECT, WORKSPACE
from setpoint.api import loops
from setpoint.drive.pulse import LOOKED, LOOKED_SECONDS, PULSE, Beat
from setpoint.engine.entity import Ref, Scope, State, Status
from setpoint.engine.ledger import Budget, Contest, Failing, Ledger, Taken
from setpoint.engine.plan import Verb
from setpoint.engine.record import Recorded
from setpoint.engine.rows import Act, ActState, Sign
from setpoint.engine.store import signs_of
from setpoint.engine.tenure import numbered
from setpoint.system import now

from .kit import AnyJson, Api, as_other, settled, still, thing
from .recordings import keep, recorded

pytestmark = pytest.mark.asyncio(loop_scope="module")

LIVE = Scope("acme", "shop", "prod")
FAILURE = Failing(said="no", intent="x", count=8, since=1.0, at=2.0, alone=True)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def some(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Api]:
    hosts = [
        thing("host", name, {"provider": "hetzner"}, project="shop", workspace="prod")
        for name in ("web-1", "web-2")
    ]
    async with still(tmp_path_factory.mktemp("loops")) as api:
        assert (await api.declare(*settled(), *hosts)).status == 200
        items = (await api.get(f"{WORKSPACE}/hosts")).body["items"]
        one, two = [Ref(item["metadata"]["ref"]) for item in items][:2]
        await keep(
            api,
            Status(ref=one, state=State.FAILED, reason="it broke"),
            Status(ref=two, state=State.HELD, reason="a person decides", alike=9),
            Ledger(ref=one, failing={"a": FAILURE}, contested={"b": Contest(wishes={}, since=1.0)}),
            Budget(key="tenant:acme", version=1, taken=(Taken(domain=one, count=3, at=now()),)),
            recorded(1, case(creates(2)), ref=one, kind="host", name="web-1"),
            recorded(2, case(deletes(3)), ref=one, kind="host", name="web-1"),
            recorded(3, ALONE["failure_brake"], ref=two, kind="host", name="web-2"),
            approved(recorded(4, case(deletes(2)), ref=one, kind="host", name="web-1")),
            *(removal(f"a{number}", one, approval="yes") for number in range(2)),
            removal("a3", one, approval=""),
        )
        yield api


def approved(row: Recorded) -> Recorded:
    return replace(row, at=now(), verdict=replace(row.verdict, approval="yes"))


def removal(identity: str, domain: Ref, approval: str) -> Act:
    return Act(
        id=identity,
        domain=domain,
        organization="acme",
        verb=Verb.DELETE,
        item=identity,
        state=ActState.DONE,
        began_at=now(),
        approval=approval,
    )


async def row(api: Api, kind: str = "host") -> AnyJson:
    page = (await api.get(f"{ORGANIZATION}/loops?page_size=100")).body
    return next(item for item in page["items"] if item["kind"] == kind)


async def test_every_kind_with_a_loop_has_a_row_for_each_place(some: Api) -> None:
    page = (await some.get(f"{ORGANIZATION}/loops?page_size=100")).body
    places = [(item["kind"], item["scope"]["project"], item["scope"]["workspace"]) for item in page["items"]]
    assert ("host", "shop", "prod") in places
    assert ("dns_zone", "shop", "") in places
    assert places == sorted(set(places))
    assert all(item["every"] for item in page["items"])


async def test_pages_joined_are_all_rows(some: Api) -> None:
    whole = (await some.get(f"{ORGANIZATION}/loops?page_size=100")).body["items"]
    found, token = [], ""
    for _ in whole:
        page = (await some.get(f"{ORGANIZATION}/loops?page_size=1&page_token={token}")).body
        found += page["items"]
        token = page["next_page_token"]
    assert token == ""
    assert [item["kind"] for item in found] == [item["kind"] for item in whole]


async def test_a_narrower_scope_has_only_its_own_rows(some: Api) -> None:
    page = (await some.get(f"{PROJECT}/loops?page_size=100")).body
    assert {item["scope"]["project"] for item in page["items"]} == {"shop"}


async def test_sizes_of_the_last_decisions_say_what_was_taken_away_oldest_first(some: Api) -> None:
    decisions = (await row(some))["decisions"]
    assert [(each["id"], each["changed"], each["gone"]) for each in decisions[:2]] == [
        ("p0001", 2, 0),
        ("p0002", 0, 3),
    ]
    assert decisions[2]["held"] == ["failure_brake"]


async def test_what_is_not_got_done_is_counted(some: Api) -> None:
    found = await row(some)
    assert (found["slow"], found["contested"], found["braked"]) == (2, 1, 1)
    assert (found["states"], found["entities"]) == ({"FAILED": 1, "HELD": 1}, 2)
    named = [(each["sort"], each["name"], each["item"]) for each in found["troubles"]]
    assert sorted(named) == [
        ("braked", "web-2", ""),
        ("contested", "web-1", "b"),
        ("slow", "web-1", "a"),
        ("slow", "web-2", ""),
    ]


async def test_deletes_of_the_last_hour_are_told_beside_what_is_left_of_the_budget(some: Api) -> None:
    budget = (await some.get(f"{ORGANIZATION}/loops?page_size=1")).body["budget"]
    assert budget["limit"] - budget["left"] == 3
    found = await row(some)
    assert (found["deletes"], found["approved_deletes"]) == (3, 2)


async def test_the_pulse_of_a_scheduler_is_part_of_its_rows(some: Api) -> None:
    assert (await row(some))["last_pass"] is None
    host = Ref((await some.get(f"{WORKSPACE}/hosts")).body["items"][0]["metadata"]["ref"])
    beat = Beat(kind="host", scope=LIVE, at=now(), spread={20: 99, 40: 1}, due=4, queue=(host,))
    told = {"kind": beat.kind, "scope": {"organization": "acme", "project": "shop", "workspace": "prod"}}
    told |= {"at": beat.at, "spread": {"20": 99, "40": 2}, "due": 4, "queue": [host]}
    ref = Ref(f"{PULSE}/{numbered('scheduler', 3)}")
    await some.store.sign((Sign(ref=ref, at=now(), facts={"owner": "x", "beats": [told]}),))
    found = await row(some)
    assert found["last_pass"] is not None
    assert found["due"] == 4
    assert [each["name"] for each in found["queue"]] == ["web-1"]
    assert 0.05 < found["p50"] < 0.15
    assert found["p99"] > 1.0


async def test_whoever_sees_none_of_a_kind_has_no_row_of_it(some: Api) -> None:
    lab = {"kind": "project", "metadata": {"name": "lab"}, "spec": {}}
    assert (await some.declare(lab)).status == 200
    role = {"name": "lab", "role": "operator", "project": "lab"}
    token = (await some.good("POST", f"{ORGANIZATION}/tokens", role))["token"]
    async with as_other(some, token) as other:
        page = (await other.get(f"{ORGANIZATION}/loops?page_size=100")).body
    assert [item for item in page["items"] if item["scope"]["project"] == "shop"] == []


async def test_schedulers_hear_that_somebody_looks(some: Api) -> None:
    await row(some)
    [looked] = (await signs_of(some.store, (LOOKED,))).values()
    assert now() - looked.at < LOOKED_SECONDS


async def test_only_the_first_who_looks_waits_where_no_scheduler_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []

    async def waited(seconds: float) -> None:
        waits.append(seconds)
        await asyncio.sleep(seconds)

    monkeypatch.setattr(loops, "asyncio", SimpleNamespace(sleep=waited))
    async with still(tmp_path) as api:
        assert (await api.declare(*settled())).status == 200
        assert (await api.get(f"{ORGANIZATION}/loops")).status == 200
        assert waits
        waits.clear()
        for path in (f"{ORGANIZATION}/loops", f"{PROJECT}/loops", "/v1/loops"):
            assert (await api.get(path)).status == 200
        assert not waits
