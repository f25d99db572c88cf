"""A verb that a token can never do says so with exit code 6; it never says that there is nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from setpoint.cli.exits import Exit
from setpoint.cli.remote import VERBS

from .conftest import Result, Shell
from .planes import Plane, plane

ACME = """\
kind: organization
metadata: {name: acme}
---
kind: project
metadata: {name: shop}
---
kind: provider
metadata: {name: hetzner}
spec: {family: hetzner_cloud, credential: secret://hetzner, endpoint: "http://127.0.0.1:9/v1"}
---
kind: dns_zone
metadata: {name: example-org, project: shop}
spec: {provider: hetzner, domain: example.org}
"""
ZONE = ACME.rpartition("---\n")[2]
OPEN = {
    *("contexts", "login", "logout", "sessions", "account", "version"),
    *("kinds", "explain", "can-i", "roles", "fmt", "loops", "replay"),
}
"""Verbs about oneself, this machine, or what everybody may know; `replay` reads what `passes` lists."""
REFUSED = {
    "get": ("get", "providers"),
    "describe": ("describe", "provider", "hetzner"),
    "why": ("why", "provider/hetzner"),
    "plan": ("plan",),
    "apply": ("apply", "-f", "-", "--yes"),
    "diff": ("diff", "-f", "-"),
    "export": ("export",),
    "approve": ("approve", "01h8p3k2c9e4", "--reason", "x", "--yes"),
    "reject": ("reject", "01h8p3k2c9e4"),
    "pause": ("pause", "--all", "--reason", "x"),
    "resume": ("resume", "--all"),
    "release": ("release", "provider", "hetzner"),
    "adopt": ("adopt", "provider", "hetzner"),
    "protect": ("protect", "provider", "hetzner", "x", "--reason", "x"),
    "delete": ("delete", "provider", "hetzner", "--yes"),
    "watch": ("watch",),
    "wait": ("wait", "provider", "hetzner"),
    "passes": ("passes",),
    "rehearse": ("rehearse", "delete_budget.share=0.5"),
    "tasks": ("tasks",),
    "operations": ("operations",),
    "cancel": ("cancel", "01h8p3k2c9e4", "--reason", "x"),
    "retry": ("retry", "01h8p3k2c9e4", "--reason", "x"),
    "webhook": ("webhook", "deliveries", "hooks"),
    "history": ("history", "provider", "hetzner"),
    "events": ("events",),
    "audit": ("audit",),
    "who-can": ("who-can", "delete", "host"),
    "role": ("role", "remove", "made", "--yes"),
    "member": ("member", "list"),
    "outbox": ("outbox",),
    "token": ("token", "list"),
    "key": ("key", "list", "-p", "shop", "-w", "prod"),
    "organization": ("organization", "standing", "acme"),
    "secret": ("secret", "list"),
}
"""For each verb, a command that the role `billing` can never do."""


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Plane]:
    with plane(tmp_path_factory.mktemp("here")) as found:
        assert found.setpoint("apply", "-f", "-", "--yes", "--no-wait", stdin=ACME).code == Exit.DONE
        yield found


def as_role(here: Plane, name: str, *words: str) -> Shell:
    made = here.setpoint("token", "create", name, "--role", *words)
    assert made.code == Exit.DONE, made.err
    return Shell({**here.setpoint.environment, "SETPOINT_TOKEN": made.out.strip()})


def test_every_verb_is_open_or_refused() -> None:
    assert set(REFUSED) | OPEN == set(VERBS)
    assert not set(REFUSED) & OPEN


@pytest.fixture(scope="module")
def billing(here: Plane) -> Shell:
    return as_role(here, "bill", "billing")


def said(result: Result) -> str:
    return result.err.lower()


@pytest.mark.parametrize("verb", sorted(REFUSED))
def test_a_verb_that_a_token_can_never_do_says_so(billing: Shell, verb: str) -> None:
    found = billing(*REFUSED[verb], stdin=ZONE)
    assert (found.code, found.out) == (Exit.REFUSED, ""), found
    assert "bill may not" in said(found)


def test_a_stranger_learns_nothing(here: Plane) -> None:
    declared = "kind: organization\nmetadata: {name: other}\n"
    assert here.setpoint("apply", "-f", "-", "--yes", "--no-wait", stdin=declared).code == Exit.DONE
    made = here.setpoint("token", "create", "spy", "--role", "owner", "-O", "other")
    spy = Shell({**here.setpoint.environment, "SETPOINT_TOKEN": made.out.strip()})
    for words in (("secret", "list"), ("get", "providers"), ("get", "provider", "hetzner"), ("events",)):
        there, absent = spy(*words), spy(*words, "-O", "nowhere")
        assert there.code == absent.code == Exit.FAILED, there
        assert there.err.replace("acme", "nowhere") == absent.err


def test_what_lies_above_a_role_is_refused_and_not_empty(here: Plane) -> None:
    shop = as_role(here, "con", "member", "-p", "shop")
    found = shop("get", "providers")
    assert (found.code, found.out) == (Exit.REFUSED, "")
    every = shop("get", "all")
    assert every.code == Exit.DONE
    assert "example-org" in every.out
    assert "not shown: con may not read organization.provider in acme" in every.err


def test_a_member_can_declare_and_is_told_what_may_not_be_seen(here: Plane, tmp_path: Path) -> None:
    meg = as_role(here, "meg", "member")
    file = tmp_path / "zone.yaml"
    file.write_text(ZONE.replace("example-org", "second").replace("example.org", "example.net"))
    applied = meg("apply", "-f", str(file), "--yes", "--no-wait", "--prune")
    assert applied.code == Exit.DONE, applied
    file.write_text(ZONE)
    pruned = meg("plan", "-f", str(file), "--prune")
    assert pruned.code == Exit.REFUSED, pruned
