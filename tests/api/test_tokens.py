"""Credentials that are given out: what they open, how far they reach, and how they end."""

import asyncio
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from harness import ORGANIZATION
from setpoint.access.credential import PREFIXES, hash_token

from .kit import AnyJson, Api, as_other, channel, settled, thing
from .test_watch import EVENTS, watching

TOKENS = f"{ORGANIZATION}/tokens"
BLOG = f"{ORGANIZATION}/projects/blog"
SHOP = f"{ORGANIZATION}/projects/shop"


def zone(name: str, project: str) -> AnyJson:
    return thing("dns_zone", name, {"provider": "hetzner", "domain": f"{name}.example"}, project=project)


@pytest.fixture
async def world(api: Api) -> Api:
    await api.declare(*settled(), thing("project", "blog", {}), zone("posts", "blog"), channel("pager"))
    return api


@asynccontextmanager
async def somebody(api: Api, name: str, role: str, **scope: str) -> AsyncIterator[Api]:
    body = {"name": name, "role": role, "may_approve": role == "operator", **scope}
    made = await api.good("POST", TOKENS, body)
    async with as_other(api, made["token"]) as other:
        yield other


async def test_a_token_is_shown_once_and_known_by_its_prefix_and_its_sum(world: Api) -> None:
    made = await world.good("POST", TOKENS, {"name": "ci", "role": "operator", "project": "shop", "days": 7})
    secret = made["token"]
    named, _, checksum = secret.rpartition("_")
    assert secret.startswith(f"{PREFIXES['service']}{made['id']}_")
    assert int(checksum, 16) == zlib.crc32(named.encode())
    listed = (await world.get(TOKENS)).body["items"]
    assert [(t["name"], t["role"], t["scope"], t["created_by"]) for t in listed] == [
        ("ci", "operator", "acme/shop", "administrator")
    ]
    assert not any("token" in item for item in listed)
    audit = (await world.get(f"{ORGANIZATION}/audit?page_size=500")).body["items"]
    assert [line["action"] for line in audit if line["action"].startswith("token.")][-1] == "token.created"
    assert secret.encode() not in (await world.get(f"{ORGANIZATION}/audit?page_size=500")).raw
    assert hash_token(secret).encode() not in (await world.get(TOKENS)).raw


async def test_a_revoked_token_fails_at_the_next_request_and_its_streams_end(world: Api) -> None:
    made = await world.good("POST", TOKENS, {"name": "ci", "role": "auditor"})
    async with as_other(world, made["token"]) as other, watching(other) as reader:
        assert await reader.soon() is not None
        assert (await other.get(SHOP)).status == 200
        assert (await world.call("DELETE", f"{TOKENS}/{made['id']}")).status == 200
        assert (await other.get(SHOP)).status == 401
        assert await asyncio.wait_for(_end(reader), 60) is None
    again = await world.call("DELETE", f"{TOKENS}/{made['id']}")
    assert (again.status, again.body["hint"]) == (404, "setpoint token list")


async def _end(reader: AnyJson) -> None:
    while await reader.next() is not None:
        pass


async def test_every_mistake_is_told_at_once(world: Api) -> None:
    wrong = {"name": "No Name", "role": "king", "days": 900, "workspace": "prod", "colour": "red", "about": 7}
    refused = await world.call("POST", TOKENS, wrong)
    assert refused.status == 422
    assert {pointer for pointer, _ in refused.mistakes} == {
        *("/name", "/role", "/days", "/project", "/colour", "/about")
    }
    nowhere = await world.call("POST", TOKENS, {"name": "ci", "role": "member", "project": "nope"})
    assert nowhere.mistakes == {("/project", "missing_reference")}
    assert (await world.get(TOKENS)).body["items"] == []


async def test_nobody_gives_out_more_than_they_have(world: Api) -> None:
    async with somebody(world, "ann", "admin") as ann:
        refused = await ann.call("POST", TOKENS, {"name": "boss", "role": "owner"})
        assert (refused.status, refused.body["code"]) == (403, "forbidden")
        assert (await ann.call("POST", TOKENS, {"name": "ci", "role": "operator"})).status == 201
    async with somebody(world, "bob", "admin", project="shop") as bob:
        assert (await bob.call("POST", TOKENS, {"name": "ci", "role": "auditor"})).status == 403


