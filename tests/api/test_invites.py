"""Invitations: a link that works once brings a person into an organization, with an account or without."""

from harness import ORGANIZATION
from setpoint.engine.store import ACCOUNT_AT

from .belonging import MEMBERSHIPS, address, given, invite, member
from .kit import AnyJson, Api, as_other
from .people import PASSWORD, Person, invited, letter_to, with_second_factor

SHOP = f"{ORGANIZATION}/projects/shop"


async def link_for(api: Api, name: str) -> str:
    made = await api.good("POST", f"{MEMBERSHIPS}/{name}:invite")
    assert made["email"] == address(name)
    return str(made["link"])


async def use(api: Api, link: str, password: str = PASSWORD) -> AnyJson:
    return await api.call("POST", "/v1/links:use", {"link": link, "password": password, "cookie": False})


async def test_whoever_has_no_account_sets_one_up_and_is_in(api: Api) -> None:
    await invite(api, "ann", given("operator", project="shop"))
    link = await link_for(api, "ann")
    told = await api.good("POST", "/v1/links:open", {"link": link})
    assert (told["organization"], told["invited_by"]) == ("acme", "administrator")
    assert told["roles"][0]["role"] == "operator"
    came = await use(api, link)
    assert came.status == 201
    async with as_other(api, came.body["token"]) as ann:
        assert (await ann.get("/v1/projects")).names == ["shop"]
        assert (await ann.get("/v1/me")).body["name"] == "ann@example.org"
    assert (await use(api, link)).status == 404
    lines = (await api.get(f"{ORGANIZATION}/audit?page_size=500")).body["items"]
    # The keeper of keys writes when it gets to it.
    actions = [line["action"] for line in lines if line["action"].startswith("membership.")]
    assert actions == ["membership.invited", "membership.accepted"]


async def test_whoever_has_an_account_proves_it(api: Api) -> None:
    await invite(api, "ann", given("auditor"))
    await use(api, await link_for(api, "ann"))
    await api.good("PUT", "/v1/organizations/other", {"spec": {}})
    spec = {"email": "Ann@Example.org", "roles": [given("owner")]}
    other = "/v1/organizations/other/memberships/ann"
    await api.good("PUT", other, {"spec": spec})
    link = (await api.good("POST", f"{other}:invite"))["link"]
    assert (await use(api, link, "another password entirely")).status == 401
    came = await use(api, link)
    async with as_other(api, came.body["token"]) as ann:
        assert sorted((await ann.get("/v1/organizations")).names) == ["acme", "other"]
        assert (await ann.call("PUT", "/v1/organizations/other/projects/p", {"spec": {}})).status == 200
        assert (await ann.call("PUT", f"{ORGANIZATION}/projects/p", {"spec": {}})).status == 403


async def test_the_link_goes_out_by_mail_and_a_newer_one_ends_the_older(api: Api) -> None:
    await invite(api, "ann", given("auditor"))
    older, newer = await link_for(api, "ann"), await link_for(api, "ann")
    letters = (await api.good("GET", "/v1/outbox"))["items"]
    assert [letter["link"] for letter in letters if letter["to"] == "ann@example.org"] == [newer, None]
    assert (await use(api, older)).status == 404
    assert (await use(api, newer)).status == 201
    again = await api.call("POST", f"{MEMBERSHIPS}/ann:invite")
    assert (again.status, again.body["code"]) == (409, "exists")


async def test_an_invitation_ends_with_its_membership(api: Api) -> None:
    await invite(api, "ann", given("auditor"))
    gone, moved = await link_for(api, "ann"), ""
    await api.good("DELETE", f"{MEMBERSHIPS}/ann")
    assert (await use(api, gone)).body["code"] == "void_invitation"
    await invite(api, "bob", given("auditor"))
    moved = await link_for(api, "bob")
    await api.good("PATCH", f"{MEMBERSHIPS}/bob", {"spec": {"email": "eve@example.org"}})
    assert (await use(api, moved)).body["code"] == "other_person"
    assert (await api.call("POST", f"{MEMBERSHIPS}/nobody:invite")).status == 404


async def test_nobody_gets_a_link_to_more_than_they_have(api: Api) -> None:
    await invite(api, "boss", given("owner"))
    await invite(api, "bob", given("operator"))
    async with member(api, "ann", given("admin")) as ann, member(api, "op", given("operator")) as op:
        refused = await ann.call("POST", f"{MEMBERSHIPS}/boss:invite")
        assert (refused.status, refused.body["code"]) == (403, "forbidden")
        assert (await ann.call("POST", f"{MEMBERSHIPS}/bob:invite")).status == 201
        assert (await op.call("POST", f"{MEMBERSHIPS}/bob:invite")).status == 403


async def test_a_deleted_account_leaves_nothing_accepted(api: Api) -> None:
    await invite(api, "ann", given("auditor"))
    came = await use(api, await link_for(api, "ann"))
    await api.good("DELETE", f"/v1/accounts/{came.body['account']}")
    [left] = (await api.get(f"{ORGANIZATION}/members")).body["items"]
    assert left["state"] == "invited"


async def test_the_name_of_the_organization_makes_no_password(api: Api) -> None:
    await invite(api, "ann", given("auditor"))
    link = await link_for(api, "ann")
    refused = await use(api, link, "acme2026acme!acme")
    assert refused.mistakes == {("/password", "guessable")}
    came = await use(api, link)
    async with as_other(api, came.body["token"]) as ann:
        changed = await ann.call("POST", "/v1/me:password", {"password": "acme2026acme!acme"})
        assert changed.mistakes == {("/password", "guessable")}


async def test_an_invitation_sets_no_password_of_an_account_that_is_there(api: Api) -> None:
    for administrator in (True, False):
        name = f"boss{administrator}".lower()
        own = await invited(api, address(name), administrator=administrator)
        await invite(api, name, given("auditor"))
        link = await link_for(api, name)
        refused = await use(api, link)
        assert (refused.status, refused.body["code"]) == (401, "wrong_password")
        assert (await use(api, own)).status == 201
        assert (await use(api, link)).status == 201


async def test_the_mailbox_outranks_whoever_set_up_its_address_first(api: Api) -> None:
    await invite(api, "bob", given("operator"))
    async with member(api, "ann", given("admin")) as ann:
        link = (await ann.good("POST", f"{MEMBERSHIPS}/bob:invite"))["link"]
    false = await use(api, str(link), "a phrase of somebody else")
    [account] = await api.store.read(ACCOUNT_AT, email=address("bob"))
    assert account.unproven
    async with as_other(api, false.body["token"]) as other:
        person = Person(other, address("bob"), "", false.body["token"])
        await with_second_factor(person)
        assert (await api.call("PATCH", f"/v1/accounts/{account.id}", {"administrator": True})).status == 409
        await api.good("POST", "/v1/accounts:recover", {"email": address("bob")})
        assert (await use(api, await letter_to(api, address("bob")))).status == 201
        assert (await other.get("/v1/me")).status == 401
    [account] = await api.store.read(ACCOUNT_AT, email=address("bob"))
    assert not account.unproven
    assert (await api.call("PATCH", f"/v1/accounts/{account.id}", {"administrator": True})).status == 200
