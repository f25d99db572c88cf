"""Memberships: a person with roles in an organization, from when they said yes until it is taken back."""

import pytest

from harness import ORGANIZATION
from setpoint.engine.account import Account
from setpoint.engine.store import Change, Put

from .belonging import MEMBERSHIPS, ROLES, account, address, given, invite, member, say_yes, session
from .kit import Api, as_other, settled, thing

SHOP = f"{ORGANIZATION}/projects/shop"
ZONES = f"{ORGANIZATION}/dns_zones"


@pytest.fixture
async def world(api: Api) -> Api:
    await api.declare(*settled(), thing("project", "blog", {}))
    return api


async def test_a_membership_counts_from_when_its_person_accepted_it(world: Api) -> None:
    ann = await account(world, "ann")
    ref = await invite(world, "ann", given("operator"))
    async with as_other(world, await session(world, ann)) as other:
        assert (await other.get(SHOP)).status == 404
        assert [m["state"] for m in (await world.get(f"{ORGANIZATION}/members")).body["items"]] == ["invited"]
        await say_yes(world, ref, ann)
        assert (await other.get(SHOP)).status == 200
        assert (await other.get("/v1/me")).body == {
            "name": "ann@example.org",
            "roles": [{"role": "operator", "scope": "acme"}],
            "second_factor": False,
        }
        [shown] = (await world.get(f"{ORGANIZATION}/members")).body["items"]
        assert (shown["state"], shown["email"], shown["roles"][0]["role"]) == (
            *("accepted", "ann@example.org"),
            "operator",
        )


async def test_inviting_tells_nobody_whether_an_address_has_an_account(world: Api) -> None:
    await account(world, "ann")
    for name in ("ann", "bob"):
        await invite(world, name, given("member"))
    ann, bob = (await world.get(f"{ORGANIZATION}/members")).body["items"]
    assert (ann["state"], bob["state"]) == ("invited", "invited")


async def test_another_address_makes_the_acceptance_void(world: Api) -> None:
    async with member(world, "ann", given("owner")) as ann:
        assert (await ann.get(SHOP)).status == 200
        await world.good("PATCH", f"{MEMBERSHIPS}/ann", {"spec": {"email": "eve@example.org"}})
        assert (await ann.get(SHOP)).status == 404


async def test_what_is_taken_back_is_gone_at_the_next_request(world: Api) -> None:
    async with member(world, "ann", given("operator"), given("auditor", project="shop")) as ann:
        assert (await ann.call("PUT", f"{ORGANIZATION}/projects/new", {"spec": {}})).status == 200
        await invite(world, "ann", given("auditor", project="shop"))
        assert (await ann.call("PUT", f"{ORGANIZATION}/projects/newer", {"spec": {}})).status == 404
        assert (await ann.get(SHOP)).status == 200
        assert (await world.call("DELETE", f"{MEMBERSHIPS}/ann")).status == 202
        assert (await ann.get(SHOP)).status == 404
        await invite(world, "ann", given("auditor"))
        assert (await ann.get(SHOP)).status == 404


async def test_a_shut_account_opens_nothing(world: Api) -> None:
    async with member(world, "ann", given("operator")) as ann:
        shut = Account(id="u-ann", email=address("ann"), disabled=True)
        await world.store.commit(Change(writes=(Put(shut),)))
        assert (await ann.get(SHOP)).status in (401, 404)


async def test_an_administrator_reaches_every_organization(world: Api) -> None:
    root = await account(world, "root", administrator=True)
    async with as_other(world, await session(world, root)) as other:
        assert (await other.get(SHOP)).status == 200
        assert (await other.call("PUT", "/v1/organizations/other", {"spec": {}})).status == 200


async def test_a_role_of_ones_own_gives_exactly_its_rules(world: Api) -> None:
    rules = [
        {"keys": ["project.*", "organization.project"], "verbs": ["read"], "project": "shop"},
        {"keys": ["project.dns_zone"], "verbs": ["update"], "project": "shop", "names": ["example-org"]},
    ]
    await world.good("PUT", f"{ROLES}/dns", {"spec": {"about": "names", "rules": rules}})
    async with member(world, "ann", given("dns")) as ann:
        assert (await ann.get("/v1/projects")).names == ["shop"]
        assert (await ann.get(f"{SHOP}/dns_zones")).names == ["example-org"]
        changed = await ann.call(
            "PATCH", f"{SHOP}/dns_zones/example-org", {"metadata": {"labels": {"a": "b"}}}
        )
        assert changed.status == 200
        assert (await ann.call("DELETE", f"{SHOP}/dns_zones/example-org")).status == 403
        said = (
            await ann.get("/v1/me:can-i?verb=delete&key=project.dns_zone&organization=acme&explain=1")
        ).body
        assert (said["allowed"], [rule["because"] for rule in said["rules"]]) == (
            False,
            ["it is about read", "it is about update"],
        )
        rules[0]["verbs"] = ["execute"]
        await world.good("PUT", f"{ROLES}/dns", {"spec": {"rules": rules[:1]}})
        assert (await ann.get("/v1/projects")).status == 403


