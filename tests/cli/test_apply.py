"""`plan` and `apply`: shown first, asked for, declared, followed to the end."""

import json
import re
import shlex
from pathlib import Path

import pytest

from .conftest import Shell
from .fake import FakeApi, thing

HOSTS = "".join(
    f"---\nkind: host\nmetadata: {{name: web-{n}, workspace: prod}}\nspec: {{size: cx32}}\n" for n in (1, 2)
)


@pytest.fixture(autouse=True)
def file(setpoint: Shell) -> None:
    Path("shop.yaml").write_text(HOSTS)


def test_plan_shows_what_is_declared_anew_and_changes_nothing(setpoint: Shell, api: FakeApi) -> None:
    api.objects.append(thing("host", "web-1", spec={"size": "cx22"}))
    found = setpoint("plan", "-f", "shop.yaml", "-p", "shop")
    assert found.out.splitlines() == [
        "Plan for acme: 2 declarations would change",
        "Declared",
        "  ~ host web-1 size cx22 → cx32",
        "  + host web-2 size=cx32",
        "Plan for acme: 2 declarations would change",
    ]
    sent = [(a.path, a.body.get("dry_run")) for a in api.asked if a.method != "GET"]
    checked, asked = ("/v1/organizations/acme/declarations", True), ("/v1/organizations/acme/plans", None)
    assert (found.code, sent) == (3, [checked, asked])


def test_the_scope_of_flags_is_written_into_what_leaves_it_out(setpoint: Shell, api: FakeApi) -> None:
    setpoint("plan", "-f", "shop.yaml", "-p", "shop")
    sent = next(asked.body for asked in api.asked if asked.path.endswith("/plans"))
    places = {"organization": "acme", "project": "shop", "workspace": "prod"}
    assert sent["items"][0]["metadata"] == {"name": "web-1", **places}
    assert (sent["owner"], sent["prune"]) == ("shop", False)


def test_apply_without_a_terminal_needs_yes(setpoint: Shell, api: FakeApi) -> None:
    refused = setpoint("apply", "-f", "shop.yaml", "-p", "shop")
    assert refused.code == 2
    assert "say --yes to apply without being asked" in refused.err
    sent = [asked.body for asked in api.asked if asked.path.endswith("/declarations")]
    assert all(body["dry_run"] for body in sent)


def test_apply_asks_on_a_terminal_and_takes_no_for_no(setpoint: Shell, api: FakeApi) -> None:
    refused = setpoint("apply", "-f", "shop.yaml", "-p", "shop", stdin="n\n", terminal=True)
    assert refused.code == 3
    assert f"Apply to acme at {api.server.url}? [y/N]" in refused.err
    assert "Nothing was changed." in refused.err
    assert setpoint("apply", "-f", "shop.yaml", "-p", "shop", stdin="y\n", terminal=True).code == 0


def test_apply_follows_until_everything_is_ready(setpoint: Shell) -> None:
    found = setpoint("apply", "-f", "shop.yaml", "-p", "shop", "--yes")
    told = [line.split(" ", 1)[1] for line in found.out.splitlines() if line.startswith("20")]
    assert told == ["= host web-1 READY: as declared", "= host web-2 READY: as declared"]
    assert found.err.splitlines()[-1] == "All 2 objects as declared."
    assert found.code == 0


def test_what_was_read_can_be_applied_as_it_is(setpoint: Shell, api: FakeApi) -> None:
    api.objects.append(thing("host", "web-1", spec={"size": "cx22"}, owner="x"))
    exported = setpoint("get", "hosts", "-o", "yaml").out
    found = setpoint("apply", "-f", "-", "--yes", stdin=exported)
    sent = next(asked.body for asked in api.asked if asked.path.endswith("/declarations"))
    assert set(sent["items"][0]) == {"kind", "metadata", "spec"}
    assert "in step, nothing to change" in found.out
    assert found.code == 0


def test_a_held_object_ends_the_wait_with_its_next_commands(setpoint: Shell, api: FakeApi) -> None:
    api.outcomes["web-2"] = {"state": "HELD", "reason": "5 deletes of 6", "plan": "p7"}
    plan = {"id": "p7", "kind": "host", "name": "web-2", "state": "held", "actions": [], "holds": []}
    api.lists["plans"] = [plan]
    found = setpoint("apply", "-f", "shop.yaml", "-p", "shop", "--yes")
    assert found.code == 4
    assert "host web-2 is HELD, not READY: 5 deletes of 6" in found.err
    for command in ("setpoint describe plan p7", "setpoint reject p7", "setpoint approve p7"):
        assert command in found.out


