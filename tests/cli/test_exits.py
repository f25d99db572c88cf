"""Exit codes, streams and formats: the same promises for every verb."""

import io
import json
from pathlib import Path

import pytest

from client.scripted import Told
from setpoint.cli.context import Context, contexts_in
from setpoint.cli.remote import REMOTE_VERBS, help_text, main

from .conftest import Shell
from .credentials import with_access, with_people
from .decisions import with_decisions
from .fake import TOKEN, FakeApi, thing
from .long_work import with_operations

HOST = "kind: host\nmetadata: {name: web-9, project: shop, workspace: prod}\nspec: {size: cx22}\n"
HELD = {
    "id": "p7",
    "kind": "host",
    "name": "web-1",
    "state": "held",
    "digest": "d1",
    "actions": [{"verb": "delete", "item": "server", "before": {"id": 1}}],
    "holds": [{"guard": "delete_budget", "message": "too many"}],
}
TASK = {"id": "t1", "pipeline": "build", "target": "host/web-1-id", "state": "running", "steps": ["a"]}
SWITCH = {"key": "kind:host", "mode": "stop", "by": "me", "reason": "x", "since": None}
LOOP = {"kind": "host", "every": 30.0, "default_every": 60.0, "on": [], "entities": 2, "states": {"READY": 2}}
SECRET = {"name": "hetzner", "version": 2, "digest": "d", "created_by": "me", "previous": None, "used_by": []}
EVENT = {"revision": 1, "at": "2026-11-15T12:00:00", "type": "t", "ref": "host/web-1-id", "message": "m"}
AUDIT = {"revision": 1, "at": "2026-11-15T12:00:00", "actor": "me", "action": "x", "ref": "y", "detail": {}}

COMMANDS = [
    ("get", "hosts"),
    ("get", "host", "web-1"),
    ("get", "all"),
    ("describe", "host", "web-1"),
    ("describe", "plan", "p7"),
    ("why", "host", "web-1"),
    ("plan",),
    ("plan", "-f", "host.yaml"),
    ("apply", "-f", "host.yaml", "--yes"),
    ("diff", "-f", "host.yaml"),
    ("export",),
    ("fmt", "-f", "host.yaml"),
    ("approve", "p7", "--reason", "x", "--yes"),
    ("reject", "p7", "--reason", "x"),
    ("pause",),
    ("pause", "--all", "--reason", "x"),
    ("pause", "host", "web-1", "--reason", "x"),
    ("resume", "--kind", "host"),
    ("resume", "host", "web-1"),
    ("release", "host", "web-1", "--reason", "x"),
    ("protect", "host", "web-1", "www/A", "--reason", "x"),
    ("adopt", "dns_zone", "main"),
    ("delete", "host", "web-1", "--yes"),
    ("delete", "host", "web-1", "--yes", "--wait"),
    ("watch", "--timeout", "0.1"),
    ("wait", "hosts", "--timeout", "2"),
    ("loops",),
    ("passes",),
    ("passes", "p1"),
    ("replay",),
    ("replay", "p1"),
    ("rehearse", "deletes_share=0.05"),
    ("tasks",),
    ("tasks", "t1"),
    ("operations",),
    ("operations", "t1"),
    ("cancel", "t1", "--reason", "a mistake"),
    ("retry", "t1", "--reason", "the quota was raised"),
    ("history", "host", "web-1"),
    ("webhook", "deliveries", "ci"),
    ("webhook", "redeliver", "ci", "t1"),
    ("can-i", "delete", "host"),
    ("who-can", "delete", "host"),
    ("roles",),
    ("token", "list"),
    ("key", "list", "-p", "shop", "-w", "prod"),
    ("member", "list"),
    ("organization", "standing", "acme"),
    ("role", "preview", "dns", "--allow", "read project.*"),
    ("login", "--forgot", "ann@acme.example"),
    ("contexts",),
    ("contexts", "current"),
    ("contexts", "set", "lab", "-O", "acme"),
    ("sessions",),
    ("account", "list"),
    ("account", "invite", "bob@acme.example"),
    ("account", "disable", "ann@acme.example"),
    ("outbox",),
    ("logout",),
    ("secret", "list"),
    ("events",),
    ("audit",),
    ("kinds",),
    ("explain", "host"),
    ("explain", "host.size"),
    ("explain", "guards"),
    ("explain", "guard.delete_budget"),
    ("explain", "limits"),
    ("version",),
]


