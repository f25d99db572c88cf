"""Roles, members, keys and tokens of one's own on the command line, against the real API."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from api.belonging import account, address, given, invite, member, say_yes, session
from api.kit import Api, settled, still, thing
from api.people import PASSWORD
from setpoint.engine.account import Account

from .conftest import Result, Shell

PLACE = ("-p", "shop", "-w", "prod")


class Typed:
    """Commands typed by somebody: the API lives on this loop, the command line in a thread."""

    def __init__(self, api: Api, token: str) -> None:
        self.api = api
        # Whoever runs it all sees the foreign organization of every world as well.
        one = {"SETPOINT_ORGANIZATION": "acme"} if token == api.run.token else {}
        self.shell = Shell({"SETPOINT_URL": api.url, "SETPOINT_TOKEN": token, "COLUMNS": "110", **one})

    async def __call__(self, *argv: str, stdin: str = "", terminal: bool = False) -> Result:
        return await asyncio.to_thread(self.shell, *argv, stdin=stdin, terminal=terminal)


@pytest.fixture
async def api(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Api]:
    monkeypatch.chdir(tmp_path)
    async with still(tmp_path / "data") as api:
        await api.declare(*settled(), thing("project", "blog", {}))
        yield api


@pytest.fixture
def setpoint(api: Api) -> Typed:
    return Typed(api, api.run.token)


async def test_a_role_is_saved_after_who_gains_and_who_loses_was_shown(api: Api, setpoint: Typed) -> None:
    rule = ("--allow", "read,update project.dns_zone", "--about", "names")
    made = await setpoint("role", "set", "dns", *rule, "--yes")
    assert (made.code, "Nobody gains or loses anything." in made.out) == (0, True)
    await invite(api, "ann", given("dns"))
    rules = ("--allow", "read project.*", "--forbid", "read project.workspace", "-p", "shop")
    asked = await setpoint("role", "set", "dns", *rules, stdin="n\n", terminal=True)
    assert asked.code != 0
    assert "ann@example.org" in asked.out
    assert "- loses read, update project.dns_zone in acme" in asked.out
    assert "+ gains read project.workspace.host in acme/shop" in asked.out
    assert "Nothing was changed." in asked.err
    shown = await setpoint("roles", "dns")
    assert shown.out == "dns  names\n  allows read, update of project.dns_zone\n"
    assert "ROLE" in (await setpoint("roles")).out
    file = "kind: role\nmetadata: {name: dns}\nspec: {rules: []}\n"
    previewed = await setpoint("role", "preview", "-f", "-", stdin=file)
    assert "- loses read, update project.dns_zone in acme" in previewed.out
    found = json.loads((await setpoint("role", "preview", "-f", "-", "-o", "json", stdin=file)).out)
    assert found["items"][0]["name"] == "ann@example.org"
    refused = await setpoint("role", "remove", "dns", "--yes")
    assert "there is no role dns" in refused.err
    await setpoint("member", "remove", "ann@example.org", "--yes")
    assert (await setpoint("role", "remove", "dns", "--yes")).out == "role dns is gone\n"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("role", "sett", "x"), "did you mean set?"),
        (("role", "set"), "say which role"),
        (("role", "set", "x"), "say what it allows"),
        (("role", "set", "x", "--allow", "read"), "verbs come first"),
        (("role", "set", "x", "--allow", "fly project.*", "--yes"), "fly"),
        (("member", "ad", "x"), "did you mean add?"),
        (("member", "add"), "say whom"),
        (("member", "add", "ann@example.org"), "say as what"),
        (("member", "invite", "nobody@example.org"), "was not invited"),
        (("key", "list"), "a key is of one workspace"),
        (("key", "create", "x"), "its --role"),
        (("token", "create", "x", "--mine"), "no person"),
        (("organization", "stand"), "there is no organization"),
        (("can-i", "read", "host", "--who", "nobody"), "nobody of this organization"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
async def test_mistakes_come_with_a_way_on(setpoint: Typed, words: tuple[str, ...], says: str) -> None:
    found = await setpoint(*words)
    assert found.code != 0
    assert says in found.err


async def test_a_member_is_invited_by_a_link_and_given_more_later(api: Api, setpoint: Typed) -> None:
    assert "Nobody was invited" in (await setpoint("member", "list")).err
    added = await setpoint("member", "add", "Ann@Example.org", "--role", "member", "-p", "shop", "--yes")
    assert added.code == 0, added.err
    link = added.out.splitlines()[-1]
    assert "ann@example.org is invited to acme" in added.err
    assert "invited" in (await setpoint("member", "list")).out
    came = await api.good("POST", "/v1/links:use", {"link": link, "password": PASSWORD, "cookie": False})
    more = ("member", "add", "ann@example.org", "--role", "auditor", "--until", "2099-12-31", "--yes")
    given_more = await setpoint(*more)
    assert "has it from the next request on" in given_more.err
    assert "+ gains read organization.audit in acme" in given_more.out or "more kinds" in given_more.out
    listed = (await setpoint("member", "list")).out
    assert "accepted" in listed
    assert "member in shop, auditor until 2099-12-31" in listed
    ann = Typed(api, came["token"])
    assert "shop" in (await ann("get", "projects")).out
    asked = await setpoint("member", "remove", "ann@example.org", stdin="no\n", terminal=True)
    assert "- loses" in asked.out
    assert "Nothing was changed." in asked.err
    gone = await setpoint("member", "remove", "ann-example.org", "--yes")
    assert gone.out.splitlines()[-1] == "ann@example.org is no member of acme any more"
    assert (await ann("get", "projects")).code != 0


async def test_two_addresses_never_share_a_membership(setpoint: Typed) -> None:
    for email in ("a-b@example.org", "a@b-example.org"):
        await setpoint("member", "add", email, "--role", "auditor", "--no-invite", "--yes")
    found = json.loads((await setpoint("member", "list", "-o", "json")).out)["items"]
    assert [(one["name"], one["email"]) for one in found] == [
        ("a-b-example.org", "a-b@example.org"),
        ("a-b-example.org-2", "a@b-example.org"),
    ]


async def test_a_contractor_sees_one_project_and_nothing_else(api: Api) -> None:
    async with member(api, "con", given("member", project="blog")):
        person = await api.store.get(Account, "u-con")
        assert person is not None
        con = Typed(api, await session(api, person, "cli"))
        assert [line.split()[0] for line in (await con("get", "projects")).out.splitlines()] == [
            "NAME",
            "blog",
        ]
        assert "shop" not in (await con("get", "projects", "-o", "json")).out
        assert "no" in (await con("can-i", "delete", "dns_zone", "-p", "blog")).out
        assert "example-org" not in (await con("get", "dns_zones")).out
        events = await con("events")
        assert "shop" not in events.out
        assert "hooks" not in events.out


async def test_a_token_of_ones_own_and_a_key_of_a_workspace(api: Api, setpoint: Typed) -> None:
    async with member(api, "ann", given("operator")):
        person = await api.store.get(Account, "u-ann")
        assert person is not None
        ann = Typed(api, await session(api, person, "cli"))
        made = await ann("token", "create", "laptop", "--mine", "--days", "7")
        assert "laptop is you until" in made.err
        laptop = Typed(api, made.out.strip())
        assert "hetzner" in (await laptop("get", "providers")).out
        listed = (await ann("token", "list", "--mine")).out
        assert "laptop" in listed
        assert "ago" in listed
        identity = listed.splitlines()[1].split()[0]
        assert "opens nothing any more" in (await ann("token", "revoke", identity, "--mine")).out
        narrow = await ann("token", "create", "bot", "--mine", "--role", "auditor", "-p", "shop")
        assert "bot is auditor in acme/shop until" in narrow.err
    key = await setpoint("key", "create", "in-cluster", "--role", "operator", *PLACE, "--from", "127.0.0.1")
    assert key.out.startswith("setpoint_wsk_")
    assert "setpoint key --project shop --workspace prod revoke" in key.err
    listed = (await setpoint("key", "list", *PLACE)).out
    assert "in-cluster" in listed
    assert "opens nothing" in (await setpoint("key", "revoke", listed.splitlines()[1].split()[0], *PLACE)).out
    assert "No key was given out in acme/shop/prod." in (await setpoint("key", "list", *PLACE)).err


async def test_every_rule_behind_an_answer_is_shown(api: Api, setpoint: Typed) -> None:
    ref = await invite(api, "ann", given("member"))
    await say_yes(api, ref, await account(api, "ann"))
    found = await setpoint("can-i", "delete", "dns_zone", "--who", address("ann"))
    assert found.out.splitlines()[0] == "no: no rule allows it"
    assert "member in acme allows create, update of project.*: it is about create, update" in found.out
    own = await setpoint("can-i", "delete", "dns_zone", "--explain")
    assert "= administrator allows" in own.out


async def test_how_an_organization_stands(setpoint: Typed) -> None:
    assert (await setpoint("organization", "standing", "acme")).out == "acme is verified and active\n"
    said = await setpoint("organization", "standing", "acme", "--state", "inactive", "--reason", "unpaid")
    assert said.out == "acme is verified and inactive: unpaid (said by administrator)\n"
    refused = await setpoint("member", "add", "x@example.org", "--role", "auditor", "--yes")
    assert "acme is verified and inactive: unpaid" in refused.err
