"""Where a line of events or audit belongs: the installation has those that stand above every organization."""

import ast
from pathlib import Path

import pytest

from setpoint.engine.entity import Declared, Ref, Scope
from setpoint.engine.levers import flipped, home_of, is_above_all
from setpoint.engine.rows import Mode, Switch

SOURCE = Path(__file__).parent.parent.parent / "src" / "setpoint"
SHOP = Scope("acme", "shop")
ZONE = Declared(ref=Ref("dns_zone/1"), kind="dns_zone", scope=SHOP, name="z", spec={})
PROJECT = Declared(ref=Ref("project/1"), kind="project", scope=Scope("acme"), name="shop", spec={})
ORGANIZATION = Declared(ref=Ref("organization/1"), kind="organization", scope=Scope(), name="acme", spec={})
OF_ALL = {"api/accounts.py", "api/sessions.py", "api/links.py", "api/me.py", "engine/levers.py"}
"""What writes about people, whom no organization owns, and about levers."""
ITSELF = {"engine/audit.py"}
"""Reads a chain from an empty line; writes none."""


@pytest.mark.parametrize(
    ("key", "about", "home"),
    [
        ("all", None, Scope()),
        ("kind:dns_zone", None, Scope()),
        ("scope:acme", None, Scope("acme")),
        ("scope:acme/shop", None, SHOP),
        ("scope:acme/shop/live", None, Scope("acme", "shop", "live")),
        ("domain:dns_zone/1", ZONE, SHOP),
        ("domain:project/1", PROJECT, SHOP),
        ("domain:organization/1", ORGANIZATION, Scope("acme")),
    ],
)
def test_a_pause_is_told_and_proven_where_it_holds(key: str, about: Declared | None, home: Scope) -> None:
    change = flipped(Switch(key=key, mode=Mode.STOP, by="ann", reason="x", since=1.0, version=1), None, about)
    (event,), (line,) = change.events, change.audit
    assert home_of(key, about) == event.scope == home
    assert event.organization == line.organization == home.organization
    assert is_above_all(event.ref) == (home == Scope())


def test_nothing_else_writes_a_line_for_the_installation() -> None:
    found = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id
            if called not in ("Event", "Audit"):
                continue
            for keyword in node.keywords:
                value = keyword.value
                literal = isinstance(value, ast.Constant) or (
                    isinstance(value, ast.Name) and value.id == "INSTALLATION"
                )
                if keyword.arg == "organization" and literal:
                    found.add(str(path.relative_to(SOURCE)))
    assert found <= OF_ALL | ITSELF
