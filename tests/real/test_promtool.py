"""Prometheus's own checker, as Debian ships it, has nothing to say about our metrics and our alert rules."""

import re
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest
import yaml

from real.parts import part
from setpoint.drive.meter import Tally
from setpoint.engine.entity import Ref, Scope, State

pytestmark = pytest.mark.real
RULES = files("setpoint.drive").joinpath("alerts.yml")

Series = dict[str, str]
FIRING: dict[str, tuple[Series, str]] = {
    "SetpointPlanHeld": ({"setpoint_oldest_held_seconds{kind='host'}": "0+60x90"}, "20m"),
    "SetpointNotConverging": ({"setpoint_oldest_unconverged_seconds{kind='host'}": "0+60x90"}, "35m"),
    "SetpointDrift": ({"setpoint_drift_age_seconds{kind='host'}": "0+60x90"}, "35m"),
    "SetpointDeleteSpike": ({"setpoint_diff_changes{kind='host',action='delete'}": "11x90"}, "1m"),
    "SetpointUnusualPlan": ({"setpoint_unusual_plans_total{kind='host'}": "0 0 1x90"}, "5m"),
    "SetpointFailureBrake": ({"setpoint_holds_total{kind='host',guard='failure_brake'}": "0+1x90"}, "5m"),
    "SetpointActsFail": (
        {
            "setpoint_acts_total{kind='host',verb='create',outcome='failed'}": "0+2x90",
            "setpoint_acts_total{kind='host',verb='create',outcome='done'}": "0+2x90",
        },
        "20m",
    ),
    "SetpointContested": ({"setpoint_holds_total{kind='host',guard='contested'}": "0+1x90"}, "5m"),
    "SetpointFalseHolds": (
        {
            "setpoint_false_hold_ratio{kind='host'}": "0.5x90",
            "setpoint_holds_ended_total{kind='host',guard='weight',verdict='false'}": "5x90",
            "setpoint_holds_ended_total{kind='host',guard='weight',verdict='right'}": "5x90",
        },
        "80m",
    ),
    "SetpointBudgetNearlySpent": ({"setpoint_budget_remaining_ratio{budget='tenant'}": "0.05x90"}, "5m"),
    "SetpointNotScraped": ({"something_else{job='other'}": "1x90"}, "10m"),
}
QUIET: Series = {
    "setpoint_start_time_seconds": "1x90",
    "setpoint_oldest_held_seconds{kind='host'}": "600x90",
    "setpoint_oldest_unconverged_seconds{kind='host'}": "600x90",
    "setpoint_drift_age_seconds{kind='host'}": "600x90",
    "setpoint_diff_changes{kind='host',action='delete'}": "10x90",
    "setpoint_diff_changes{kind='host',action='create'}": "900x90",
    "setpoint_unusual_plans_total{kind='host'}": "3x90",
    "setpoint_holds_total{kind='host',guard='weight'}": "0+1x90",
    "setpoint_acts_total{kind='host',verb='create',outcome='failed'}": "0+1x90",
    "setpoint_acts_total{kind='host',verb='create',outcome='done'}": "0+9x90",
    "setpoint_false_hold_ratio{kind='host'}": "0.5x90",
    "setpoint_holds_ended_total{kind='host',guard='weight',verdict='false'}": "2x90",
    "setpoint_holds_ended_total{kind='host',guard='weight',verdict='right'}": "2x90",
    "setpoint_budget_remaining_ratio{budget='tenant'}": "0.2x90",
}


def promtool(*words: str, given: str = "") -> str:
    """What it says; the service that comes in the same package is not needed."""
    program = part("promtool", "prometheus")
    done = subprocess.run(  # noqa: S603 - our own words
        [program, *words], input=given, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_it_accepts_every_alert_rule() -> None:
    assert f"SUCCESS: {len(FIRING)} rules found" in promtool("check", "rules", str(RULES))


def firing(tmp_path: Path, series: Series, at: str) -> set[str]:
    """Which alerts fire: the checker is told to expect none, and complains of each that did."""
    test = {
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "alert_rule_test": [{"eval_time": at, "alertname": name, "exp_alerts": []} for name in FIRING],
    }
    file = tmp_path / "expectations.yml"
    file.write_text(yaml.safe_dump({"rule_files": [str(RULES)], "tests": [test]}))
    words = [part("promtool", "prometheus"), "test", "rules", str(file)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603 - our own words
    fired = set(re.findall(r"alertname: ?(\w+)", done.stdout + done.stderr))
    assert done.returncode == bool(fired), done.stdout + done.stderr
    return fired


@pytest.mark.parametrize("alert", FIRING)
def test_a_rule_fires_when_it_should(alert: str, tmp_path: Path) -> None:
    series, at = FIRING[alert]
    scraped = {} if alert == "SetpointNotScraped" else {"setpoint_start_time_seconds": "1x90"}
    assert firing(tmp_path, scraped | series, at) == {alert}


def test_no_rule_fires_while_all_is_well(tmp_path: Path) -> None:
    assert firing(tmp_path, QUIET, "80m") == set()


def test_it_finds_nothing_to_improve_in_what_we_publish() -> None:
    tally = Tally(lambda: 1_000_000.0)
    tally.diff("host", Ref("host/web-1"), {"create": 1, "update": 2, "delete": 3})
    tally.unusual("host")
    tally.passed("host", "quiet", 0.2, Scope())
    tally.acted("host", "create", "done")
    tally.held("host", 'a "quoted" \\ guard\n')
    tally.hold_ended("host", "weight", false=True)
    tally.converged("host", 7.0)
    tally.put_back("host", 90_000.0)
    tally.standing("host", "host/a", State.HELD, 999_000.0, drift_since=999_500.0)
    tally.budget("installation", 0.25)
    tally.provider("hetzner", "list", "done")
    assert promtool("check", "metrics", given=tally.render()) == ""
