"""What is counted instead of timed: a quiet cycle, a rate limit under backlog, replicas that stand in."""

import pytest

from bench import report
from bench.cycle import budget, quiet
from bench.measure import Figure, Goal, row_of
from bench.scaleout import failover, throughput


def verdicts(figures: list[Figure] | tuple[Figure, ...]) -> list[bool | None]:
    return [row.met for row in map(row_of, figures) if row.judged]


@pytest.mark.parametrize(
    ("figure", "ratio", "met"),
    [
        (Figure("share", 48.0, "/s", Goal(">=", 0.95), beside=50.0), 0.96, True),
        (Figure("share", 40.0, "/s", Goal(">=", 0.95), beside=50.0), 0.8, False),
        (Figure("count", 0.0, "calls", Goal("<=", 0)), None, True),
        (Figure("count", 1.0, "calls", Goal("<=", 0)), None, False),
        (Figure("count", 0.0, "calls", Goal("<=", 0), doubt="nobody looked"), None, None),
        (Figure("told", 7.0, "/s"), None, None),
    ],
)
def test_a_figure_is_judged_as_it_is_or_as_a_share(
    figure: Figure, ratio: float | None, met: bool | None
) -> None:
    row = row_of(figure)
    assert (row.ratio, row.met) == (ratio, met)


def test_what_has_no_goal_is_told_and_counts_for_nothing() -> None:
    told = row_of(Figure("told", 7.0, "/s", doubt="recorded"))
    met = row_of(Figure("count", 0.0, "calls", Goal("<=", 0)))
    assert report.exit_code([told, met]) == report.MET
    assert report.exit_code([told]) == report.MET
    assert "not judged: recorded" in report.table([told])
    assert "7 /s" in report.table([told])


async def test_a_cycle_without_a_change_asks_for_pages_and_writes_nothing() -> None:
    cycle = await quiet.counted(zones=1, records=60)
    assert verdicts(quiet.figures(cycle)) == [True, True, True, True]


def test_a_cycle_that_asks_for_each_record_is_found_out() -> None:
    single = "GET /zones/{id_or_name}/rrsets/{name}/{type}"
    requests = {"GET /zones/{id_or_name}/rrsets": 2 * quiet.LOOKS, single: 60, "POST /zones/a/rrsets": 1}
    assert verdicts(quiet.figures(quiet.Cycle(1, 60, requests, writing_looks=1))) == [
        True,
        False,
        False,
        False,
    ]


def test_a_cycle_in_which_nobody_looked_is_not_judged() -> None:
    assert verdicts(quiet.figures(quiet.Cycle(1, 60, {}, writing_looks=0)))[0] is None


@pytest.mark.parametrize(
    ("windows", "refused", "expected"),
    [
        ((49.0, 50.0, 49.5), 0, [True, True]),
        ((40.0, 41.0, 40.5), 0, [False, True]),
        ((49.0, 50.0, 49.5), 3, [True, False]),
        ((20.0, 50.0, 80.0), 0, [None, True]),
    ],
)
def test_a_limit_is_to_be_used_and_not_overstepped(
    windows: tuple[float, ...], refused: int, expected: list[bool | None]
) -> None:
    assert verdicts(budget.figures(budget.Spent(50, windows, refused))) == expected


async def test_a_limit_under_backlog_is_used_and_nothing_is_refused() -> None:
    spent = await budget.measured(50, windows=2, window=0.5, settled=1.0)
    assert spent.refused == 0
    assert min(spent.windows) > 0


@pytest.mark.parametrize(
    ("first", "undone", "accounts", "expected"),
    [
        (7.9, 0, 8, [True, True]),
        (8.1, 0, 8, [False, True]),
        (7.0, 2, 8, [True, False]),
        (0.0, 0, 0, [None, True]),
    ],
)
def test_a_replica_stands_in_within_the_lease_and_two_renewals(
    first: float, undone: int, accounts: int, expected: list[bool | None]
) -> None:
    taken = failover.Taken(6.0, False, 6.0, first, 9.0, accounts, undone)
    assert verdicts(failover.figures([taken])) == expected


def test_how_much_replicas_do_is_told_beside_the_first_and_not_judged() -> None:
    done = [throughput.Done(1, 20.0, 2.0, 0.5), throughput.Done(2, 30.0, 3.0, 0.9)]
    rows = [row_of(each) for each in throughput.figures(done)]
    assert [row.ratio for row in rows] == [1.0, 1.0, None, 1.5, 1.5, None]
    assert not any(row.judged for row in rows)
