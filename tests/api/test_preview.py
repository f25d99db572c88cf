"""Before a role or a membership is saved: who gains what, who loses what; and every rule behind an answer."""

from contextlib import AsyncExitStack
from typing import Any

import pytest

from harness import ORGANIZATION
from setpoint.api import holders
from setpoint.engine.account import Account

from .belonging import MEMBERSHIPS, ROLES, given, invite, member, say_yes
from .kit import AnyJson, Api

READ = {"keys": ["project.dns_zone"], "verbs": ["read"]}
UPDATE = {"keys": ["project.dns_zone"], "verbs": ["update"]}


def said(verb: str, scope: str = "acme") -> AnyJson:
    return {"verb": verb, "key": "project.dns_zone", "scope": scope}


async def test_a_role_shows_whom_it_would_change_and_changes_nothing(api: Api) -> None:
    await api.good("PUT", f"{ROLES}/dns", {"spec": {"rules": [READ]}})
    await invite(api, "ann", given("dns"))
    await invite(api, "bob", given("dns", project="shop"))
    await invite(api, "cat", given("dns"), given("operator"))
    await api.good("POST", f"{ORGANIZATION}/tokens", {"name": "ci", "role": "dns"})
    asked = {"spec": {"rules": [UPDATE]}}
    found = (await api.good("POST", f"{ROLES}/dns:preview", asked))["items"]
    assert found == [
        {"name": "ann@example.org", "gains": [said("update")], "loses": [said("read")]},
        {
            "name": "bob@example.org",
            "gains": [said("update", "acme/shop")],
            "loses": [said("read", "acme/shop")],
        },
        {"name": "token ci", "gains": [said("update")], "loses": [said("read")]},
    ]
    assert (await api.get(f"{ROLES}/dns")).body["spec"]["rules"][0]["verbs"] == ["read"]
    same = await api.good("POST", f"{ROLES}/dns:preview", {"spec": {"rules": [READ]}})
    assert same["items"] == []
    page = await api.good("POST", f"{ROLES}/dns:preview?page_size=2", asked)
    assert [one["name"] for one in page["items"]] == ["ann@example.org", "bob@example.org"]
    rest = await api.good("POST", f"{ROLES}/dns:preview?page_token={page['next_page_token']}", asked)
    assert [one["name"] for one in rest["items"]] == ["token ci"]


async def test_a_membership_shows_the_same_for_its_person(api: Api) -> None:
    spec = {"email": "ann@example.org", "roles": [given("billing")]}
    [gain] = (await api.good("POST", f"{MEMBERSHIPS}/ann:preview", {"spec": spec}))["items"]
    assert (gain["name"], gain["loses"]) == ("ann@example.org", [])
    assert {"verb": "read", "key": "organization", "scope": "acme"} in gain["gains"]
    refused = await api.call("POST", f"{MEMBERSHIPS}/ann:preview", {"spec": {"email": "nobody"}})
    assert refused.status == 422


async def test_deleting_shows_who_loses_what_and_what_would_be_in_the_way(api: Api) -> None:
    await api.good("PUT", f"{ROLES}/dns", {"spec": {"rules": [READ]}})
    await invite(api, "ann", given("dns"))
    role = await api.good("POST", f"{ROLES}/dns:preview?deletes=true")
    assert role["items"] == [{"name": "ann@example.org", "gains": [], "loses": [said("read")]}]
    assert "there is no role dns" in role["why_not"]
    person = await api.good("POST", f"{MEMBERSHIPS}/ann:preview?deletes=true")
    assert (person["items"], person["why_not"]) == (role["items"], "")
    assert (await api.get(f"{MEMBERSHIPS}/ann")).status == 200
    assert (await api.call("POST", f"{MEMBERSHIPS}/nobody:preview?deletes=true")).status == 404