@pytest.fixture(autouse=True)
def world(api: FakeApi, setpoint: Shell) -> None:
    Path("host.yaml").write_text(HOST)
    api.objects += [thing("host", "web-1"), thing("host", "web-2"), thing("dns_zone", "main", "acme/shop")]
    adopted = Told(body={"items": [thing("host", "web-3")]})
    api.answers["POST", "/v1/organizations/acme/projects/shop/dns_zones/main:adopt"] = adopted
    organization = "/v1/organizations/acme"
    api.lists = {
        "plans": [HELD],
        "tasks": [TASK],
        "events": [EVENT],
        "audit": [AUDIT],
        "switches": [SWITCH],
        "loops": [LOOP],
        "secrets": [SECRET],
        "contested": [],
    }
    api.answers["GET", f"{organization}/plans/p7"] = Told(body=HELD)
    api.answers["GET", f"{organization}/tasks/t1"] = Told(body=TASK)
    with_operations(api)
    with_decisions(api)
    with_access(api)
    with_people(api)
    setpoint.environment["SETPOINT_CONFIG"] = str(Path("contexts.json").absolute())
    place = Context("here", api.server.url, token=TOKEN)
    contexts_in(setpoint.environment).with_one(place, use=True).save()


def test_every_verb_is_among_the_commands_tried_here() -> None:
    assert {command[0] for command in COMMANDS} == set(REMOTE_VERBS)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_with_json_stdout_is_one_document(setpoint: Shell, command: tuple[str, ...]) -> None:
    found = setpoint(*command, "-o", "json")
    assert found.code in (0, 3, 4), found.err
    assert isinstance(json.loads(found.out), dict)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_without_a_terminal_there_is_no_control_character(setpoint: Shell, command: tuple[str, ...]) -> None:
    found = setpoint(*command)
    assert {char for char in found.out + found.err if not char.isprintable()} <= {"\n"}
    assert found.out + found.err != ""


@pytest.mark.parametrize("format_", ["yaml", "jsonl", "name", "wide"])
def test_every_format_works_for_every_command(setpoint: Shell, format_: str) -> None:
    for command in COMMANDS:
        if command[0] not in ("delete", "watch", "apply"):
            assert setpoint(*command, "-o", format_).code in (0, 3, 4), command


@pytest.mark.parametrize("verb", REMOTE_VERBS)
def test_help_teaches_with_examples_and_asks_nothing(setpoint: Shell, api: FakeApi, verb: str) -> None:
    taught = setpoint(verb, "--help")
    assert (taught.code, taught.err) == (0, "")
    assert f"examples:\n  setpoint {verb}" in taught.out
    assert api.asked == []


def test_help_names_both_groups_with_an_example_each(setpoint: Shell) -> None:
    assert setpoint("--help").out == help_text() == setpoint().out
    assert all(f"\n  {verb} " in help_text() for verb in (*REMOTE_VERBS, "up", "demo", "agent", "sim"))
    assert help_text().count("example: setpoint") == 2


@pytest.mark.parametrize(
    ("code", "command"),
    [
        (0, ("get", "hosts")),
        (0, ("wait", "host", "nobody", "--for", "deleted", "--timeout", "1")),
        (1, ("get", "host", "nobody")),
        (1, ("describe", "plan", "gone")),
        (2, ("get",)),
        (2, ("get", "hsots")),
        (2, ("gte", "hosts")),
        (2, ("get", "hosts", "--limti", "3")),
        (2, ("get", "hosts", "--limit", "0")),
        (2, ("get", "hosts,zones", "web-1")),
        (2, ("get", "plans")),
        (2, ("why", "hosts")),
        (2, ("apply",)),
        (2, ("apply", "-f", "host.yaml")),
        (2, ("approve", "p7")),
        (2, ("pause", "--all")),
        (2, ("pause", "--all", "--kind", "host", "--reason", "x")),
        (2, ("delete", "hosts", "--yes")),
        (2, ("delete", "host", "web-1")),
        (2, ("wait", "hosts", "--for", "HAPPY")),
        (2, ("explain", "host.sise")),
        (3, ("plan", "-f", "host.yaml")),
        (4, ("plan",)),
        (5, ("wait", "hosts", "--for", "deleted", "--timeout", "0.1")),
        (6, ("get", "hosts", "--token", "wrong")),
        (7, ("get", "hosts", "--url", "http://127.0.0.1:1")),
    ],
)
def test_an_exit_code_means_one_thing(
    setpoint: Shell, api: FakeApi, code: int, command: tuple[str, ...]
) -> None:
    api.answers["GET", "/v1/organizations/acme/plans/gone"] = Told(404, {"detail": "no", "code": "x"})
    found = setpoint(*command)
    assert found.code == code, found.err
    if code not in (0, 3, 4):
        assert found.out == "" or command[0] == "apply"
        assert "error:" in found.err or code == 5


@pytest.mark.parametrize("token", ["wrong", ""])
def test_a_refused_token_is_never_printed(setpoint: Shell, token: str) -> None:
    found = setpoint("get", "hosts", SETPOINT_TOKEN=token, SETPOINT_CONFIG="")
    assert found.code == 6
    assert "SETPOINT_TOKEN" in found.err
    assert "wrong" not in found.err + found.out


