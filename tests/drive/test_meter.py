"""What is counted, as a scrape shows it."""

from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.fake_runtime import FakeRuntime
from scrape import Scrape, scrape
from setpoint.drive.exposition import exposition
from setpoint.drive.meter import PEAK_SECONDS, SERIES_AT_MOST, Tally
from setpoint.engine.entity import Ref, Scope, State
from setpoint.engine.metrics import METRICS, WAIT_BUCKETS
from setpoint.engine.runtime import Meter, Sizes

ZONE, OTHER, HOST = Ref("dns_zone/one"), Ref("dns_zone/two"), Ref("host/web-1")


class Counter:
    """A tally, its clock, and what a scrape of it says now."""

    def __init__(self) -> None:
        self.runtime = FakeRuntime()
        self.tally = Tally(self.runtime.now)

    def scrape(self) -> Scrape:
        return scrape(self.tally.render())


@pytest.fixture
def counter() -> Counter:
    return Counter()


def deletes(number: int) -> Sizes:
    return {"create": 0, "update": 0, "delete": number}


def test_a_scrape_shows_the_size_of_a_difference_before_any_act(counter: Counter) -> None:
    meter: Meter = counter.tally
    meter.diff("dns_zone", ZONE, {"create": 1, "update": 0, "delete": 999})
    seen = counter.scrape()
    assert seen.value("setpoint_diff_changes", kind="dns_zone", action="delete") == 999
    assert seen.value("setpoint_diff_changes", kind="dns_zone", action="create") == 1
    assert seen.labels("setpoint_acts_total") == []


def test_a_spike_is_still_visible_when_the_next_domain_of_its_kind_is_quiet(counter: Counter) -> None:
    counter.tally.diff("dns_zone", ZONE, deletes(999))
    counter.tally.diff("dns_zone", ZONE, deletes(0))
    counter.tally.diff("dns_zone", OTHER, deletes(0))
    counter.runtime.pass_by(PEAK_SECONDS)
    counter.tally.diff("dns_zone", ZONE, deletes(0))
    assert counter.scrape().value("setpoint_diff_changes", kind="dns_zone", action="delete") == 999
    counter.runtime.pass_by(PEAK_SECONDS)
    counter.tally.diff("dns_zone", ZONE, deletes(3))
    assert counter.scrape().value("setpoint_diff_changes", kind="dns_zone", action="delete") == 3


def test_a_difference_that_is_rarely_looked_for_stays_until_it_is_looked_for_again(counter: Counter) -> None:
    counter.tally.diff("dns_zone", ZONE, deletes(7))
    counter.runtime.pass_by(100 * PEAK_SECONDS)
    assert counter.scrape().value("setpoint_diff_changes", kind="dns_zone", action="delete") == 7
    counter.tally.diff("dns_zone", ZONE, deletes(0))
    assert counter.scrape().value("setpoint_diff_changes", kind="dns_zone", action="delete") == 0


def test_a_difference_that_was_closed_does_not_stay_until_the_next_look(counter: Counter) -> None:
    counter.tally.diff("dns_zone", ZONE, deletes(60))
    counter.tally.diff("dns_zone", ZONE, deletes(0))
    counter.runtime.pass_by(2 * PEAK_SECONDS)
    assert counter.scrape().value("setpoint_diff_changes", kind="dns_zone", action="delete") == 0


@pytest.mark.parametrize("leave", [Tally.forget, lambda tally, ref: tally.gone("dns_zone", ref)])
def test_what_is_not_ours_any_more_is_counted_no_more(
    counter: Counter, leave: Callable[[Tally, Ref], None]
) -> None:
    counter.tally.diff("dns_zone", ZONE, deletes(60))
    counter.tally.standing("dns_zone", ZONE, "HELD", 0.0)
    leave(counter.tally, ZONE)
    counter.runtime.pass_by(2 * PEAK_SECONDS)
    seen = counter.scrape()
    assert seen.value("setpoint_diff_changes", kind="dns_zone", action="delete") == 0
    assert seen.value("setpoint_plans_held", kind="dns_zone") == 0


