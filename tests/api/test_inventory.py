"""Everything of a scope in one list, whatever its kind; and how many of it are in which state."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from harness import ORGANIZATION, PROJECT, WORKSPACE
from setpoint.api import activity
from setpoint.api.looking import asked_to_look
from setpoint.engine.entity import Declared, Ref, Scope, State, Status
from setpoint.engine.rows import Event, Lane
from setpoint.engine.store import Change, Put
from setpoint.system import now

from .kit import AnyJson, Api, as_other, channel, settled, still, thing

pytestmark = pytest.mark.asyncio(loop_scope="module")

EVERYTHING = ["acme", "example-org", "hetzner", "hooks", "prod", "shop", "web-1"]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def some(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Api]:
    host = thing(
        "host", "web-1", {"provider": "hetzner"}, project="shop", workspace="prod", labels={"tier": "Web"}
    )
    async with still(tmp_path_factory.mktemp("some")) as api:
        assert (await api.declare(*settled(), host)).status == 200
        yield api


async def test_all_kinds_are_in_one_list(some: Api) -> None:
    found = await some.get(f"{ORGANIZATION}/inventory?page_size=50&order_by=name")
    assert found.names == EVERYTHING[1:]
    assert {item["kind"] for item in found.body["items"]} == {
        "dns_zone", "provider", "notification_channel", "workspace", "project", "host"
    }  # fmt: skip


async def test_pages_joined_are_the_whole_list(some: Api) -> None:
    names, token = [], ""
    while True:
        page = await some.get(f"{ORGANIZATION}/inventory?page_size=2&page_token={token}")
        names += page.names
        token = page.body["next_page_token"]
        if not token:
            break
    assert sorted(names) == EVERYTHING[1:]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("kind=host", ["web-1"]),
        ("text=WEB", ["web-1"]),
        ("text=tier=web", ["web-1"]),
        ("text=oo", ["hooks"]),
        ('filter=kind == "host" || name == "hooks"', ["hooks", "web-1"]),
    ],
)
async def test_it_is_narrowed_by_kind_text_state_and_filter(some: Api, query: str, names: list[str]) -> None:
    assert sorted((await some.get(f"{ORGANIZATION}/inventory?{query}")).names) == names


async def test_a_project_and_a_workspace_show_what_lies_in_them(some: Api) -> None:
    assert sorted((await some.get(f"{PROJECT}/inventory")).names) == ["example-org", "prod", "web-1"]
    assert (await some.get(f"{WORKSPACE}/inventory")).names == ["web-1"]


async def test_it_is_narrowed_by_state(some: Api) -> None:
    assert "hooks" in (await some.get(f"{ORGANIZATION}/inventory?state=READY")).names
    assert "hooks" not in (await some.get(f"{ORGANIZATION}/inventory?state=HELD")).names


async def test_a_kind_that_is_not_there_is_refused(some: Api) -> None:
    refused = await some.get(f"{ORGANIZATION}/inventory?kind=hsot")
    assert (refused.status, refused.body["code"]) == (400, "bad_query")


async def test_the_summary_counts_what_the_list_shows(some: Api) -> None:
    listed = (await some.get(f"{ORGANIZATION}/inventory?page_size=500")).body["items"]
    counted = (await some.get(f"{ORGANIZATION}/inventory:summary")).body["items"]
    assert sum(item["count"] for item in counted) == len(listed)
    assert {(item["kind"], item["state"]) for item in counted} == {
        (item["kind"], item["status"]["state"]) for item in listed
    }
    inside = (await some.get(f"{WORKSPACE}/inventory:summary")).body["items"]
    assert [(item["kind"], item["count"]) for item in inside] == [("host", 1)]


async def test_whoever_may_see_one_project_counts_that_project(some: Api) -> None:
    body = {"name": "eve", "role": "member", "project": "shop"}
    token = (await some.call("POST", f"{ORGANIZATION}/tokens", body)).body["token"]
    async with as_other(some, token) as eve:
        listed = (await eve.get(f"{ORGANIZATION}/inventory?page_size=500")).names
        counted = (await eve.get(f"{ORGANIZATION}/inventory:summary")).body["items"]
    assert "hetzner" not in listed
    assert {"web-1", "example-org"} <= set(listed)
    assert sum(item["count"] for item in counted) == len(listed)


async def test_whoever_may_see_one_object_counts_that_object(some: Api) -> None:
    keys = ["organization.notification_channel"]
    rules = [{"verbs": ["read"], "keys": keys, "names": ["hooks"]}, {"verbs": ["read"], "keys": ["catalog"]}]
    one = thing("role", "one", {"about": "one channel", "rules": rules})
    assert (await some.declare(channel("more"), one)).status == 200
    made = await some.call("POST", f"{ORGANIZATION}/tokens", {"name": "mallory", "role": "one"})
    async with as_other(some, made.body["token"]) as mallory:
        found = await mallory.get(f"{ORGANIZATION}/inventory:summary")
    assert found.body["items"] == [{"kind": "notification_channel", "state": "READY", "count": 1}]
    await some.good("DELETE", f"{ORGANIZATION}/tokens/{made.body['id']}")
    for path in ("notification_channels/more", "roles/one"):
        await some.good("DELETE", f"{ORGANIZATION}/{path}")


async def test_what_needs_attention_comes_worst_first(some: Api) -> None:
    refs = {item["metadata"]["name"]: item["metadata"]["ref"] for item in await listed(some)}
    states = {"web-1": State.DEGRADED, "example-org": State.FAILED, "shop": State.READY, "prod": State.HELD}
    told = [Put(Status(ref=Ref(refs[name]), state=state, reason="x")) for name, state in states.items()]
    await some.store.commit(Change(writes=tuple(told)))
    found = await some.get(f"{ORGANIZATION}/inventory:attention?page_size=50")
    assert found.names == ["example-org", "prod", "web-1"]
    assert (await some.get(f"{ORGANIZATION}/inventory:attention?page_size=1")).names == ["example-org"]
    assert (await some.get(f"{WORKSPACE}/inventory:attention")).names == ["web-1"]
    names, token = [], ""
    while True:
        page = await some.get(f"{ORGANIZATION}/inventory:attention?page_size=1&page_token={token}")
        names += page.names
        if not (token := page.body["next_page_token"]):
            break
    assert names == found.names
    refused = await some.get(f"{ORGANIZATION}/inventory:attention?page_token=x")
    assert (refused.status, refused.body["code"]) == (400, "bad_query")


async def test_the_last_hour_is_counted_by_minute(some: Api) -> None:
    scope, at = Scope("acme", "shop"), now()
    for kind, ago in (
        ("act.done", 0),
        ("act.done", 0),
        ("plan.held", 120),
        ("act.failed", 3 * 3600),
        ("x.y", 0),
    ):
        event = Event(organization="acme", type=kind, ref=Ref("x/1"), scope=scope, at=at - ago, message=kind)
        await some.store.commit(Change(events=(event,)))
    found = (await some.get(f"{PROJECT}/activity")).body
    assert len(found["minutes"]) == 60
    assert {
        name: sum(minute[name] for minute in found["minutes"]) for name in ("acts", "held", "failures")
    } == {"acts": 2, "held": 1, "failures": 0}
    assert found["complete"]
    assert [event["type"] for event in found["latest"][:2]] == ["act.failed", "plan.held"]
    inside = (await some.get(f"{WORKSPACE}/activity")).body
    assert sum(minute["acts"] for minute in inside["minutes"]) == 0


async def test_the_last_day_is_counted_by_hour_and_kind(some: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    scope, at = Scope("acme", "apart"), now()
    path = f"{ORGANIZATION}/projects/apart/activity:hours"
    for kind, ref, ago in (
        ("act.done", "dns_zone/9", 0),
        ("act.done", "dns_zone/9", 2 * 3600),
        ("plan.held", "dns_zone/9", 2 * 3600),
        ("act.failed", "host/9", 5 * 3600),
        ("act.failed", "host/9", 30 * 3600),
        ("act.done", "nobody/9", 0),
    ):
        event = Event(organization="acme", type=kind, ref=Ref(ref), scope=scope, at=at - ago)
        await some.store.commit(Change(events=(event,)))
    found = (await some.get(path)).body
    assert len(found["hours"]) == 24
    assert found["since"] == found["hours"][0]
    zones, hosts = ({row["kind"]: row for row in found["items"]}[kind] for kind in ("dns_zone", "host"))
    assert [at for at, count in enumerate(zones["acts"]) if count] == [21, 23]
    assert [at for at, count in enumerate(zones["held"]) if count] == [21]
    assert [at for at, count in enumerate(hosts["failures"]) if count] == [18]
    assert {row["kind"] for row in found["items"]} == {"dns_zone", "host"}
    monkeypatch.setattr(activity, "MOST", 1)
    monkeypatch.setattr(activity, "AT_ONCE", 1)
    cut = (await some.get(path)).body
    assert cut["since"] > cut["hours"][0]


async def listed(api: Api) -> list[AnyJson]:
    found: list[AnyJson] = (await api.get(f"{ORGANIZATION}/inventory?page_size=500")).body["items"]
    return found


async def test_what_an_object_has_to_do_with_others(some: Api) -> None:
    refs = {item["metadata"]["name"]: item["metadata"]["ref"] for item in await listed(some)}

    async def related(name: str) -> set[tuple[str, str]]:
        found = (await some.get(f"{ORGANIZATION}/inventory:related?ref={refs[name]}")).body["items"]
        return {(item["relation"], item["object"]["metadata"]["name"]) for item in found}

    assert ("uses", "hetzner") in await related("web-1")
    assert {("used by", "web-1"), ("used by", "example-org")} <= await related("hetzner")
    assert (await some.get(f"{ORGANIZATION}/inventory:related?ref=host/nobody")).status == 404


async def test_an_object_is_looked_at_when_somebody_asks(some: Api) -> None:
    asked = await some.call("POST", f"{WORKSPACE}/hosts/web-1:observe")
    assert asked.status == 202
    ref = asked.body["metadata"]["ref"]
    audit = (await some.get(f"{ORGANIZATION}/audit?page_size=500")).body["items"]
    assert ("entity.observe", ref, "administrator") in {(a["action"], a["ref"], a["actor"]) for a in audit}
    declared = await some.store.get(Declared, ref)
    assert declared is not None
    [put] = asked_to_look(declared, "ann", some.run.application.scheduler.runtime).writes
    assert isinstance(put, Put)
    assert (put.row.ref, put.row.lane) == (ref, Lane.INTERACTIVE)