def test_a_failed_object_is_worse_than_a_late_one(setpoint: Shell, api: FakeApi) -> None:
    api.outcomes["web-1"] = {"state": "FAILED", "reason": "no such size"}
    api.outcomes["web-2"] = {"state": "PENDING", "reason": "creating"}
    found = setpoint("apply", "-f", "shop.yaml", "-p", "shop", "--yes", "--timeout", "1.5")
    assert found.code == 1
    assert "host web-1 is FAILED, not READY: no such size" in found.err
    assert "next: setpoint why host/web-1" in found.err


def test_a_whole_that_a_failed_part_degrades_is_not_waited_for(setpoint: Shell, api: FakeApi) -> None:
    api.outcomes["web-1"] = {"state": "FAILED", "reason": "no such size"}
    api.outcomes["web-2"] = {"state": "DEGRADED", "reason": "1 of 2 cannot be changed: web-1"}
    found = setpoint("apply", "-f", "shop.yaml", "-p", "shop", "--yes", "--timeout", "3600")
    assert found.code == 1
    assert "host web-2 is DEGRADED, not READY" in found.err


def test_time_is_up_for_what_is_not_there_yet(setpoint: Shell, api: FakeApi) -> None:
    api.outcomes["web-2"] = {"state": "PENDING", "reason": "creating, usually 12 s"}
    found = setpoint("apply", "-f", "shop.yaml", "-p", "shop", "--yes", "--timeout", "1.5")
    assert (found.code, "host web-2 is PENDING, not READY: creating, usually 12 s" in found.err) == (5, True)


def test_yesterdays_ready_is_not_taken_for_todays(setpoint: Shell, api: FakeApi) -> None:
    api.outcomes["web-2"] = {"observed_generation": 0}
    found = setpoint("apply", "-f", "shop.yaml", "-p", "shop", "--yes", "--timeout", "1.5")
    assert (found.code, "but about older intent (seen generation 0, wanted 1)" in found.err) == (5, True)


def test_no_wait_declares_and_returns(setpoint: Shell, api: FakeApi) -> None:
    api.outcomes["web-2"] = {"state": "PENDING"}
    assert setpoint("apply", "-f", "shop.yaml", "-p", "shop", "--yes", "--no-wait").code == 0


def test_pruning_shows_and_follows_what_is_withdrawn(setpoint: Shell, api: FakeApi) -> None:
    api.objects.append(thing("host", "old-1", owner="shop"))
    api.objects.append(thing("host", "other", owner="somebody-else"))
    found = setpoint("apply", "-f", "shop.yaml", "-p", "shop", "--prune", "--yes", "--timeout", "1.5")
    assert "  - host old-1" in found.out
    assert "other" not in found.out
    assert "host old-1 is READY, not deleted" in found.err
    assert found.code == 5


def test_an_empty_file_is_a_mistake_unless_it_prunes(setpoint: Shell, api: FakeApi) -> None:
    Path("empty.yaml").write_text("\n")
    assert setpoint("apply", "-f", "empty.yaml", "--yes").code == 2
    api.objects.append(thing("host", "old-1", owner="empty"))
    assert "- host old-1" in setpoint("plan", "-f", "empty.yaml", "--prune").out


def test_the_organization_in_a_file_holds_for_the_rest_of_it(setpoint: Shell, api: FakeApi) -> None:
    api.objects = []
    Path("new.yaml").write_text(
        "kind: organization\nmetadata: {name: globex}\n---\nkind: project\nmetadata: {name: p}\n"
    )
    assert setpoint("apply", "-f", "new.yaml", "--yes").code == 0
    sent = next(asked for asked in api.asked if asked.path.endswith("/declarations"))
    assert sent.path == "/v1/organizations/globex/declarations"
    assert sent.body["items"][1]["metadata"]["organization"] == "globex"


