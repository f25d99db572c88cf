"""What is ours by its mark and newer than our database becomes declared, by one person, in one commit."""

from typing import Any

import pytest

from harness import ORGANIZATION, PROJECT, WORKSPACE
from setpoint.engine.entity import Declared, Ref, Scope, Status
from setpoint.engine.rows import Act, ActState
from setpoint.engine.store import WAKES_OF, held_acts

from .kit import Api, thing
from .recordings import keep

ACCOUNT = f"{ORGANIZATION}/providers/hetzner"
ZONE = f"{PROJECT}/dns_zones/example-org"
PROD = Scope("acme", "shop", "prod")
MAKE = {"provider": "hetzner", "agent": False, "size": "cx22", "image": "debian-12", "location": "fsn1"}


def server(number: int, **more: Any) -> dict[str, Any]:
    found = {"kind": "host", "name": f"web-{number}", "spec": MAKE, "act": f"act-{number}", "item": "server"}
    place = {"ref": f"host/lost{number}", "project": "shop", "workspace": "prod"}
    return {**found, **place, **more}


def record(name: str) -> dict[str, Any]:
    spec = {"zone": "example-org", "name": name, "type": "A", "values": ["192.0.2.1"], "ttl": 300}
    return {"kind": "dns_record", "name": name, "spec": spec, "act": f"act-{name}", "item": f"{name}/A"}


async def unknown(api: Api, path: str, *found: dict[str, Any]) -> Ref:
    """As the last pass left it."""
    ref = Ref((await api.get(path)).body["metadata"]["ref"])
    await keep(api, Status(ref=ref, facts={"unknown": list(found)}))
    return ref


async def test_all_that_is_listed_is_declared_under_the_ref_its_mark_names(api: Api) -> None:
    ref = await unknown(api, ACCOUNT, *map(server, range(3)))
    answer = await api.good("POST", f"{ACCOUNT}:adopt", {})
    assert [one["metadata"]["ref"] for one in answer["items"]] == [f"host/lost{n}" for n in range(3)]
    assert (await api.get(f"{WORKSPACE}/hosts/web-1")).body["spec"] == MAKE
    assert await held_acts(api.store, ["act-0", "act-1", "act-2", "act-3"]) == {"act-0", "act-1", "act-2"}
    act = await api.store.get(Act, "act-1")
    assert act is not None
    assert (act.domain, act.item, act.state) == (Ref("host/lost1"), "server", ActState.DONE)
    assert act.detail.startswith("adopted by administrator")
    assert "entity.adopted" in {wake.reason for wake in await api.store.read(WAKES_OF, ref=ref)}


async def test_it_is_told_and_proven(api: Api) -> None:
    ref = await unknown(api, ACCOUNT, *map(server, range(2)))
    await api.good("POST", f"{ACCOUNT}:adopt", {})
    events = (await api.get(f"{ORGANIZATION}/events?page_size=500")).body["items"]
    [event] = [event for event in events if event["type"] == "entity.adopted"]
    assert (event["ref"], event["message"]) == (ref, "2 adopted by administrator: web-0, web-1")
    lines = (await api.get(f"{ORGANIZATION}/audit?page_size=500")).body["items"]
    actions = [line["action"] for line in lines]
    assert actions.count("entity.adopted") == 1
    assert actions.count("intent.declared") >= 2
    assert (await api.good("GET", f"{ORGANIZATION}/audit:verify"))["intact"] is True


async def test_only_those_named_are_adopted(api: Api) -> None:
    await unknown(api, ACCOUNT, *map(server, range(3)))
    answer = await api.good("POST", f"{ACCOUNT}:adopt", {"names": ["web-2", "web-0"]})
    assert sorted(one["metadata"]["name"] for one in answer["items"]) == ["web-0", "web-2"]
    assert (await api.get(f"{WORKSPACE}/hosts/web-1")).status == 404
    assert await held_acts(api.store, ["act-1"]) == frozenset()


async def test_where_a_mark_does_not_say_the_request_says_where(api: Api) -> None:
    await unknown(api, ACCOUNT, server(1, project="", workspace=""))
    refused = await api.call("POST", f"{ACCOUNT}:adopt", {})
    assert refused.mistakes == {("/names/0/metadata", "wrong_scope")}
    into = {"into": {"project": "shop", "workspace": "prod"}}
    [found] = (await api.good("POST", f"{ACCOUNT}:adopt", into))["items"]
    assert (found["metadata"]["project"], found["metadata"]["workspace"]) == ("shop", "prod")


async def test_records_are_declared_beside_their_zone(api: Api) -> None:
    zone = await unknown(api, ZONE, record("www"), record("mail"))
    answer = await api.good("POST", f"{ZONE}:adopt", {})
    assert [one["metadata"]["name"] for one in answer["items"]] == ["www", "mail"]
    row = await api.store.get(Declared, answer["items"][0]["metadata"]["ref"])
    assert row is not None
    assert (row.parent, row.scope.project, row.owner) == (zone, "shop", "")
    act = await api.store.get(Act, "act-www")
    assert act is not None
    assert (act.domain, act.item) == (zone, "www/A")


async def test_every_mistake_is_listed_and_nothing_is_stored(api: Api) -> None:
    await api.declare(thing("host", "web-1", {"provider": "hetzner"}, project="shop", workspace="prod"))
    listed = [
        server(0),
        server(1),
        server(2, spec=None),
        server(3, project="nowhere"),
        server(4, ref="host/x"),
    ]
    await unknown(api, ACCOUNT, *listed)
    await keep(api, Declared(ref=Ref("host/x"), kind="host", scope=PROD, name="other", spec=MAKE))
    wrong = await api.call("POST", f"{ACCOUNT}:adopt", {"name": "web-0", "names": [*names(5), "web-9"]})
    assert wrong.status == 422
    assert wrong.mistakes == {
        ("/name", "unknown_field"),
        ("/names/5", "not_listed"),
        ("/names/1", "taken"),
        ("/names/2", "bad_value"),
        ("/names/3/metadata/project", "missing_scope"),
        ("/names/3/metadata/workspace", "missing_scope"),
        ("/names/4", "taken"),
    }
    assert (await api.get(f"{WORKSPACE}/hosts/web-0")).status == 404
    assert await held_acts(api.store, [f"act-{number}" for number in range(5)]) == frozenset()


def names(count: int) -> list[str]:
    return [f"web-{number}" for number in range(count)]


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"names": "web-0"}, "/names"),
        ({"into": "shop/prod"}, "/into"),
        ({"into": {"project": 7}}, "/into/project"),
        ({"into": {"workspac": "prod"}}, "/into/workspac"),
    ],
)
async def test_a_body_of_another_shape_is_refused(api: Api, body: Any, pointer: str) -> None:
    await unknown(api, ACCOUNT, server(0))
    refused = await api.call("POST", f"{ACCOUNT}:adopt", body)
    assert pointer in {place for place, _ in refused.mistakes}


async def test_where_nothing_is_listed_there_is_nothing_to_adopt(api: Api) -> None:
    refused = await api.call("POST", f"{ACCOUNT}:adopt", {})
    assert (refused.status, refused.body["code"]) == (409, "nothing_to_adopt")
    await unknown(api, ACCOUNT, server(0))
    await api.good("POST", f"{ACCOUNT}:adopt", {})
    again = await api.call("POST", f"{ACCOUNT}:adopt", {})
    assert again.mistakes == {("/names/0", "taken")}


async def test_what_lists_nothing_cannot_be_asked(api: Api) -> None:
    assert (await api.call("POST", f"{PROJECT}/workspaces/prod:adopt", {})).status == 405
