"""The bench's own arithmetic: what is divided by what, what is too unsteady, and what nobody can judge."""

import json

import pytest

from bench import report
from bench.measure import Comparison, Goal, Row, Slope, answer, slopes, spread

FASTER = Comparison("plan", "ours", Goal(">=", 8), peer="octodns")
NEAR = Comparison("scan", "ours", Goal("<=", 6), floor="numpy")
STEADY = {"ours": [1.0, 2.0, 1.5], "octodns": [10.0, 20.0, 15.0], "numpy": [0.5, 1.0, 0.75]}


def test_what_must_be_large_is_the_peers_cost_over_ours() -> None:
    row = answer(FASTER, STEADY, {})
    assert (row.ours, row.peer, row.floor, row.ratio, row.met) == (1.5, 15.0, None, 10.0, True)


def test_what_must_be_small_is_our_cost_over_the_floor() -> None:
    row = answer(NEAR, STEADY, {})
    assert (row.peer, row.floor, row.ratio, row.met) == (None, 0.75, 2.0, True)


@pytest.mark.parametrize(
    ("goal", "number", "met"),
    [
        (Goal(">=", 8), 8.0, True),
        (Goal(">=", 8), 7.99, False),
        (Goal("<=", 6), 6.0, True),
        (Goal("<=", 6), 6.01, False),
    ],
)
def test_a_goal_is_met_at_its_limit(goal: Goal, number: float, met: bool) -> None:
    assert goal.met_by(number) is met


def test_a_ratio_is_taken_round_by_round_so_that_a_slow_moment_hits_both() -> None:
    row = answer(FASTER, {"ours": [1.0, 5.0, 1.0], "octodns": [9.0, 45.0, 9.0]}, {})
    assert (row.ratio, row.spread) == (9.0, 0.0)


def test_the_spread_is_that_of_the_middle_half() -> None:
    assert spread([10.0, 9.0, 11.0, 10.0, 100.0]) == pytest.approx(0.1)
    assert spread([10.0, 10.0, 10.0]) == 0.0


def test_a_ratio_that_wanders_is_not_judged_however_good_it_is() -> None:
    row = answer(FASTER, {"ours": [1.0] * 5, "octodns": [100.0, 150.0, 200.0, 250.0, 300.0]}, {})
    assert row.met is None
    assert row.doubt == "the ratio wanders by 50%, more than 30%"


def test_a_missing_peer_is_named_and_not_judged() -> None:
    row = answer(FASTER, {"ours": [1.0] * 5}, {"octodns": "No module named 'octodns'"})
    assert (row.met, row.ratio, row.ours) == (None, None, 1.0)
    assert row.doubt == "octodns: No module named 'octodns'"


def test_a_peer_that_is_missing_elsewhere_does_not_matter() -> None:
    assert answer(FASTER, STEADY, {"numpy": "No module named 'numpy'"}).met is True


@pytest.mark.parametrize(("power", "met"), [(0.0, True), (1.0, True), (1.04, True), (1.1, False)])
def test_a_slope_is_the_exponent_of_the_growth(power: float, met: bool) -> None:
    sizes = {"small": 10_000, "middle": 100_000, "large": 1_000_000}
    costs = {name: [3e-9 * size**power] * 5 for name, size in sizes.items()}
    assert slopes(sizes, costs) == pytest.approx([power] * 5)
    row = answer(Slope("grows", sizes, Goal("<=", 1.05)), costs, {})
    assert (row.ratio, row.met) == (pytest.approx(power), met)


def test_a_slope_without_one_of_its_sizes_is_not_judged() -> None:
    sizes = {"small": 100, "middle": 1_000, "large": 10_000}
    row = answer(
        Slope("grows", sizes, Goal("<=", 1)), {"small": [1.0] * 5, "large": [1.0] * 5}, {"middle": "ended"}
    )
    assert (row.met, row.ratio, row.doubt) == (None, None, "middle: ended")


def row(met: bool | None) -> Row:
    return Row("plan", 1e-3, 2.0, None, 2000.0, 0.1, ">= 8", met, "" if met is not None else "no peer")


@pytest.mark.parametrize(
    ("verdicts", "code"),
    [([True, True], 0), ([True, False], 1), ([True, None], 3), ([None, False], 1), ([], 3)],
)
def test_what_cannot_be_judged_is_no_pass(verdicts: list[bool | None], code: int) -> None:
    assert report.exit_code(row(met) for met in verdicts) == code


def test_the_table_says_cannot_judge_and_why() -> None:
    table = report.table([row(True), row(None)])
    assert "cannot judge: no peer" in table
    assert "1 ms" in table


def test_the_json_has_the_rows_as_they_were_measured() -> None:
    said = json.loads(report.as_json("diff", 5, [row(True)]))["rows"]
    named = {"name", "ours", "peer", "floor", "ratio", "goal", "met"}
    assert named <= said[0].keys()
    assert (said[0]["ours"], said[0]["met"]) == (1e-3, True)


@pytest.mark.parametrize(
    ("cost", "said"), [(None, "-"), (2.5, "2.5 s"), (0.0125, "12.5 ms"), (8.1e-6, "8.1 us"), (5e-8, "50 ns")]
)
def test_a_cost_is_said_in_the_unit_people_use(cost: float | None, said: str) -> None:
    assert report.seconds(cost) == said