@pytest.mark.parametrize(
    ("name", "spec", "says"),
    [
        ("owner", {}, "every installation has a role of that name"),
        ("mine", {"rules": [{"keys": ["project.zone"], "verbs": ["read"]}]}, "project.zone is no key"),
        ("mine", {"rules": [{"keys": ["nothing.*"], "verbs": ["read"]}]}, "nothing.* is no key"),
        ("mine", {"rules": [{"keys": ["agent.report"], "verbs": ["read"]}]}, "the machines' own"),
        ("mine", {"rules": [{"keys": ["*"], "verbs": ["fly"]}]}, "fly"),
        ("mine", {"rules": [{"keys": ["*"], "verbs": ["read"], "project": "nope"}]}, "project nope is not"),
        ("mine", {"rules": [{"keys": ["*"], "verbs": ["read"], "workspace": "prod"}]}, "lies in a project"),
        ("mine", {"rules": [{"keys": [], "verbs": []}]}, "name verbs"),
    ],
    ids=["reserved", "unknown", "pattern", "machines", "verb", "place", "workspace", "empty"],
)
async def test_a_role_that_means_nothing_is_refused(world: Api, name: str, spec: object, says: str) -> None:
    refused = await world.call("PUT", f"{ROLES}/{name}", {"spec": spec})
    assert refused.status == 422
    assert says in refused.raw.decode()


@pytest.mark.parametrize(
    ("roles", "says"),
    [
        ([given("king")], "there is no role king"),
        ([given("administrator")], "not given by a membership"),
        ([given("self")], "not given by a membership"),
        ([given("member", project="nope")], "project nope is not declared"),
        ([given("member", workspace="prod")], "a workspace lies in a project"),
        ([given("member", until="2026-02-30")], "there is no day 2026-02-30"),
        ([given("member", until="soon")], "a day such as 2026-12-31"),
    ],
    ids=["role", "administrator", "self", "place", "workspace", "day", "date"],
)
async def test_a_membership_that_means_nothing_is_refused(world: Api, roles: list[object], says: str) -> None:
    spec = {"email": "ann@example.org", "roles": roles}
    refused = await world.call("PUT", f"{MEMBERSHIPS}/ann", {"spec": spec})
    assert refused.status == 422
    assert says in refused.raw.decode()


async def test_a_role_that_somebody_has_is_not_deleted(world: Api) -> None:
    await world.good("PUT", f"{ROLES}/dns", {"spec": {}})
    await world.good("POST", f"{ORGANIZATION}/tokens", {"name": "ci", "role": "dns"})
    await invite(world, "ann", given("dns"))
    refused = await world.call("DELETE", f"{ROLES}/dns")
    assert refused.status == 422
    assert {code for _, code in refused.mistakes} == {"missing_reference", "still_used"}
    await world.good("DELETE", f"{MEMBERSHIPS}/ann")
    [token] = (await world.get(f"{ORGANIZATION}/tokens")).body["items"]
    await world.good("DELETE", f"{ORGANIZATION}/tokens/{token['id']}")
    assert (await world.call("DELETE", f"{ROLES}/dns")).status == 202


async def test_what_has_an_end_ends(world: Api) -> None:
    async with member(world, "ann", given("operator", until="2001-01-01"), given("auditor")) as ann:
        assert (await ann.get(SHOP)).status == 200
        assert (await ann.call("PUT", f"{ORGANIZATION}/projects/new", {"spec": {}})).status == 403


ADMIN_LACKS = [
    ("membership", {"email": "bob@example.org", "roles": [{"role": "owner"}]}),
    ("role", {"rules": [{"keys": ["organization.billing"], "verbs": ["read"]}]}),
    ("role", {"rules": [{"keys": ["*"], "verbs": ["read"]}]}),
]


@pytest.mark.parametrize(("kind", "spec"), ADMIN_LACKS, ids=["owner", "money", "everything"])
async def test_nobody_gives_what_they_lack_on_any_path(
    world: Api, kind: str, spec: dict[str, object]
) -> None:
    one = f"{ORGANIZATION}/{kind}s/new"
    async with member(world, "ann", given("admin")) as ann:
        empty = {**spec, "rules": []} if kind == "role" else {**spec, "roles": []}
        for refused in (
            await ann.call("PUT", one, {"spec": spec}),
            await ann.call("POST", f"{ORGANIZATION}/{kind}s", {"metadata": {"name": "new"}, "spec": spec}),
            await ann.declare(thing(kind, "new", spec)),
            await ann.call("POST", f"{ORGANIZATION}/plans", {"items": [thing(kind, "new", spec)]}),
        ):
            assert (refused.status, refused.body["code"]) == (403, "forbidden"), refused
            assert "does not have" in refused.body["detail"]
        assert (await ann.call("PUT", one, {"spec": empty})).status == 200
        assert (await ann.call("PATCH", one, {"spec": spec})).status == 403
        assert (await ann.call("PUT", one, {"spec": empty})).status == 200


