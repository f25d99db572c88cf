"""Tokens that people make for themselves, and keys of workspaces: never more than whoever made them."""

from harness import ORGANIZATION, WORKSPACE
from setpoint.access.credential import PREFIXES

from .belonging import MEMBERSHIPS, ROLES, given, member
from .kit import Api, as_other

MINE = "/v1/me/tokens"
KEYS = f"{WORKSPACE}/keys"
SHOP = f"{ORGANIZATION}/projects/shop"


async def test_a_token_of_ones_own_is_the_person_and_loses_what_the_person_loses(api: Api) -> None:
    async with member(api, "ann", given("operator")) as ann:
        made = await ann.good("POST", MINE, {"name": "laptop"})
        assert made["token"].startswith(PREFIXES["personal"])
        assert (made["role"], made["created_by"]) == ("self", "ann@example.org")
        async with as_other(api, made["token"]) as laptop:
            assert (await laptop.get("/v1/me")).body["name"] == "ann@example.org"
            assert (await laptop.call("PUT", f"{ORGANIZATION}/projects/new", {"spec": {}})).status == 200
            changed = await api.get(f"{ORGANIZATION}/audit?page_size=500")
            assert changed.body["items"][-1]["actor"] == "ann@example.org"
            await api.good("PATCH", f"{MEMBERSHIPS}/ann", {"spec": {"roles": [given("auditor")]}})
            refused = await laptop.call("PUT", f"{ORGANIZATION}/projects/newer", {"spec": {}})
            assert refused.status == 403
            assert "whoever made the token: no rule allows it" in refused.body["detail"]
            await api.good("DELETE", f"{MEMBERSHIPS}/ann")
            assert (await laptop.get(SHOP)).status == 404


async def test_a_token_of_ones_own_can_be_less_than_oneself(api: Api) -> None:
    async with member(api, "ann", given("member")) as ann:
        narrow = {
            "name": "bot",
            "role": "owner",
            "organization": "acme",
            "project": "shop",
            "workspace": "prod",
        }
        made = await ann.good("POST", MINE, narrow)
        async with as_other(api, made["token"]) as bot:
            assert (await bot.get(f"{ORGANIZATION}/workspaces")).names == ["prod"]
            assert (await bot.get(SHOP)).status == 403
            assert (await bot.call("DELETE", WORKSPACE)).status == 403
            said = (
                await bot.get("/v1/me:can-i?verb=delete&key=project.workspace&organization=acme&explain=1")
            ).body
            assert "owner" in said
        assert [one["name"] for one in (await ann.get(MINE)).body["items"]] == ["bot"]
        assert (await api.get(f"{ORGANIZATION}/tokens")).body["items"] == []
        async with member(api, "bob", given("owner")) as bob:
            assert (await bob.call("DELETE", f"{MINE}/{made['id']}")).status == 404
            assert (await bob.get(MINE)).body["items"] == []
        await ann.good("DELETE", f"{MINE}/{made['id']}")
        assert (await ann.get(MINE)).body["items"] == []


async def test_asking_for_a_place_that_is_not_ones_own_tells_nothing(api: Api) -> None:
    await api.good("PUT", "/v1/organizations/other", {"spec": {}})
    await api.good("PUT", "/v1/organizations/other/roles/secret", {"spec": {}})
    async with member(api, "ann", given("owner")) as ann:
        answers = []
        for organization in ("other", "nobody"):
            body = {"name": "x", "role": "secret", "organization": organization}
            refused = await ann.call("POST", MINE, body)
            assert refused.status == 422
            answers.append(refused.said.replace(organization.encode(), b"*"))
        assert answers[0] == answers[1]


async def test_every_mistake_of_a_token_of_ones_own_is_told(api: Api) -> None:
    async with member(api, "ann", given("member")) as ann:
        wrong = {"name": "No", "role": "king", "days": 0, "addresses": ["here"], "project": "shop", "x": 1}
        refused = await ann.call("POST", MINE, wrong)
        assert {pointer for pointer, _ in refused.mistakes} == {
            *("/name", "/role", "/days", "/addresses/0", "/x")
        }
        assert (await ann.call("POST", MINE, {"name": "a", "addresses": "all"})).mistakes == {
            ("/addresses", "bad_type")
        }
        nowhere = await ann.call("POST", MINE, {"name": "a", "role": "member"})
        assert nowhere.mistakes == {("/organization", "missing")}
    refused = await api.call("POST", MINE, {"name": "x"})
    assert (refused.status, refused.body["code"]) == (403, "not_a_person")