async def test_a_contractor_with_one_project_sees_that_and_nothing_else(world: Api) -> None:
    async with somebody(world, "con", "member", project="blog") as con:
        assert (await con.get("/v1/projects")).names == ["blog"]
        assert (await con.get(f"{ORGANIZATION}/dns_zones")).names == ["posts"]
        for path in ("/v1/notification_channels", f"{ORGANIZATION}/providers"):
            assert (await con.get(path)).status == 403, "an empty list would say that there are none"
        assert (await con.get(SHOP)).status == (await con.get(f"{ORGANIZATION}/projects/nope")).status == 404
        events = (await con.get(f"{EVENTS}?page_size=500")).body["items"]
        assert events
        assert {event["scope"]["project"] for event in events} <= {"blog", ""}
        assert "shop" not in str(events)
        loops = {loop["kind"]: loop["entities"] for loop in (await con.get("/v1/loops")).body["items"]}
        assert (loops["dns_zone"], loops["workspace"], loops["project"]) == (1, 0, 1)
        assert (await con.get(f"{ORGANIZATION}/audit")).status == 403
        assert (await con.get(TOKENS)).status == 403


async def test_a_contractor_hears_of_nothing_else_either(world: Api) -> None:
    async with somebody(world, "con", "member", project="blog") as con, watching(con) as reader:
        await reader.soon()
        await world.declare(zone("secret-plans", "shop"))
        await world.declare(zone("hello", "blog"))
        heard = await reader.soon()
        assert heard is not None
        assert heard.data["object"]["metadata"]["name"] == "hello"


async def test_what_is_declared_is_asked_for_one_by_one_and_nothing_is_half_stored(world: Api) -> None:
    async with somebody(world, "con", "member", project="blog") as con:
        assert (await con.declare(zone("mine", "blog"))).status == 200
        refused = await con.declare(zone("more", "blog"), zone("theirs", "shop"))
        assert (refused.status, refused.body["code"]) == (403, "forbidden")
        assert [error["message"] for error in refused.body["errors"]] == [
            "con may not declare dns_zone theirs in acme/shop"
        ]
        assert (await world.get(f"{BLOG}/dns_zones")).names == ["posts", "mine"]
        assert (await con.call("DELETE", f"{BLOG}/dns_zones/mine")).status == 403
        assert (await con.call("PUT", f"{BLOG}/dns_zones/posts", {"spec": {}})).status == 422


async def test_what_a_file_no_longer_mentions_is_withdrawn_only_by_who_may_delete(world: Api) -> None:
    async with somebody(world, "con", "member", project="blog") as con:
        await con.declare(zone("mine", "blog"), owner="site.yaml")
        refused = await con.declare(owner="site.yaml", prune=True)
        assert (refused.status, refused.body["code"]) == (403, "forbidden")
    async with somebody(world, "ops", "operator", project="blog") as ops:
        assert (await ops.declare(owner="site.yaml", prune=True)).status == 200


async def test_a_stranger_learns_nothing_from_what_is_refused(world: Api) -> None:
    for provider in ("hetzner", "nope"):
        asked = thing("dns_zone", "z", {"provider": provider, "domain": "z.example"}, project="shop")
        async with somebody(world, f"con-{provider}", "member", project="blog") as con:
            refused = await con.declare(asked)
            assert (refused.status, refused.body["code"]) == (403, "forbidden")


async def test_can_i_says_what_the_gate_does_and_why(world: Api) -> None:
    async with somebody(world, "con", "member", project="blog") as con:
        query = "verb=delete&key=project.dns_zone&organization=acme&project=blog&name=posts"
        assert (await con.get(f"/v1/me:can-i?{query}")).body == {
            "allowed": False,
            "reason": "no rule allows it",
        }
        said = (await con.get(f"/v1/me:can-i?{query.replace('delete', 'update')}")).body
        assert said["allowed"]
        assert said["reason"].startswith("role member in acme/blog allows create, update of project.*")
        assert (await con.get("/v1/me")).body == {
            "name": "con",
            "roles": [{"role": "member", "scope": "acme/blog"}],
        }
        refused = await con.get("/v1/me:can-i?verb=fly&key=nothing")
        assert refused.status == 400
        assert "verb is one of" in refused.body["detail"]
        assert "key is one of" in refused.body["detail"]


async def test_who_can_names_everybody_with_the_rule(world: Api) -> None:
    async with somebody(world, "con", "member", project="blog"), somebody(world, "ops", "operator"):
        query = "verb=execute&key=organization.plan.approve"
        items = (await world.get(f"{ORGANIZATION}/access:who-can?{query}")).body["items"]
        assert [item["name"] for item in items] == ["ops", "administrator"]
        assert items[0]["reason"].startswith("role operator in acme allows")