def test_whatever_happened_is_counted_by_how_it_ended(counter: Counter) -> None:
    for _ in range(2):
        counter.tally.acted("host", "create", "done")
        counter.tally.held("host", "delete_budget")
        counter.tally.unusual("host")
        counter.tally.provider("hetzner", "list", "done")
    seen = counter.scrape()
    assert seen.value("setpoint_acts_total", kind="host", verb="create", outcome="done") == 2
    assert seen.value("setpoint_holds_total", kind="host", guard="delete_budget") == 2
    assert seen.value("setpoint_unusual_plans_total", kind="host") == 2
    assert seen.value("setpoint_provider_calls_total", provider="hetzner", verb="list", outcome="done") == 2


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("setpoint_pass_duration_seconds", {"kind": "host", "outcome": "quiet"}),
        ("setpoint_convergence_seconds", {"kind": "host"}),
        ("setpoint_drift_seconds", {"kind": "host"}),
    ],
)
def test_durations_fall_into_buckets(counter: Counter, name: str, labels: dict[str, str]) -> None:
    tell = {
        "setpoint_pass_duration_seconds": lambda seconds: counter.tally.passed(
            "host", "quiet", seconds, Scope()
        ),
        "setpoint_convergence_seconds": lambda seconds: counter.tally.converged("host", seconds),
        "setpoint_drift_seconds": lambda seconds: counter.tally.put_back("host", seconds),
    }[name]
    for seconds in (-3.0, 0.25, 0.3, 1e6):
        tell(seconds)
    seen = counter.scrape()
    buckets = [seen.value(f"{name}_bucket", le=le, **labels) for le in ("0.1", "0.25", "0.5", "60.0", "+Inf")]
    assert buckets == [1, 2, 3, 3, 4]
    assert seen.value(f"{name}_count", **labels) == 4
    assert seen.value(f"{name}_sum", **labels) == pytest.approx(1e6 + 0.55)


def test_waiting_is_measured_from_a_tenth_of_a_second_to_a_day() -> None:
    assert (WAIT_BUCKETS[0], WAIT_BUCKETS[-1]) == (0.1, 86400.0)


def test_what_everything_is_now_is_counted_when_somebody_asks(counter: Counter) -> None:
    start = counter.runtime.now()
    for ref in ("host/a", "host/b", "host/c"):
        counter.tally.standing("host", ref, State.PENDING, start)
    counter.tally.standing("host", "host/a", State.READY, start + 5)
    counter.tally.standing("host", "host/b", State.HELD, start + 10, drift_since=start + 2)
    counter.tally.standing("dns_zone", "dns_zone/z", State.READY, start)
    counter.runtime.pass_by(60)
    seen = counter.scrape()
    states = {state: seen.value("setpoint_entities", kind="host", state=state) for state in State}
    assert states == {"PENDING": 1, "READY": 1, "DEGRADED": 0, "HELD": 1, "FAILED": 0}
    assert seen.value("setpoint_oldest_unconverged_seconds", kind="host") == 60
    assert seen.value("setpoint_oldest_held_seconds", kind="host") == 50
    assert seen.value("setpoint_drift_age_seconds", kind="host") == 58
    assert seen.value("setpoint_held_ratio", kind="host") == pytest.approx(1 / 3)
    assert seen.value("setpoint_plans_held", kind="host") == 1
    assert seen.value("setpoint_oldest_unconverged_seconds", kind="dns_zone") == 0


def test_what_is_gone_or_put_right_is_no_longer_counted(counter: Counter) -> None:
    start = counter.runtime.now()
    counter.tally.standing("host", "host/a", State.READY, start, drift_since=start)
    counter.tally.standing("host", "host/b", State.FAILED, start + 10)
    counter.tally.standing("host", "host/c", State.READY, start)
    counter.runtime.pass_by(60)
    assert counter.scrape().value("setpoint_drift_age_seconds", kind="host") == 60
    assert counter.scrape().value("setpoint_oldest_unconverged_seconds", kind="host") == 50
    counter.tally.standing("host", "host/a", State.READY, start)
    counter.tally.gone("host", "host/b")
    counter.tally.gone("host", "host/c")
    counter.tally.gone("host", "host/never-there")
    seen = counter.scrape()
    assert seen.value("setpoint_entities", kind="host", state="READY") == 1
    assert seen.value("setpoint_entities", kind="host", state="FAILED") == 0
    for age in ("setpoint_drift_age_seconds", "setpoint_oldest_unconverged_seconds"):
        assert seen.value(age, kind="host") == 0