def test_ctrl_c_detaches_and_says_how_to_look_again(
    setpoint: Shell, api: FakeApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("setpoint.client.stream.Stream.next", interrupted)
    api.outcomes["web-2"] = {"state": "PENDING"}
    found = setpoint("apply", "-f", "shop.yaml", "-p", "shop", "--yes")
    assert found.code == 130
    assert "setpoint wait host web-2" in found.err
    assert "setpoint pause --scope acme" in found.err


def test_a_live_line_says_what_is_missing_on_a_terminal_only(setpoint: Shell, api: FakeApi) -> None:
    api.outcomes["web-2"] = {"state": "PENDING", "reason": "creating"}
    words = ("apply", "-f", "shop.yaml", "-p", "shop", "--yes", "--timeout", "1.5")
    live = setpoint(*words, terminal=True, COLUMNS="80").err
    assert re.search(r"1 of 2 objects there after \ds; host web-2 is PENDING, not READY: creating", live)
    assert "\x1b" not in setpoint(*words).err


def test_apply_as_json_is_one_document_of_what_was_reached(setpoint: Shell) -> None:
    found = setpoint("apply", "-f", "shop.yaml", "-p", "shop", "--yes", "-o", "json")
    items = json.loads(found.out)["items"]
    assert [item["status"]["state"] for item in items] == ["READY", "READY"]


def test_what_would_be_withdrawn_is_listed_by_name_before_it_is_asked(setpoint: Shell, api: FakeApi) -> None:
    Path("shop.yaml").write_text("")
    api.objects += [thing("host", f"old-{number}", owner="shop") for number in range(30)]
    api.objects += [thing("host", "theirs", owner="other")]
    found = setpoint("apply", "-f", "shop.yaml", "--prune", stdin="n\n", terminal=True, COLUMNS="80")
    before, asked, _ = (found.out + found.err).partition("Apply to acme")
    assert asked
    assert [name for name in (f"old-{number}" for number in range(30)) if name not in before] == []
    assert "theirs" not in before
    assert found.code == 3


def owned(*names: str, owner: str = "shop") -> list[dict[str, object]]:
    return [thing("host", name, spec={"size": "cx32"}, owner=owner) for name in names]


@pytest.mark.parametrize("verb", [("plan",), ("diff",), ("apply", "--yes")])
def test_what_an_owner_no_longer_mentions_is_said(
    setpoint: Shell, api: FakeApi, verb: tuple[str, ...]
) -> None:
    api.objects += owned("web-1", "web-2", *(f"old-{n}" for n in range(11)))
    found = setpoint(*verb, "-f", "shop.yaml", "-p", "shop")
    assert found.code == 0, found
    assert "11 objects of owner shop are no longer mentioned" in found.err
    assert "host old-0, host old-1, host old-2, host old-3, host old-4 and 6 more" in found.err
    (command,) = [line.partition(": ")[2] for line in found.err.splitlines() if "--prune" in line]
    assert command == "setpoint plan -f shop.yaml -p shop --prune"
    pruned = setpoint(*shlex.split(command)[1:])
    assert (pruned.code, "no longer mentioned" in pruned.err) == (3, False)
    assert "11 declarations would change" in pruned.out


@pytest.mark.parametrize("verb", ["plan", "diff"])
def test_taking_over_from_another_owner_is_a_change_and_said(
    setpoint: Shell, api: FakeApi, verb: str
) -> None:
    api.objects += owned("web-1", "web-2", owner="exp1")
    found = setpoint(verb, "-f", "shop.yaml", "-p", "shop")
    assert found.code == (3 if verb == "plan" else 0), "a diff is about fields"
    assert "Takes over 2 objects from owner exp1" in found.err
    asked = setpoint("apply", "-f", "shop.yaml", "-p", "shop", stdin="n\n", terminal=True)
    assert (asked.code, "Nothing was changed." in asked.err) == (3, True)


def test_stdin_takes_nothing_over_and_prunes_for_a_named_owner_only(setpoint: Shell, api: FakeApi) -> None:
    api.objects += owned("web-1", "web-2")
    text = Path("shop.yaml").read_text()
    assert setpoint("diff", "-f", "-", "-p", "shop", stdin=text).code == 0
    assert next(asked.body["owner"] for asked in api.asked if asked.method == "POST") == ""
    refused = setpoint("diff", "-f", "-", "-p", "shop", "--prune", stdin=text)
    assert (refused.code, "--owner NAME" in refused.err) == (2, True)


def test_a_failed_object_is_not_in_step(setpoint: Shell, api: FakeApi) -> None:
    api.objects += owned("web-1")
    api.objects.append(
        thing("host", "web-2", spec={"size": "cx32"}, owner="shop", state="FAILED", reason="no such image")
    )
    found = setpoint("plan", "-f", "shop.yaml", "-p", "shop")
    assert (found.code, "in step" in found.out) == (1, False)
    assert "! host web-2 is FAILED: no such image" in found.out
    assert "setpoint why host/web-2" in found.out
    api.objects[-1]["status"]["state"] = "HELD"
    assert setpoint("plan", "-f", "shop.yaml", "-p", "shop").code == 4


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("projects: [shop]\n", "projects are written by name"),
        ("just some words\n", "a mapping was expected here"),
        ("projects: [shop]\nhosts: {web-1: {size: cx22}}\n", "projects are written by name"),
    ],
)
@pytest.mark.parametrize("more", [(), ("--prune", "--owner", "shop")])
def test_a_file_without_a_declaration_says_what_is_wrong_with_it(
    setpoint: Shell, text: str, says: str, more: tuple[str, ...]
) -> None:
    Path("odd.yaml").write_text(text)
    found = setpoint("plan", "-f", "odd.yaml", *more)
    assert (found.code, found.out) == (2, "")
    assert f"odd.yaml:1:1: {says}" in found.err