async def test_a_wider_role_is_refused_for_everybody_who_has_it(world: Api) -> None:
    lid = [{"keys": ["organization.billing"], "verbs": ["read"], "effect": "forbid"}]
    await world.good("PUT", f"{ROLES}/lid", {"spec": {"rules": lid}})
    await invite(world, "bob", given("billing"), given("lid"))
    async with member(world, "ann", given("admin")) as ann:
        refused = await ann.call("PUT", f"{ROLES}/lid", {"spec": {"rules": []}})
        assert refused.status == 403
        assert "give to bob@example.org the right to read organization.billing" in refused.body["detail"]


async def test_nobody_takes_from_others_what_they_could_not_give_back(world: Api) -> None:
    await invite(world, "boss", given("owner"))
    async with member(world, "ann", given("admin")) as ann:
        refused = await ann.call("DELETE", f"{MEMBERSHIPS}/boss")
        assert (refused.status, refused.body["code"]) == (403, "forbidden")
        assert (await ann.call("PATCH", f"{MEMBERSHIPS}/boss", {"spec": {"roles": []}})).status == 403
        file = "people.yaml"
        await world.declare(
            thing("membership", "cat", {"email": "c@x.org", "roles": [given("owner")]}), owner=file
        )
        assert (await ann.declare(owner=file, prune=True)).status == 403


async def test_the_last_owner_stays(world: Api) -> None:
    async with member(world, "ann", given("owner")) as ann:
        for refused in (
            await ann.call("DELETE", f"{MEMBERSHIPS}/ann"),
            await ann.call("PATCH", f"{MEMBERSHIPS}/ann", {"spec": {"roles": [given("admin")]}}),
            await ann.call("PATCH", f"{MEMBERSHIPS}/ann", {"spec": {"email": "nobody@example.org"}}),
            await ann.call(
                "PATCH", f"{MEMBERSHIPS}/ann", {"spec": {"roles": [given("owner", project="shop")]}}
            ),
        ):
            assert (refused.status, refused.body["code"]) == (403, "forbidden")
            assert "no owner left" in refused.body["detail"]
        await invite(world, "bob", given("owner"))
        assert (await ann.call("DELETE", f"{MEMBERSHIPS}/ann")).status == 403
        await world.good("DELETE", f"{MEMBERSHIPS}/bob")
        async with member(world, "bob", given("owner")) as bob:
            assert (await ann.call("DELETE", f"{MEMBERSHIPS}/ann")).status == 202
            assert (await bob.call("DELETE", f"{MEMBERSHIPS}/bob")).status == 403
        assert (await world.call("DELETE", f"{MEMBERSHIPS}/bob")).status == 202


async def test_what_a_role_or_a_membership_gives_wrongly_is_pointed_at(world: Api) -> None:
    rules = [{"keys": ["*"], "verbs": ["read"]}, {"keys": ["project.*", "no.key"], "verbs": ["read"]}]
    role = {"rules": [*rules, {"keys": ["*"], "verbs": ["read"], "project": "nope"}]}
    alone = await world.call("PUT", f"{ROLES}/mine", {"spec": role})
    at = {("/spec/rules/1/keys/1", "bad_value"), ("/spec/rules/2/project", "missing_reference")}
    assert alone.mistakes == at
    given_ones = [given("auditor"), given("nobody"), given("auditor", project="nope")]
    membership = {"email": "eve@example.org", "roles": given_ones}
    items = [
        thing("project", "shop", {}),
        thing("role", "mine", role),
        thing("membership", "eve", membership),
    ]
    together = await world.declare(*items)
    places = {(f"/items/1{pointer}", code) for pointer, code in at}
    assert together.mistakes == places | {
        ("/items/2/spec/roles/1/role", "missing_reference"),
        ("/items/2/spec/roles/2/project", "missing_reference"),
    }


async def test_what_somebody_may_not_give_is_pointed_at(world: Api) -> None:
    async with member(world, "ann", given("admin")) as ann:
        wide = thing("membership", "eve", {"email": "eve@example.org", "roles": [given("owner")]})
        refused = await ann.declare(thing("project", "shop", {}), wide)
        assert refused.mistakes == {("/items/1", "forbidden")}
