"""`get`, `describe` and `why` against a server: kinds by any name, scopes by any flag, all formats."""

import json

import pytest
import yaml

from .conftest import Shell
from .fake import FakeApi, thing


@pytest.fixture(autouse=True)
def fleet(api: FakeApi) -> None:
    api.objects += [
        thing("host", "web-1", spec={"size": "cx22", "password": "hush"}),
        thing("host", "web-2", state="HELD", reason="5 deletes of 6", plan="p7"),
        thing("host", "web-2", "acme/lab/dev", ref="host/other"),
        thing("dns_zone", "example-org", "acme/shop", spec={"domain": "example.org"}),
    ]


@pytest.mark.parametrize("word", ["hosts", "host", "HOST", "dns_zones", "zone", "zones", "dns-zone"])
def test_a_kind_has_many_names(setpoint: Shell, word: str) -> None:
    assert setpoint("get", word, "-o", "name").code == 0


def test_the_only_organization_is_used_without_being_named(setpoint: Shell, api: FakeApi) -> None:
    assert setpoint("get", "hosts", "-o", "name").out.split() == ["host/web-1", "host/web-2", "host/web-2"]
    api.objects.append(thing("organization", "globex", ""))
    refused = setpoint("get", "hosts")
    assert refused.code == 2
    assert "there are 2 organizations (acme, globex)" in refused.err
    assert setpoint("get", "hosts", "-o", "name", SETPOINT_ORGANIZATION="acme").code == 0


def test_scope_narrows_a_list_from_flags_and_environment(setpoint: Shell) -> None:
    assert setpoint("get", "hosts", "-p", "lab", "-o", "name").out == "host/web-2\n"
    assert setpoint("get", "hosts", "-o", "name", SETPOINT_PROJECT="shop").out.count("\n") == 2


def test_flags_may_stand_before_the_verb(setpoint: Shell) -> None:
    assert setpoint("-p", "lab", "-o", "name", "get", "hosts").out == "host/web-2\n"


def test_a_name_below_the_scope_is_found_if_it_is_the_only_one(setpoint: Shell) -> None:
    assert json.loads(setpoint("get", "host", "web-1", "-o", "json").out)["metadata"]["name"] == "web-1"
    ambiguous = setpoint("get", "host/web-2")
    assert ambiguous.code == 2
    assert "host web-2 exists in acme/lab/dev, acme/shop/prod" in ambiguous.err


def test_a_name_in_a_scope_that_is_known_is_read_directly(setpoint: Shell, api: FakeApi) -> None:
    place = ("-p", "shop", "-w", "prod")
    assert setpoint("get", "host", "web-2", *place, "-o", "name").out == "host/web-2\n"
    assert api.asked[-1].path == "/v1/organizations/acme/projects/shop/workspaces/prod/hosts/web-2"
    missing = setpoint("why", "host", "web-22", *place)
    assert (missing.code, "there is no host web-22 in acme/shop/prod" in missing.err) == (1, True)


def test_without_any_organization_the_first_step_is_taught(setpoint: Shell, api: FakeApi) -> None:
    api.objects = []
    lost = setpoint("get", "hosts")
    assert (lost.code, "setpoint explain organization" in lost.err) == (1, True)


def test_a_missing_name_gets_a_suggestion_and_the_next_command(setpoint: Shell) -> None:
    missing = setpoint("get", "host", "wbe-1")
    assert (missing.code, missing.out) == (1, "")
    assert missing.err.splitlines() == [
        "error: there is no host wbe-1 in acme",
        "  did you mean web-1?",
        "  next: setpoint get hosts",
    ]


def test_several_kinds_are_several_tables_with_prefixed_names(setpoint: Shell) -> None:
    found = setpoint("get", "hosts,zones", "-p", "shop").out
    assert [line.split()[0] for line in found.splitlines() if line] == [
        "NAME",
        "host/web-1",
        "host/web-2",
        "NAME",
        "dns_zone/example-org",
    ]


def test_an_empty_list_teaches_the_next_command(setpoint: Shell, api: FakeApi) -> None:
    api.objects = api.objects[:1]
    empty = setpoint("get", "hosts")
    assert (empty.code, empty.out) == (0, "")
    assert "There are no hosts in acme yet" in empty.err
    assert "next: setpoint apply -f host.yaml" in empty.err
    assert "    kind: host" in empty.err


def test_all_pages_are_fetched_and_a_limit_stops_early(setpoint: Shell, api: FakeApi) -> None:
    api.objects += [thing("host", f"many-{n}") for n in range(1200)]
    assert setpoint("get", "hosts", "-o", "name").out.count("\n") == 1203
    pages = len([asked for asked in api.asked if asked.path.endswith("/hosts")])
    assert setpoint("get", "hosts", "-o", "name", "--limit", "3").out.count("\n") == 3
    assert len([asked for asked in api.asked if asked.path.endswith("/hosts")]) == pages + 1


def test_filter_and_order_are_asked_of_the_server(setpoint: Shell, api: FakeApi) -> None:
    setpoint("get", "hosts", "--filter", "spec.size > 2", "--sort", "name desc", "-o", "name")
    assert (api.asked[-1].query["filter"], api.asked[-1].query["order_by"]) == ("spec.size > 2", "name desc")


def test_state_and_labels_are_asked_of_the_server(setpoint: Shell, api: FakeApi) -> None:
    assert setpoint("get", "hosts", "--state", "held", "-l", "a=b", "-o", "name").out == "host/web-2\n"
    assert (api.asked[-1].query["state"], api.asked[-1].query["labels"]) == ("HELD", "a=b")


@pytest.mark.parametrize("format_", ["table", "wide", "json", "yaml", "jsonl"])
def test_secrets_are_shown_in_no_format(setpoint: Shell, format_: str) -> None:
    for verb in (("get", "hosts"), ("get", "host", "web-1"), ("describe", "host", "web-1")):
        shown = setpoint(*verb, "-p", "shop", "-o", format_)
        assert "hush" not in shown.out + shown.err


def test_yaml_of_a_list_is_many_documents(setpoint: Shell) -> None:
    found = list(yaml.safe_load_all(setpoint("get", "hosts", "-p", "shop", "-o", "yaml").out))
    assert [body["metadata"]["name"] for body in found] == ["web-1", "web-2"]


def test_why_is_a_sentence_a_chain_and_the_next_command(setpoint: Shell) -> None:
    told = setpoint("why", "dns_zone/example-org")
    assert told.out.splitlines() == ["example-org is READY: as declared", "  declared", "  next: setpoint x"]


def test_describe_shows_a_held_plan_with_its_next_commands(setpoint: Shell, api: FakeApi) -> None:
    api.planned = {
        "kind": "host",
        "name": "web-2",
        "state": "held",
        "actions": [{"verb": "delete", "item": "server"}],
        "holds": [{"guard": "delete_budget", "message": "5 deletes of 6"}],
    }
    shown = setpoint("describe", "host", "web-2", "-p", "shop").out
    assert "! HELD since" in shown
    assert "! delete_budget: 5 deletes of 6" in shown
    assert "give it up:     setpoint reject p7" in shown


def test_words_of_a_provider_cannot_steer_the_terminal(setpoint: Shell, api: FakeApi) -> None:
    api.objects.append(thing("host", "evil", reason="\x1b[2Jgone\x07"))
    for verb in (("get", "hosts"), ("describe", "host", "evil"), ("why", "host", "evil")):
        assert "\x1b" not in setpoint(*verb).out
