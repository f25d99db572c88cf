"""Who may do what, and credentials given out, on the command line."""

import json

import pytest

from client.scripted import Told

from .conftest import Shell
from .credentials import ACME, with_access
from .fake import FakeApi


@pytest.fixture(autouse=True)
def answers(api: FakeApi) -> None:
    with_access(api)


def test_a_token_is_printed_alone_and_what_to_know_beside_it(setpoint: Shell, api: FakeApi) -> None:
    made = setpoint("token", "create", "ci", "--role", "operator", "-p", "shop", "--days", "30")
    assert (made.code, made.out) == (0, "setpoint_pat_1ab_x_0\n")
    assert "ci is operator in acme/shop until" in made.err
    assert "setpoint token revoke 1ab" in made.err
    sent = next(asked for asked in api.asked if asked.method == "POST")
    assert sent.body == {"name": "ci", "role": "operator", "days": 30, "project": "shop"}


def test_tokens_are_listed_and_taken_back(setpoint: Shell, api: FakeApi) -> None:
    assert "ci    operator  acme/shop" in setpoint("token", "list").out
    assert setpoint("token", "revoke", "1ab").out == "token 1ab of ci opens nothing any more\n"
    api.answers["GET", f"{ACME}/tokens"] = Told(body={"items": [], "next_page_token": ""})
    assert "setpoint token create NAME" in setpoint("token", "list").err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("token", "creat"), "did you mean create?"),
        (("token", "create", "ci"), "setpoint roles"),
        (("token", "revoke"), "setpoint token list"),
        (("can-i", "delete", "hots"), "there is no key 'hots'"),
        (("roles", "audito"), "did you mean auditor?"),
    ],
)
def test_mistakes_come_with_a_way_on(setpoint: Shell, words: tuple[str, ...], says: str) -> None:
    found = setpoint(*words)
    assert found.code != 0
    assert says in found.err


def test_can_i_answers_in_its_exit_code_too(setpoint: Shell, api: FakeApi) -> None:
    found = setpoint("can-i", "delete", "host", "web-1", "-p", "shop")
    assert (found.code, found.out) == (0, "yes: role owner allows it\n")
    query = {"verb": "delete", "key": "project.workspace.host", "organization": "acme", "project": "shop"}
    assert dict(api.asked[-1].query) == {**query, "name": "web-1"}
    api.answers["GET", "/v1/me:can-i"] = Told(body={"allowed": False, "reason": "no rule allows it"})
    refused = setpoint("can-i", "execute", "organization.plan.approve")
    assert (refused.code, refused.out) == (1, "no: no rule allows it\n")
    assert "setpoint who-can execute organization.plan.approve" in refused.err


def test_who_can_and_roles(setpoint: Shell) -> None:
    assert "ann   role owner in acme allows it" in setpoint("who-can", "delete", "dns_zone").out
    assert setpoint("roles").out == "ROLE     MAY\nauditor  reads everything\n"
    assert setpoint("roles", "auditor").out == "auditor  reads everything\n  allows read of *\n"
    assert json.loads(setpoint("roles", "-o", "json").out)["items"][0]["name"] == "auditor"


def test_a_credential_for_one_organization_needs_no_flag(setpoint: Shell, api: FakeApi) -> None:
    api.objects.clear()
    api.answers["GET", "/v1/me"] = Told(body={"name": "con", "roles": [{"role": "m", "scope": "acme/blog"}]})
    assert "ci    operator" in setpoint("token", "list").out
