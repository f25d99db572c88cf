"""The governor in virtual time: it finds out what a vendor allows, uses it, and is not refused."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setpoint.providers.governor import MOST, Governor

from .limited import READ, WARM, WRITE, Account, Bucket, Window, backlog, jitter

RECORDS = 6_000
ALLOWED = 5.0
FEW = settings(max_examples=15, deadline=None)


def found_out(vendor: Bucket | Window, seed: int = 0, most: float = 0.02) -> Account:
    """Everything written, however long that takes."""
    account = backlog(Account(Governor(), replace(vendor), jitter(seed, most)), [WRITE] * RECORDS)
    return account.run(2 * RECORDS / ALLOWED)


def used(account: Account, since: float, until: float = math.inf) -> float:
    """Calls per second that got through, until the last one."""
    good = [one.arrived for one in account.done if one.status == 200 and since <= one.arrived < until]
    return len(good) / (max(good) - since)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(
    "vendor",
    [
        Bucket(burst=5, tells=False),
        Bucket(burst=5, tells=False, says_when=False),
        Bucket(burst=10, tells=False),
        Window(5, 1, tells=False),
        Window(5, 1, tells=False, says_when=False),
        Window(50, 10, tells=False),
        Window(5, 1),
    ],
    ids=str,
)
def test_what_nobody_tells_well_enough_is_found_out_and_95_percent_of_it_used(
    vendor: Bucket | Window, seed: int
) -> None:
    account = found_out(vendor, seed)
    assert sum(one.status == 200 for one in account.done) == RECORDS
    assert account.refused(since=WARM) == 0
    assert 0.95 * ALLOWED <= used(account, WARM) <= 1.01 * ALLOWED
    assert account.refused() <= 15


@pytest.mark.parametrize(
    "vendor", [Bucket(burst=10), Bucket(burst=50), Window(50, 10), Window(300, 60)], ids=str
)
def test_where_the_limit_is_told_nothing_is_ever_refused_and_95_percent_is_used(
    vendor: Bucket | Window,
) -> None:
    account = found_out(vendor)
    assert len(account.done) == RECORDS
    assert account.refused() == 0
    assert 0.95 * ALLOWED <= used(account, WARM, 1200) <= 1.01 * ALLOWED


def test_what_is_counted_by_the_minute_takes_ten_of_them_to_find_out() -> None:
    account = found_out(Window(300, 60, tells=False))
    assert account.refused(since=600) == 0
    assert 0.95 * ALLOWED <= used(account, 600) <= 1.01 * ALLOWED


def test_the_budget_of_an_hour_is_spent_fast_at_first_and_never_runs_dry() -> None:
    hetzner = Bucket(rate=1, burst=3600)
    account = backlog(Account(Governor(), hetzner), [WRITE] * 20_000)
    account.run(60)
    assert len(account.done) > 900
    account.run(10_800)
    assert account.refused() == 0
    assert used(account, 7200) == pytest.approx(1.0, abs=0.02)
    assert account.governor.share_left > 0.2


@given(
    calls=st.integers(10, 100),
    seconds=st.integers(2, 90),
    wanted=st.lists(st.floats(0, 200), max_size=300),
    seed=st.integers(0, 1000),
)
@FEW
def test_whatever_is_wanted_when_a_told_window_is_never_overrun(
    calls: int, seconds: int, wanted: list[float], seed: int
) -> None:
    account = Account(Governor(), Window(calls, seconds), jitter(seed, 0.1))
    for at in wanted:
        account.ask(READ, at)
    account.run(2000)
    assert (account.refused(), len(account.done)) == (0, len(wanted))


@given(
    rate=st.floats(0.5, 50),
    burst=st.integers(10, 500),
    wanted=st.lists(st.floats(0, 100), max_size=300),
    seed=st.integers(0, 1000),
)
@FEW
def test_whatever_is_wanted_when_a_told_bucket_is_never_emptied(
    rate: float, burst: int, wanted: list[float], seed: int
) -> None:
    account = Account(Governor(), Bucket(rate, burst), jitter(seed, 0.1))
    for at in wanted:
        account.ask(WRITE, at)
    account.run(5000)
    assert (account.refused(), len(account.done)) == (0, len(wanted))


def test_a_refusal_of_many_calls_under_way_is_one_refusal() -> None:
    """Slow answers: by the time of the first refusal a dozen more are on their way to theirs."""
    account = backlog(Account(Governor(), Bucket(tells=False), lambda: 0.5), [WRITE] * RECORDS).run(300)
    assert used(account, WARM) >= 0.9 * ALLOWED


def test_a_limit_that_is_lowered_is_found_out_again() -> None:
    vendor = Bucket(10, 10, tells=False)
    account = backlog(Account(Governor(), vendor), [WRITE] * RECORDS).run(200)
    vendor.rate = vendor.burst = 5
    account.run(200 + WARM)
    assert account.run(800).refused(since=200 + WARM) <= 1
    assert used(account, 200 + WARM) >= 0.95 * ALLOWED


def test_a_limit_that_is_raised_is_found_out_within_two_hours() -> None:
    vendor = Bucket(1, 1, tells=False)
    account = backlog(Account(Governor(), vendor), [WRITE] * 20_000).run(600)
    vendor.rate = vendor.burst = 1.2
    account.run(2.5 * 3600)
    assert used(account, 2 * 3600) > 1.1
    assert account.refused(since=600) <= 3


def test_a_pace_that_is_not_used_does_not_grow() -> None:
    account = Account(Governor(), Bucket(1000, 1000, tells=False))
    for second in range(0, 600, 2):
        account.ask(READ, float(second))
    backlog(account, [WRITE] * 200, at=600.0).run(601)
    assert len(account.sent(since=600)) <= 12


def test_late_timers_are_made_up_for() -> None:
    late = backlog(Account(Governor(), Bucket(200, 200, tells=False), late=0.004), [WRITE] * RECORDS)
    assert used(late.run(30), 15) >= 0.7 * 200


def test_an_account_that_answers_well_has_no_more_than_so_many_calls_under_way() -> None:
    account = backlog(Account(Governor(), Bucket(9e9, 9e9), lambda: 5.0), [WRITE] * 2_000).run(120)
    under_way = [
        sum(other.sent <= one.sent < other.sent + 10.0 for other in account.done) for one in account.done
    ]
    assert max(under_way) == MOST