async def test_members_come_in_pages_and_no_more_are_read(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("dee", "ann", "cem", "bob"):
        await invite(api, name, given("member"))
    limits: list[Any] = []
    usual = type(api.store).read

    async def read(self: Any, query: Any, **asked: Any) -> Any:
        if asked.get("kind") == "membership":  # Others read beside this one, such as who ships the audit.
            limits.append(asked["limit"])
        return await usual(self, query, **asked)

    monkeypatch.setattr(type(api.store), "read", read)
    first = (await api.get(f"{ORGANIZATION}/members?page_size=3")).body
    assert [one["name"] for one in first["items"]] == ["ann", "bob", "cem"]
    assert set(limits) == {4}
    rest = (await api.get(f"{ORGANIZATION}/members?page_size=3&page_token={first['next_page_token']}")).body
    assert ([one["name"] for one in rest["items"]], rest["next_page_token"]) == (["dee"], "")
    assert (await api.get(f"{ORGANIZATION}/members/bob")).body == first["items"][1]
    assert (await api.get(f"{ORGANIZATION}/members/nobody")).status == 404


async def test_a_preview_says_no_where_saving_would(api: Api) -> None:
    async with member(api, "ann", given("admin")) as ann:
        spec = {"rules": [{"keys": ["organization.billing"], "verbs": ["read"]}]}
        refused = await ann.call("POST", f"{ROLES}/money:preview", {"spec": spec})
        assert (refused.status, refused.body["code"]) == (403, "forbidden")


async def test_explaining_shows_every_rule_of_a_member_or_a_token(api: Api) -> None:
    explain = f"{ORGANIZATION}/access:explain?verb=delete&key=project.dns_zone"
    await api.good("POST", f"{ORGANIZATION}/tokens", {"name": "ci", "role": "operator"})
    async with member(api, "ann", given("member", project="shop")) as ann:
        [found] = (await api.get(f"{explain}&who=ann@example.org")).body["items"]
        assert not found["allowed"]
        assert {rule["because"] for rule in found["rules"]} == {
            *("it is about read", "it is about create, update", "it is about project.workspace.key")
        }
        [found] = (await api.get(f"{explain}&who=ci")).body["items"]
        assert found["allowed"]
        assert [rule["reaches"] for rule in found["rules"]].count(True) == 1
        assert (await ann.get(f"{explain}&who=ci")).status == 403
    for who in ("nobody", "administrator", ""):
        assert (await api.get(f"{explain}&who={who}")).status == 404


async def test_nobody_is_explained_to_an_organization_they_do_not_belong_to(api: Api) -> None:
    await api.good("PUT", "/v1/organizations/other", {"spec": {}})
    query = "verb=read&key=organization&who=ann@example.org"
    explain = f"/v1/organizations/other/access:explain?{query}"
    async with member(api, "ann", given("owner"), given("billing", project="shop")):
        assert (await api.get(explain)).status == 404
        spec = {"email": "ann@example.org", "roles": [given("auditor")]}
        made = await api.good("PUT", "/v1/organizations/other/memberships/ann", {"spec": spec})
        person = await api.store.get(Account, "u-ann")
        assert person is not None
        await say_yes(api, made["metadata"]["ref"], person)
        [found] = (await api.get(explain)).body["items"]
        assert [rule["role"] for rule in found["rules"]] == ["auditor"]


async def test_who_can_lists_members_and_tokens_in_pages(api: Api) -> None:
    who = f"{ORGANIZATION}/access:who-can?verb=execute&key=organization.plan.approve"
    await api.good("POST", f"{ORGANIZATION}/tokens", {"name": "ops", "role": "operator", "may_approve": True})
    await invite(api, "not-yet", given("owner"))
    async with member(api, "ann", given("operator")), member(api, "bob", given("member")):
        first = (await api.get(f"{who}&page_size=2")).body
        assert [one["name"] for one in first["items"]] == ["ann@example.org", "ops"]
        rest = (await api.get(f"{who}&page_size=2&page_token={first['next_page_token']}")).body
        assert [one["name"] for one in rest["items"]] == ["administrator"]
        assert rest["next_page_token"] == ""


async def test_who_can_reads_no_further_than_its_page(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    who = f"{ORGANIZATION}/access:who-can?verb=execute&key=organization.plan.approve"
    monkeypatch.setattr(holders, "AT_ONCE", 1)
    asked = []
    usual = type(api.store).read

    async def read(self: Any, query: Any, **given: Any) -> Any:
        asked.append((query.name, given.get("kind", "")))
        return await usual(self, query, **given)

    async with AsyncExitStack() as stack:
        for name in ("ann", "bob", "cem", "dee"):
            await stack.enter_async_context(member(api, name, given("operator")))
        monkeypatch.setattr(type(api.store), "read", read)
        names, after = [], ""
        for _ in range(5):
            asked.clear()
            page = (await api.get(f"{who}&page_size=1&page_token={after}")).body
            names += [one["name"].partition("@")[0] for one in page["items"]]
            assert asked.count(("declared_page", "membership")) <= 3
            after = page["next_page_token"]
    assert (names, after) == (["ann", "bob", "cem", "dee", "administrator"], "")
