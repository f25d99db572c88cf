"""What the governor promises to those who wait: pauses that are kept, slow starts, no waiting in vain."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setpoint.providers.budget import Answer
from setpoint.providers.governor import FIRST, MOST, Governor
from setpoint.providers.lines import Errand, Ticket

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
    backlog,
    busy,
    let_all_through,
    let_through,
    told,
    told_answer,
)


class TestPauses:
    @pytest.mark.parametrize(
        ("status", "headers"), [(429, {"retry-after": "7"}), (503, {"retry-after": "7"})]
    )
    def test_when_the_vendor_asks_to_be_left_alone_everybody_leaves_it_alone(
        self, status: int, headers: dict[str, str]
    ) -> None:
        governor = Governor()
        first = let_through(governor, READ, 0.0)
        tickets = [governor.join(errand, 0.0) for errand in (READ, WRITE, URGENT, URGENT_WRITE, FOLLOW)]
        governor.answered(first, Answer(status, headers), 1.0)
        assert all(tickets)
        assert governor.admit(7.999) == []
        assert governor.due(1.0) == pytest.approx(7.0)
        assert governor.admit(8.0) != []

    def test_a_shorter_pause_does_not_end_a_longer_one(self) -> None:
        governor = Governor()
        first, second = let_through(governor, READ, 0.0), let_through(governor, READ, 1.0)
        governor.answered(first, Answer(429, {"retry-after": "60"}), 2.0)
        governor.answered(second, Answer(429, {"retry-after": "1"}), 2.0)
        governor.join(READ, 2.0)
        assert governor.due(2.0) == pytest.approx(60.0)

    def test_refusals_that_say_nothing_make_the_pauses_longer_up_to_eight_seconds(self) -> None:
        governor, now, pauses = Governor(), 0.0, []
        for _ in range(6):
            governor.answered(let_through(governor, READ, now), Answer(429, {}), now)
            pauses.append(governor.wait(READ, now))
            now += pauses[-1]
        assert pauses == pytest.approx([1, 2, 4, 8, 8, 8])

    def test_a_refusal_of_all_that_was_under_way_is_one_refusal(self) -> None:
        governor = Governor()
        for second in range(10):
            governor.answered(let_through(governor, READ, float(second)), Answer(200, {}), float(second))
        for ticket in [let_through(governor, READ, 20.0) for _ in range(6)]:
            governor.answered(ticket, Answer(429, {}), 30.0)
        governor.join(READ, 30.0)
        assert governor.due(30.0) == pytest.approx(1.0)
        assert governor.refused == 6

    def test_a_date_is_a_pause_too_on_the_clock_of_the_vendor(self) -> None:
        governor = Governor()
        said = {"date": "Fri, 01 Jan 2027 00:00:00 GMT", "retry-after": "Fri, 01 Jan 2027 00:00:20 GMT"}
        governor.answered(let_through(governor, READ, 5.0), Answer(429, said), 5.0)
        governor.join(READ, 5.0)
        assert governor.due(5.0) == pytest.approx(20.0)


class TestSlowStart:
    def test_it_begins_with_few_calls_and_doubles(self) -> None:
        account = backlog(Account(Governor(), Bucket(1e6, 1e6, tells=False)), BACKLOG).run(5)
        seconds = [len(account.sent(since=second, until=second + 1)) for second in range(5)]
        assert seconds == pytest.approx([10, 20, 40, 80, 160], rel=0.3)

    def test_where_the_vendor_tells_that_it_has_plenty_every_answer_lets_out_one_more(self) -> None:
        account = backlog(Account(Governor(), Bucket(1e6, 1e6), lambda: 0.5), BACKLOG).run(6.5)
        waves = [len(account.sent(since=second, until=second + 1)) for second in range(6)]
        assert waves == pytest.approx([FIRST, 4, 8, 16, 32, MOST], rel=0.3)

    @pytest.mark.parametrize("error", [0, 500, 503])
    @pytest.mark.parametrize("tells", [True, False])
    def test_after_an_outage_it_begins_slowly_again(self, error: int, tells: bool) -> None:
        account = Account(Governor(), Bucket(40, 40, tells=tells), lambda: 0.05)
        account.broken = lambda now: error if 200 <= now < 230 else None
        backlog(account, [WRITE] * 12_000).run(260)
        before = len(account.sent(since=190, until=200)) / 10
        during = len(account.sent(since=205, until=230)) / 25
        again = min(one.sent for one in account.sent(since=230))
        assert before >= 30
        assert during <= 11
        assert len(account.sent(since=again, until=again + 0.2)) <= 10
        assert len(account.sent(since=250, until=260)) / 10 >= 0.9 * before
        assert account.refused(since=190) == 0

    def test_while_it_lasts_few_calls_are_made_however_many_the_budget_has(self) -> None:
        account = Account(Governor(), Bucket(10, 3600), lambda: 0.005)
        account.broken = lambda now: 500 if now >= 5 else None
        backlog(account, BACKLOG).run(30)
        assert len(account.sent(until=5)) >= 1_000
        assert len(account.sent(since=6, until=30)) <= 10 * 24 + 1

    def test_bad_luck_is_no_outage(self) -> None:
        governor = Governor()
        for second in range(10):
            governor.answered(let_through(governor, READ, float(second)), told_answer(50_000, 50_000), second)
        for _ in range(2):
            governor.lost(let_through(governor, READ, 10.0), 10.0)
        for _ in range(MOST):
            governor.join(READ, 11.0)
        assert len(governor.admit(20.0)) == 1
        assert len(let_all_through(governor, 20.0)) == FIRST + 10 - 1

    @pytest.mark.parametrize("tells", [True, False])
    def test_after_a_long_silence_it_begins_slowly_again(self, tells: bool) -> None:
        account = Account(Governor(), Bucket(1e6, 1e6, tells=tells), lambda: 0.2)
        backlog(account, [WRITE] * 1_000).run(20)
        for gap, slowly in ((30.0, False), (90.0, True)):
            at = max(one.arrived for one in account.done) + gap
            backlog(account, [WRITE] * 200, at=at).run(at + 20)
            assert (len(account.sent(since=at, until=at + 0.3)) <= FIRST) == slowly


class TestPatience:
    def test_who_would_wait_too_long_is_told_so_at_once(self) -> None:
        account = busy(Bucket(tells=False))
        waiting = account.governor.waiting
        hurried = Errand(writes=True, patience=10.0)
        wait = account.governor.wait(hurried, WARM)
        assert wait == pytest.approx(waiting / 5, rel=0.1)
        assert account.governor.join(hurried, WARM) is None
        assert f"gets no more calls than it allows; {waiting} are waiting" in account.governor.why(WARM)
        assert (account.governor.turned_away, account.governor.waiting) == (1, waiting)
        assert account.governor.join(Errand(writes=True, urgent=True, patience=10.0), WARM) is not None

    def test_a_pause_longer_than_somebody_can_wait_sends_them_away_and_keeps_the_others(self) -> None:
        governor = Governor()
        first = let_through(governor, READ, 0.0)
        hurried, patient = (governor.join(Errand(writes=True, patience=s), 0.0) for s in (10.0, 100.0))
        governor.answered(first, Answer(429, {"retry-after": "60"}), 1.0)
        assert governor.hopeless() == [hurried]
        assert governor.hopeless() == []
        assert governor.join(Errand(writes=True, patience=10.0), 1.0) is None
        assert governor.wait(READ, 1.0) >= 60.0
        assert "answered 429 and is left alone for 60.0 s more" in governor.why(1.0)
        assert governor.admit(61.0) == [patient]

    def test_before_anything_is_known_nobody_is_sent_away(self) -> None:
        governor = Governor()
        assert all(governor.join(Errand(writes=True, patience=1.0), 0.0) for _ in range(1_000))

    def test_who_leaves_makes_room(self) -> None:
        governor = Governor()
        waiting = governor.join(READ, 0.0)
        assert waiting is not None
        governor.leave(waiting)
        called = [let_through(governor, READ, float(n)) for n in range(FIRST)]
        governor.join(READ, 5.0)
        assert governor.admit(5.0) == []
        governor.leave(called[0])
        assert len(governor.admit(5.0)) == 1
        governor.lost(called[0], 5.0)
        assert governor.waiting == 0


class TestNumbers:
    def test_it_counts_calls_waits_and_refusals(self) -> None:
        account = backlog(Account(Governor(), Bucket(tells=False)), [WRITE] * 50).run(60)
        governor = account.governor
        assert (governor.calls, governor.refused) == (len(account.done), account.refused())
        assert 0 < governor.refused < governor.waits < governor.calls
        assert governor.share_left == 1.0

    def test_it_says_which_share_of_the_budget_is_left(self) -> None:
        assert told(left=250).share_left == 0.25


@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from([READ, WRITE, URGENT, FOLLOW, Errand(writes=True, patience=3.0)]),
            st.sampled_from(["good", "good", "good", "429", "429+", "503", "lost", "leave"]),
            st.floats(0, 2),
        ),
        max_size=120,
    )
)
@settings(max_examples=50, deadline=None)
def test_whatever_happens_everybody_goes_in_order_and_somebody_when_it_is_due(
    steps: list[tuple[Errand, str, float]],
) -> None:
    governor, now = Governor(), 0.0
    under_way: list[Ticket] = []
    written: list[Ticket] = []
    closed = 0.0
    for errand, happens, pause in steps:
        governor.join(errand, now)
        governor.hopeless()
        admitted = governor.admit(now)
        assert not admitted or now >= closed
        under_way += admitted
        assert len(under_way) <= MOST
        if under_way:
            closed = max(closed, answered(governor, under_way.pop(0), happens, now))
        written += [ticket for ticket in admitted if ticket.errand == WRITE]
        now += pause
    assert written == sorted(written, key=lambda ticket: ticket.asked_at)
    for ticket in under_way:
        governor.answered(ticket, Answer(200, {}), now)
    governor.hopeless()
    for _ in itertools.takewhile(lambda _: governor.waiting, range(3 * len(steps))):
        due = governor.due(now)
        assert due is not None
        now += due
        for ticket in governor.admit(now):
            governor.answered(ticket, Answer(200, {}), now)
    assert governor.waiting == 0


def answered(governor: Governor, ticket: Ticket, happens: str, now: float) -> float:
    """Tells the governor, and says until when nobody may call."""
    match happens:
        case "lost":
            governor.lost(ticket, now)
        case "leave":
            governor.leave(ticket)
        case "429+":
            governor.answered(ticket, Answer(429, {"retry-after": "3"}), now)
            return now + 3
        case _:
            governor.answered(ticket, Answer({"good": 200}.get(happens) or int(happens), {}), now)
    return 0.0
