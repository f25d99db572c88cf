"""Where a command goes: flags, then the environment, then the context, then the data folder here."""

import argparse
from pathlib import Path

import pytest

from client.scripted import Told
from setpoint.cli.context import Context, contexts_in
from setpoint.cli.flags import DEFAULT_URL, chosen_by

from .conftest import Shell
from .fake import TOKEN, FakeApi

PROD = Context("prod", "https://prod.example", "acme", "shop", "web", "prods")
LAB = Context("lab", "http://lab.example", "", "", "", "labs")


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.chdir(tmp_path)
    found = {"SETPOINT_CONFIG": str(tmp_path / "contexts.json")}
    contexts_in(found).with_one(PROD, use=True).with_one(LAB).save()
    return found


def said(**flags: str) -> argparse.Namespace:
    names = ("url", "token", "context", "organization", "project", "workspace")
    return argparse.Namespace(**{name: flags.get(name) for name in names})


def chosen(environment: dict[str, str], **flags: str) -> tuple[str, str, str, str]:
    found = chosen_by(said(**flags), environment)
    return found.endpoint.url, found.endpoint.token, str(found.scope), found.endpoint.context


def test_the_context_in_use_decides_where_nothing_else_does(environment: dict[str, str]) -> None:
    assert chosen(environment) == ("https://prod.example", "prods", "acme/shop/web", "prod")


def test_another_context_can_be_named_for_one_command(environment: dict[str, str]) -> None:
    assert chosen(environment, context="lab") == ("http://lab.example", "labs", "", "lab")
    around = {**environment, "SETPOINT_CONTEXT": "lab"}
    assert chosen(around) == ("http://lab.example", "labs", "", "lab")
    assert chosen(around, context="prod")[3] == "prod"


def test_the_environment_wins_over_the_context_in_use(environment: dict[str, str]) -> None:
    around = {**environment, "SETPOINT_TOKEN": "around", "SETPOINT_ORGANIZATION": "other"}
    assert chosen(around) == ("https://prod.example", "around", "other", "prod")


def test_a_context_that_is_named_wins_over_the_environment(environment: dict[str, str]) -> None:
    around = {**environment, "SETPOINT_URL": "http://demo.example", "SETPOINT_TOKEN": "around"}
    assert chosen(around, context="lab") == ("http://lab.example", "labs", "", "lab")


def test_flags_win_over_everything(environment: dict[str, str]) -> None:
    around = {**environment, "SETPOINT_TOKEN": "around", "SETPOINT_PROJECT": "p"}
    found = chosen(around, url="https://prod.example", token="flag", organization="o", project="q")  # noqa: S106
    assert found == ("https://prod.example", "flag", "o/q", "prod")


@pytest.mark.parametrize("how", ["flag", "environment"])
def test_no_credential_and_no_scope_goes_to_another_server(environment: dict[str, str], how: str) -> None:
    elsewhere = "https://elsewhere.example"
    if how == "flag":
        assert chosen(environment, url=elsewhere) == (elsewhere, "", "", "")
    else:
        assert chosen({**environment, "SETPOINT_URL": elsewhere}) == (elsewhere, "", "", "")


def test_a_project_alone_is_meant_in_the_organization_of_the_context(environment: dict[str, str]) -> None:
    assert chosen(environment, project="blog")[2] == "acme/blog"


def test_without_contexts_it_is_as_it_always_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert chosen({}) == (DEFAULT_URL, "", "", "")
    (tmp_path / ".setpoint").mkdir()
    (tmp_path / ".setpoint" / "admin.token").write_text("folders\n")
    assert chosen({}) == (DEFAULT_URL, "folders", "", "")


def test_contexts_are_kept_where_the_environment_says(tmp_path: Path) -> None:
    for around, path in [
        ({"HOME": str(tmp_path)}, tmp_path / ".config/setpoint/contexts.json"),
        ({"HOME": "/h", "XDG_CONFIG_HOME": str(tmp_path / "x")}, tmp_path / "x/setpoint/contexts.json"),
    ]:
        contexts_in(around).with_one(PROD).save()
        assert contexts_in(around).known == {"prod": PROD}
        assert path.exists()
    assert contexts_in({}).known == {}


def test_a_question_about_a_change_says_which_context_it_is_for(
    setpoint: Shell, api: FakeApi, environment: dict[str, str]
) -> None:
    contexts_in(environment).with_one(Context("shop", api.server.url, token=TOKEN)).save()
    held = {"id": "p1", "state": "held", "digest": "d", "kind": "host", "name": "web-1", "actions": []}
    api.answers["GET", "/v1/organizations/acme/plans/p1"] = Told(body=held)
    words = ("approve", "p1", "--reason", "x", "-O", "acme", "--context", "shop")
    asked = setpoint(*words, stdin="n\n", terminal=True, **environment)
    assert f"at {api.server.url} (context shop)? [y/N]" in asked.err


def test_the_password_is_asked_for_again_and_the_verb_runs_once_more(
    setpoint: Shell, api: FakeApi, environment: dict[str, str]
) -> None:
    contexts_in(environment).with_one(Context("shop", api.server.url, token=TOKEN)).save()
    refused = Told(403, {"status": 403, "code": "step_up", "detail": "prove that it is you"})
    api.answers["POST", "/v1/accounts"] = refused
    api.answers["POST", "/v1/sessions/current:confirm"] = Told(201, {"token": "another"})
    words = ("account", "invite", "bob@acme.example", "--context", "shop")
    again = setpoint(*words, stdin="my password\n", terminal=True, **environment)
    assert "needs your password again" in again.err
    assert contexts_in(environment).known["shop"].token == "another"  # noqa: S105
    assert [(asked.path, asked.body) for asked in api.asked] == [
        ("/v1/accounts", {"email": "bob@acme.example"}),
        ("/v1/sessions/current:confirm", {"password": "my password"}),
        ("/v1/accounts", {"email": "bob@acme.example"}),
    ]


def test_with_nobody_to_ask_for_a_password_the_refusal_stands(
    setpoint: Shell, api: FakeApi, environment: dict[str, str]
) -> None:
    contexts_in(environment).with_one(Context("shop", api.server.url, token=TOKEN)).save()
    api.answers["POST", "/v1/accounts"] = Told(403, {"status": 403, "code": "step_up", "detail": "prove it"})
    refused = setpoint("account", "invite", "bob@acme.example", "--context", "shop", **environment)
    assert (refused.code, len(api.asked)) == (6, 1)