def test_the_share_of_false_holds_is_by_kind_over_all_guards(counter: Counter) -> None:
    for guard, false in (
        ("shrunken", True),
        ("shrunken", False),
        ("delete_budget", False),
        ("weight", False),
    ):
        counter.tally.hold_ended("dns_zone", guard, false=false)
    counter.tally.hold_ended("host", "weight", false=True)
    seen = counter.scrape()
    assert seen.value("setpoint_false_hold_ratio", kind="dns_zone") == 0.25
    assert seen.value("setpoint_false_hold_ratio", kind="host") == 1.0
    ended = "setpoint_holds_ended_total"
    assert seen.value(ended, kind="dns_zone", guard="shrunken", verdict="false") == 1
    assert seen.value(ended, kind="dns_zone", guard="shrunken", verdict="right") == 1


def test_the_first_unusual_plan_of_a_kind_is_a_step_that_a_rate_can_see(counter: Counter) -> None:
    counter.tally.diff("host", HOST, deletes(0))
    assert counter.scrape().value("setpoint_unusual_plans_total", kind="host") == 0
    counter.tally.unusual("host")
    counter.tally.diff("host", HOST, deletes(0))
    assert counter.scrape().value("setpoint_unusual_plans_total", kind="host") == 1


def test_when_counting_began_is_there_from_the_first_scrape_on(counter: Counter) -> None:
    began = counter.runtime.now()
    counter.runtime.pass_by(60)
    assert counter.scrape().value("setpoint_start_time_seconds") == began


def test_a_budget_shows_what_is_left_of_it_now(counter: Counter) -> None:
    counter.tally.budget("installation", 1.0)
    counter.tally.budget("installation", 0.125)
    assert counter.scrape().value("setpoint_budget_remaining_ratio", budget="installation") == 0.125


def test_no_label_grows_without_bound_and_nothing_goes_uncounted(counter: Counter) -> None:
    times = SERIES_AT_MOST + 50
    for number in range(times):
        counter.tally.held("host", f"guard-{number}")
        counter.tally.converged(f"kind-{number}", 1.0)
        counter.tally.budget(f"budget-{number}", 0.5)
        counter.tally.diff(f"kind-{number}", ZONE, deletes(1))
    counter.tally.held("host", "guard-0")
    seen = counter.scrape()
    for name in ("setpoint_holds_total", "setpoint_convergence_seconds_count", "setpoint_diff_changes"):
        assert len(seen.labels(name)) <= SERIES_AT_MOST + 3
    assert seen.value("setpoint_holds_total", kind="host", guard="guard-0") == 2
    assert seen.value("setpoint_holds_total", kind="other", guard="other") == 50
    assert len(seen.labels("setpoint_budget_remaining_ratio")) == SERIES_AT_MOST + 1


def test_no_sample_names_an_entity(counter: Counter) -> None:
    counter.tally.standing("host", "host/secret-id", State.FAILED, 0.0)
    assert "secret-id" not in counter.tally.render()


def test_every_metric_is_described_before_it_has_counted_anything() -> None:
    text = exposition({})
    lines = text.splitlines()
    for metric in METRICS:
        assert f"# HELP {metric.name} {metric.help}" in lines
        assert f"# TYPE {metric.name} {metric.sort}" in lines
    assert text.endswith("\n")


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_a_metric_is_named_after_its_unit_and_has_its_sentence(metric: object) -> None:
    row = next(each for each in METRICS if each is metric)
    assert row.name.startswith("setpoint_")
    assert row.name.endswith("_total") == (row.sort == "counter")
    assert bool(row.buckets) == (row.sort == "histogram")
    assert row.buckets == tuple(sorted(set(row.buckets)))
    assert row.help.endswith(".")
    assert not {"id", "ref", "name", "item", "le"} & set(row.labels)


def test_no_two_metrics_share_a_name() -> None:
    assert len({metric.name for metric in METRICS}) == len(METRICS)


@given(st.text(), st.text())
@example("a\nb", "c\\n")
@example('"quoted"', "back\\slash")
def test_any_label_value_comes_back_as_it_went_in(guard: str, kind: str) -> None:
    text = exposition({"setpoint_holds_total": {(kind, guard): 3.0}})
    assert scrape(text).value("setpoint_holds_total", kind=kind, guard=guard) == 3.0
