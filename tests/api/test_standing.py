"""How an organization stands decides whether anything is declared in it; loops and levers go on."""

from pathlib import Path

import pytest

from harness import ORGANIZATION

from .belonging import account, given, member, session
from .kit import Api, as_other, still, thing

STANDING = f"{ORGANIZATION}:standing"


async def say(api: Api, **said: str) -> None:
    await api.good("POST", STANDING, {"reason": "unpaid", **said})


@pytest.mark.parametrize(
    "said",
    [{"verification": word} for word in ("in_setup", "pending", "blocked", "waitlist")]
    + [{"state": word} for word in ("inactive", "deleted")],
    ids=lambda said: next(iter(said.values())),
)
async def test_nothing_is_declared_where_an_organization_is_not_verified_and_active(
    api: Api, said: dict[str, str]
) -> None:
    await say(api, **said)
    project = f"{ORGANIZATION}/projects/shop"
    for refused in (
        await api.call("PUT", f"{ORGANIZATION}/projects/new", {"spec": {}}),
        await api.call("PATCH", project, {"spec": {"title": "other"}}),
        await api.declare(thing("project", "new", {})),
        await api.call("POST", f"{ORGANIZATION}/plans", {"items": [thing("project", "new", {})]}),
        await api.call("DELETE", f"{ORGANIZATION}/notification_channels/hooks"),
    ):
        assert (refused.status, refused.body["code"]) == (409, "entity_status"), refused
        assert "unpaid" in refused.body["detail"]
        assert "setpoint organization standing acme" in refused.body["hint"]
    assert (await api.get(project)).status == 200
    assert (await api.call("POST", f"{project}:pause", {"mode": "stop", "reason": "calm"})).status == 200
    await api.good("POST", STANDING, {"verification": "verified", "state": "active", "reason": "paid"})
    assert (await api.call("PUT", f"{ORGANIZATION}/projects/new", {"spec": {}})).status == 200


async def test_no_owner_says_it_of_themselves(api: Api) -> None:
    async with member(api, "ann", given("owner")) as ann:
        assert (await ann.get(STANDING)).body["verification"] == "verified"
        refused = await ann.call("POST", STANDING, {"verification": "verified", "reason": "please"})
        assert refused.status in (403, 404)
        token = await ann.good("POST", f"{ORGANIZATION}/tokens", {"name": "ci", "role": "owner"})
        async with as_other(api, token["token"]) as ci:
            assert (await ci.call("POST", STANDING, {"state": "active", "reason": "x"})).status in (403, 404)


async def test_a_deleted_organization_is_seen_only_by_whoever_runs_the_installation(api: Api) -> None:
    root = await account(api, "root", administrator=True)
    made = await api.good("POST", f"{ORGANIZATION}/tokens", {"name": "ci", "role": "owner"})
    async with (
        member(api, "ann", given("owner")) as ann,
        as_other(api, made["token"]) as ci,
        as_other(api, await session(api, root)) as admin,
    ):
        await say(api, state="deleted")
        for gone in (ann, ci):
            assert (await gone.get(ORGANIZATION)).status == 404
            assert (await gone.get("/v1/organizations")).status == 404
        assert "acme" in (await admin.get("/v1/organizations")).names
        await say(admin, state="active")
        assert (await ann.get(ORGANIZATION)).status == 200
        assert (await ci.get("/v1/organizations")).names == ["acme"]


async def test_every_mistake_is_told_and_what_was_said_is_evidence(api: Api) -> None:
    refused = await api.call("POST", STANDING, {"verification": "fine", "state": "odd", "colour": "red"})
    assert refused.status == 422
    assert {pointer for pointer, _ in refused.mistakes} == {"/verification", "/state", "/colour", "/reason"}
    assert (await api.call("POST", STANDING, [])).status == 400
    assert (await api.get("/v1/organizations/nobody:standing")).status == 404
    await say(api, verification="blocked")
    shown = (await api.get(STANDING)).body
    assert (shown["verification"], shown["by"], shown["reason"]) == ("blocked", "administrator", "unpaid")
    lines = (await api.get(f"{ORGANIZATION}/audit?page_size=500")).body["items"]
    [said] = [each for each in lines if each["action"] == "organization.standing"]
    assert said["detail"]["verification"] == "blocked"


async def test_new_organizations_wait_for_a_yes_where_the_installation_verifies_them(tmp_path: Path) -> None:
    async with still(tmp_path, verify_organizations=True) as api:
        await api.good("PUT", ORGANIZATION, {"spec": {"title": "Acme"}})
        refused = await api.call("PUT", f"{ORGANIZATION}/projects/shop", {"spec": {}})
        assert (refused.status, refused.body["code"]) == (409, "entity_status")
        whole = [thing("organization", "new", {}), thing("project", "shop", {})]
        both = await api.call("POST", "/v1/organizations/new/declarations", {"items": whole})
        assert (both.status, both.body["code"]) == (409, "entity_status")
        assert (await api.call("PATCH", ORGANIZATION, {"spec": {"title": "Acme Ltd"}})).status == 200
        await say(api, verification="verified")
        assert (await api.call("PUT", f"{ORGANIZATION}/projects/shop", {"spec": {}})).status == 200