async def test_a_key_of_a_workspace_reaches_that_workspace_alone(api: Api) -> None:
    await api.good("PUT", f"{SHOP}/workspaces/test", {"spec": {"provider": "hetzner"}})
    made = await api.good("POST", KEYS, {"name": "in-cluster", "role": "operator"})
    assert made["token"].startswith(PREFIXES["workspace"])
    assert (made["scope"], made["sort"]) == ("acme/shop/prod", "workspace")
    async with as_other(api, made["token"]) as key:
        assert (await key.get(f"{ORGANIZATION}/workspaces")).names == ["prod"]
        assert (await key.get(f"{SHOP}/workspaces/test")).status == 404
        assert (await key.get(SHOP)).status == 403
    assert [one["name"] for one in (await api.get(KEYS)).body["items"]] == ["in-cluster"]
    assert (await api.get(f"{SHOP}/workspaces/test/keys")).body["items"] == []
    other = await api.call("DELETE", f"{SHOP}/workspaces/test/keys/{made['id']}")
    assert (other.status, other.body["hint"]) == (404, "setpoint key list")
    await api.good("DELETE", f"{KEYS}/{made['id']}")
    assert (await api.get(KEYS)).body["items"] == []
    refused = await api.call("POST", KEYS, {"name": "x", "role": "operator", "workspace": "test"})
    assert refused.mistakes == {("/workspace", "unknown_field")}
    nowhere = await api.call("POST", f"{SHOP}/workspaces/nope/keys", {"name": "x", "role": "operator"})
    assert nowhere.status == 422


async def test_a_key_is_given_out_by_whoever_may_and_never_with_more(api: Api) -> None:
    async with member(api, "ann", given("operator")) as ann, member(api, "bob", given("member")) as bob:
        assert (await ann.call("POST", KEYS, {"name": "a", "role": "operator"})).status == 201
        assert (await ann.call("POST", KEYS, {"name": "a", "role": "owner"})).status == 403
        assert (await bob.call("POST", KEYS, {"name": "a", "role": "member"})).status == 403
        assert (await bob.get(KEYS)).status == 403


async def test_a_token_can_have_a_role_of_the_organizations_own(api: Api) -> None:
    rules = [{"keys": ["organization.project"], "verbs": ["read"]}]
    await api.good("PUT", f"{ROLES}/looks", {"spec": {"rules": rules}})
    made = await api.good(
        "POST", f"{ORGANIZATION}/tokens", {"name": "ci", "role": "looks", "project": "shop"}
    )
    async with as_other(api, made["token"]) as ci:
        assert (await ci.get("/v1/projects")).names == ["shop"]
        assert (await ci.get("/v1/notification_channels")).status == 403
        await api.good("PATCH", f"{ROLES}/looks", {"spec": {"rules": []}})
        assert (await ci.get("/v1/projects")).status == 404


async def test_a_token_for_some_networks_opens_nothing_elsewhere(api: Api) -> None:
    tokens = f"{ORGANIZATION}/tokens"
    for networks, status in ((["192.0.2.0/24"], 401), (["127.0.0.0/8", "::1"], 200)):
        made = await api.good("POST", tokens, {"name": "ci", "role": "auditor", "addresses": networks})
        assert made["addresses"] == networks
        async with as_other(api, made["token"]) as ci:
            answer = await ci.get(SHOP)
            assert answer.status == status
            assert status == 200 or answer.body["code"] == "elsewhere"


async def test_a_list_shows_when_a_token_was_last_used(api: Api) -> None:
    made = await api.good("POST", f"{ORGANIZATION}/tokens", {"name": "ci", "role": "auditor"})
    assert made["seen_at"] is None
    async with as_other(api, made["token"]) as ci:
        await ci.get(SHOP)
    [shown] = (await api.get(f"{ORGANIZATION}/tokens")).body["items"]
    assert shown["seen_at"] is not None