def test_the_token_is_found_in_the_data_folder_or_a_named_file(setpoint: Shell) -> None:
    token = setpoint.environment["SETPOINT_TOKEN"]
    Path(".setpoint").mkdir()
    Path(".setpoint/admin.token").write_text(f"{token}\n")
    Path("other").write_text(token)
    assert setpoint("kinds", SETPOINT_TOKEN="").code == 0
    for file, code in (("other", 0), ("nowhere", 2)):
        assert setpoint("kinds", SETPOINT_TOKEN="", SETPOINT_TOKEN_FILE=file).code == code


def test_an_unreachable_api_is_one_sentence_and_the_next_command(setpoint: Shell) -> None:
    assert setpoint("get", "hosts", "--url", "http://127.0.0.1:1").err.splitlines() == [
        "error: the API at http://127.0.0.1:1 cannot be reached: nothing listens there",
        "  next: setpoint up",
        "  or say where it is: --url URL",
    ]


def test_with_json_a_refusal_is_json_on_stderr(setpoint: Shell) -> None:
    for flags in (("-o", "json"), ("-ojson",), ("--output=json",)):
        found = setpoint("get", "hosts", "--token", "wrong", *flags)
        assert (found.out, json.loads(found.err)["code"]) == ("", "unauthenticated")
    assert json.loads(setpoint("get", "hsots", "-o", "json").err)["next"][0] == "did you mean hosts?"


@pytest.mark.parametrize(
    ("command", "hint"),
    [
        (("gte", "hosts"), "did you mean get?"),
        (("demmo",), "did you mean demo?"),
        (("get", "hosts", "--limti", "3"), "did you mean --limit?"),
        (("get", "dns_zoens"), "did you mean dns_zones?"),
        (("explain", "host.sise"), "did you mean size?"),
        (("get", "tasks"), "next: setpoint tasks"),
        (("get", "switches"), "next: setpoint pause"),
    ],
)
def test_near_misses_get_a_suggestion(setpoint: Shell, command: tuple[str, ...], hint: str) -> None:
    assert hint in setpoint(*command).err


def test_an_interrupt_ends_with_130(setpoint: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("setpoint.client.connection.Connection.get", interrupted)
    assert setpoint("get", "hosts").code == 130


def test_a_reader_that_leaves_early_is_no_failure(api: FakeApi, setpoint: Shell) -> None:
    class Left(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    code = main(
        ["get", "hosts"], setpoint.environment, stdin=io.StringIO(), stdout=Left(), stderr=io.StringIO()
    )
    assert code == 0


@pytest.mark.parametrize("status", [400, 422])
def test_a_question_that_the_server_cannot_read_is_a_usage_error(
    setpoint: Shell, api: FakeApi, status: int
) -> None:
    problem = {"detail": "there is no field nmae", "code": "bad_parameter"}
    api.answers["GET", "/v1/organizations/acme/hosts"] = Told(status, problem)
    assert setpoint("get", "hosts", "--filter", "nmae == 1").code == 2


def test_files_that_stand_alone_are_meant_for_the_flag(setpoint: Shell) -> None:
    for verb in ("plan", "apply", "diff"):
        found = setpoint(verb, "zone.yaml", "--prune")
        assert (found.code, f"next: setpoint {verb} -f zone.yaml --prune" in found.err) == (2, True)
    assert "next: setpoint fmt -f dns/\n" in setpoint("fmt", "dns/").err


@pytest.mark.parametrize("word", ["-v", "--verbose"])
def test_there_is_no_verbose_and_what_there_is_instead_is_said(setpoint: Shell, word: str) -> None:
    found = setpoint("get", "hosts", word)
    assert (found.code, "-o wide shows more" in found.err, "did you mean" in found.err) == (2, True, False)


@pytest.mark.parametrize("verb", [("events",), ("audit",), ("tasks",), ("operations",), ("get", "hosts")])
def test_a_limit_is_at_least_one(setpoint: Shell, verb: tuple[str, ...]) -> None:
    assert setpoint(*verb, "--limit", "0").code == 2


def test_a_list_that_is_cut_says_so_and_how_to_see_more(setpoint: Shell, api: FakeApi) -> None:
    api.lists["events"] = [{**EVENT, "revision": n} for n in range(1, 6)]
    api.lists["tasks"] = [{**TASK, "id": f"t{n}"} for n in range(5)]
    cut = setpoint("events", "--limit", "3")
    assert (len(cut.out.splitlines()), "setpoint events --limit 30" in cut.err) == (4, True)
    assert "more" not in setpoint("events", "--limit", "5").err
    cut = setpoint("tasks", "--limit", "3")
    assert (len(cut.out.splitlines()), "setpoint tasks --limit 30" in cut.err) == (4, True)
    assert "more" not in setpoint("tasks", "--limit", "5").err
