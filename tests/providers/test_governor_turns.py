"""Whose turn it is and what they may spend: lines, the reserve, and budgets that are told."""

import pytest

from setpoint.providers.budget import Answer
from setpoint.providers.governor import Governor
from setpoint.providers.lines import Errand

from .limited import (
    BACKLOG,
    FOLLOW,
    READ,
    URGENT,
    URGENT_WRITE,
    WARM,
    WRITE,
    Account,
    Bucket,
    Window,
    backlog,
    busy,
    let_through,
    told,
    told_answer,
)

BLIND = [Bucket(tells=False), Window(tells=False)]
TOLD = [Bucket(burst=20), Window(50, 10)]


def sent(account: Account, errand: Errand) -> list[float]:
    return [one.sent for one in account.done if one.errand == errand]


class TestTurns:
    @pytest.mark.parametrize("vendor", [*BLIND, *TOLD], ids=str)
    @pytest.mark.parametrize("errand", [URGENT, URGENT_WRITE])
    def test_an_urgent_call_waits_a_second_at_most_behind_thousands(
        self, vendor: Bucket | Window, errand: Errand
    ) -> None:
        account = busy(vendor)
        for number in range(20):
            account.ask(errand, WARM + 3.7 * number)
        account.run(WARM + 80)
        waits = [one.sent - one.asked for one in account.done if one.errand == errand]
        assert len(waits) == 20
        # A window that is used up is used up for urgent callers too.
        assert max(waits) <= (1.0 if not isinstance(vendor, Window) or vendor.seconds == 1 else 2.0)

    @pytest.mark.parametrize("vendor", [*BLIND, *TOLD], ids=str)
    def test_reads_go_on_while_writes_are_backlogged_and_the_other_way_round(
        self, vendor: Bucket | Window
    ) -> None:
        account = backlog(busy(vendor), [READ] * 3_000, at=WARM).run(WARM + 200)
        reads, writes = (len([at for at in sent(account, one) if at >= WARM]) for one in (READ, WRITE))
        assert reads == pytest.approx(writes, rel=0.05)

    def test_a_share_that_is_not_used_goes_to_the_others(self) -> None:
        account = backlog(Account(Governor(), Bucket(tells=False)), [READ] * 3_000).run(500)
        assert len(account.sent(since=WARM)) >= 0.95 * 5 * (500 - WARM)

    def test_even_a_flood_of_urgent_calls_leaves_the_others_a_share(self) -> None:
        account = backlog(busy(Bucket(tells=False)), [URGENT] * 3_000, at=WARM).run(WARM + 200)
        urgent, others = (len([at for at in sent(account, one) if at >= WARM]) for one in (URGENT, WRITE))
        assert urgent == pytest.approx(4 * others, rel=0.05)

    def test_what_was_begun_is_followed_before_anything_is_begun(self) -> None:
        account = busy(Bucket(tells=False))
        account.ask(FOLLOW, WARM)
        account.run(WARM + 2)
        assert sent(account, FOLLOW)[0] - WARM <= 0.5

    def test_inside_a_line_the_first_to_come_is_the_first_to_go(self) -> None:
        account = Account(Governor(), Bucket(tells=False))
        for number in range(200):
            account.ask(Errand(writes=number % 2 == 0, patience=1000.0 + number), number / 1000)
        account.run(100)
        for writes in (True, False):
            order = [one.errand.patience for one in account.done if one.errand.writes is writes]
            assert list(dict.fromkeys(order)) == sorted(set(order))


class TestReserve:
    def test_urgent_calls_go_at_once_where_others_have_spent_what_was_theirs(self) -> None:
        """Hetzner's hour, spent down to where it settles: the others get one call a second."""
        account = backlog(Account(Governor(), Bucket(rate=1, burst=3600)), [WRITE] * 20_000).run(7200)
        left = account.governor.share_left
        backlog(account, [URGENT] * 100, at=7200.0).run(7300)
        assert sent(account, URGENT)[-1] - 7200 <= 50
        assert account.refused() == 0
        assert left > 0.1

    def test_below_the_reserve_only_urgent_callers_go(self) -> None:
        governor = told(left=95)
        assert governor.join(WRITE, 0.0)
        urgent = governor.join(URGENT, 0.0)
        assert governor.admit(7.0) == [urgent]
        assert governor.admit(29.0) == []

    def test_the_reserve_is_not_left_over_when_the_window_ends(self) -> None:
        account = backlog(Account(Governor(), Window(300, 60)), BACKLOG).run(600)
        full = [len([1 for one in account.done if 60 * n <= one.arrived < 60 * (n + 1)]) for n in range(1, 9)]
        assert min(full) >= 0.98 * 300

    def test_with_nothing_left_a_call_now_and_then_finds_out_whether_there_is_again(self) -> None:
        governor = told(left=0)
        ticket = governor.join(WRITE, 0.0)
        assert governor.admit(29.0) == []
        assert governor.admit(31.0) == [ticket]


class TestBudget:
    def test_an_answer_that_was_overtaken_cannot_raise_what_is_left(self) -> None:
        governor = Governor()
        first, second = let_through(governor, READ, 0.0), let_through(governor, READ, 1.0)
        governor.answered(second, told_answer(400), 2.0)
        governor.answered(first, told_answer(450), 3.0)
        assert governor.share_left == 0.4

    def test_a_vendor_that_stops_telling_is_no_longer_gone_by_what_it_told(self) -> None:
        governor = told(left=10)
        for moment, share in ((100.0, 0.01), (4000.0, 1.0)):
            governor.answered(let_through(governor, READ, moment), Answer(200, {}), moment)
            assert governor.share_left == share

    def test_with_nothing_left_the_reset_is_waited_for_and_no_longer(self) -> None:
        governor = told(left=0, reset=5)
        ticket = governor.join(WRITE, 0.0)
        assert governor.due(0.0) == pytest.approx(5.0)
        assert governor.admit(5.0) == [ticket]

    def test_calls_that_are_under_way_count_as_spent(self) -> None:
        account = backlog(Account(Governor(), Window(20, 60), lambda: 4.0), BACKLOG).run(900)
        assert account.refused() == 0
        assert len(account.done) >= 0.9 * 15 * 20
