"""The alert rules we ship: each watches something we publish, and says what to do next."""

import re
from importlib.resources import files
from typing import Any

import pytest
import yaml

from setpoint.__main__ import LOCAL
from setpoint.cli.remote import LOCAL_VERBS, VERBS
from setpoint.engine.guards import GUARDS
from setpoint.engine.metrics import METRICS
from setpoint.local import run

TEXT = files("setpoint.drive").joinpath("alerts.yml").read_text()
RULES: list[dict[str, Any]] = yaml.safe_load(TEXT)["groups"][0]["rules"]
LABELS = {metric.name: set(metric.labels) for metric in METRICS}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_a_rule_watches_what_we_publish_by_labels_that_it_has(rule: dict[str, Any]) -> None:
    used = re.findall(r"(setpoint_\w+)(?:\{(\w+)=)?", rule["expr"])
    assert used
    for name, label in used:
        assert name in LABELS
        assert not label or label in LABELS[name]
    shown = set(re.findall(r"\$labels\.(\w+)", str(rule["annotations"])))
    assert shown <= LABELS[used[0][0]]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_a_rule_says_what_is_wrong_and_which_command_comes_next(rule: dict[str, Any]) -> None:
    said = rule["annotations"]
    assert said.keys() == {"summary", "next"}
    assert rule["labels"]["severity"] in ("page", "ticket")
    assert said["next"].endswith(".")
    commands = re.findall(r"`setpoint (\w+)", said["next"])
    assert commands
    assert set(commands) <= {*VERBS, *LOCAL_VERBS}


def test_every_guard_that_a_rule_names_exists() -> None:
    named = set(re.findall(r'guard="(\w+)"', TEXT))
    assert named <= {guard.name for guard in GUARDS}


def test_what_people_must_hear_of_has_a_rule() -> None:
    watched = {name for rule in RULES for name in re.findall(r"setpoint_\w+", rule["expr"])}
    assert watched >= {
        "setpoint_oldest_held_seconds",
        "setpoint_oldest_unconverged_seconds",
        "setpoint_diff_changes",
        "setpoint_unusual_plans_total",
        "setpoint_holds_total",
        "setpoint_false_hold_ratio",
        "setpoint_budget_remaining_ratio",
        "setpoint_start_time_seconds",
    }


def test_the_command_prints_the_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert "alerts" in LOCAL
    assert run("alerts", [], {}) == 0
    assert capsys.readouterr().out == TEXT
