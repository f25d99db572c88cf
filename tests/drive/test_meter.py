"""What is counted, as a scrape shows it."""

from prometheus_client import CollectorRegistry

from setpoint.drive.meter import PrometheusMeter


def test_a_scrape_shows_the_size_of_a_difference_before_any_act() -> None:
    registry = CollectorRegistry()
    meter = PrometheusMeter(registry)
    meter.diff("dns_zone", {"create": 1, "update": 0, "delete": 999})
    deletes = {"kind": "dns_zone", "action": "delete"}
    assert registry.get_sample_value("setpoint_diff_changes", deletes) == 999
    acts = {"kind": "dns_zone", "verb": "delete", "outcome": "done"}
    assert registry.get_sample_value("setpoint_acts_total", acts) is None


def test_acts_holds_and_passes_are_counted_by_how_they_ended() -> None:
    registry = CollectorRegistry()
    meter = PrometheusMeter(registry)
    for _ in range(2):
        meter.acted("host", "create", "done")
        meter.held("host", "delete_budget")
        meter.passed("host", "quiet", -0.1)
    acts = {"kind": "host", "verb": "create", "outcome": "done"}
    assert registry.get_sample_value("setpoint_acts_total", acts) == 2
    holds = {"kind": "host", "guard": "delete_budget"}
    assert registry.get_sample_value("setpoint_holds_total", holds) == 2
    passes = {"kind": "host", "outcome": "quiet"}
    assert registry.get_sample_value("setpoint_pass_duration_seconds_count", passes) == 2
    assert registry.get_sample_value("setpoint_pass_duration_seconds_sum", passes) == 0
