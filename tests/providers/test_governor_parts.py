"""What the governor is made of: budgets as vendors tell them, a pace that is tried out, lines in turn."""

import math
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setpoint.providers.budget import DAY, Answer, Budget, answered, at, bearable, heard, told
from setpoint.providers.lines import Errand, Line, Lines, Ticket
from setpoint.providers.pace import START, Pace, after_answer, after_outage, after_refusal

DATE = "Thu, 17 Feb 2022 15:17:56 GMT"
MOMENT = 1_645_111_076
ERRANDS = {
    Line.URGENT_READS: Errand(writes=False, urgent=True),
    Line.URGENT_WRITES: Errand(writes=True, urgent=True),
    Line.BEGUN: Errand(writes=False, begun=True),
    Line.READS: Errand(writes=False),
    Line.WRITES: Errand(writes=True),
}


def says(**headers: str) -> Answer:
    named = {f"RateLimit-{word}": value for word, value in headers.items() if word != "Date"}
    return answered(200, named | ({"Date": headers["Date"]} if "Date" in headers else {}))


class TestTold:
    def test_a_moment_is_read_on_the_clock_of_the_vendor(self) -> None:
        said = says(Limit="3600", Remaining="3576", Reset=str(MOMENT + 19), Date=DATE)
        budget = told(said, now=7.0)
        assert budget is not None
        assert (budget.limit, budget.left, budget.resets_at) == (3600, 3576, 26.0)

    def test_a_small_number_is_a_duration(self) -> None:
        budget = told(says(Limit="300, 300;w=60", Remaining="280", Reset="53"), now=7.0)
        assert budget is not None
        assert (budget.limit, budget.left, budget.resets_at) == (300, 280, 60.0)

    @pytest.mark.parametrize(
        "headers",
        [
            {},
            {"Limit": "100", "Remaining": "50"},
            {"Limit": "many", "Remaining": "50", "Reset": "5"},
            {"Limit": "100", "Remaining": "-1", "Reset": "5"},
            {"Limit": "100", "Remaining": "nan", "Reset": "5"},
            {"Limit": "100", "Remaining": "50", "Reset": str(MOMENT)},
            {"Limit": "100", "Remaining": "50", "Reset": str(MOMENT), "Date": "yesterday"},
            {"Limit": "9", "Remaining": "5", "Reset": "5"},
        ],
    )
    def test_what_cannot_be_gone_by_is_not_gone_by(self, headers: dict[str, str]) -> None:
        assert told(says(**headers), now=0.0) is None

    @given(st.dictionaries(st.sampled_from(["Limit", "Remaining", "Reset", "Date"]), st.text(max_size=12)))
    def test_no_header_is_so_strange_that_it_breaks_anything(self, headers: dict[str, str]) -> None:
        budget = told(says(**headers), now=0.0)
        assert budget is None or 0 <= budget.left <= budget.limit

    @given(st.text(max_size=12))
    def test_no_pause_is_so_strange_that_it_is_negative_or_endless(self, text: str) -> None:
        wait = answered(429, {"Retry-After": text, "Date": DATE}).retry_after
        assert wait is None or 0 <= wait <= DAY

    def test_an_answer_that_was_overtaken_cannot_raise_what_is_left(self) -> None:
        known = Budget(limit=100, left=40, resets_at=60.0, told_reset=1.0, window=60.0)
        news = Budget(limit=100, left=45, resets_at=60.0, told_reset=1.0, window=60.0)
        assert heard(known, news, newer=False).left == 40
        assert heard(known, news, newer=True).left == 45
        assert heard(news, known, newer=False).left == 40

    def test_of_several_answers_about_one_reset_the_earliest_is_the_truest(self) -> None:
        known = Budget(limit=100, left=40, resets_at=10.2, told_reset=MOMENT, window=60.0)
        again = Budget(limit=100, left=39, resets_at=10.9, told_reset=MOMENT, window=5.0)
        later = Budget(limit=100, left=39, resets_at=11.1, told_reset=MOMENT + 1, window=5.0)
        assert (heard(known, again, newer=True).resets_at, heard(known, again, newer=True).window) == (
            10.2,
            60.0,
        )
        assert heard(known, later, newer=True).resets_at == 11.1

    def test_another_limit_is_another_budget(self) -> None:
        known = Budget(limit=100, left=40, resets_at=10.2, told_reset=MOMENT, window=60.0)
        raised = Budget(limit=200, left=140, resets_at=10.9, told_reset=MOMENT, window=5.0)
        assert heard(known, raised, newer=False) == raised

    def test_after_the_reset_all_of_it_is_there_again(self) -> None:
        spent = Budget(limit=100, left=0, resets_at=10.0, told_reset=MOMENT, window=60.0)
        assert at(spent, 9.9).left == 0
        assert (at(spent, 10.0).left, at(spent, 10.0).resets_at) == (100, 70.0)

    @given(
        left=st.integers(0, 100), under_way=st.integers(0, 64), now=st.floats(0, 60), later=st.floats(0, 60)
    )
    def test_the_pace_falls_with_what_is_left_and_is_never_nothing(
        self, left: int, under_way: int, now: float, later: float
    ) -> None:
        budget = Budget(limit=100, left=left, resets_at=60.0, told_reset=1.0, window=60.0)
        others = bearable(budget, under_way, now, keep_reserve=True)
        urgent = bearable(budget, under_way, now, keep_reserve=False)
        assert 0 < bearable(budget, under_way + 1, now, keep_reserve=True) <= others <= urgent
        assert bearable(budget, under_way, max(now, later), keep_reserve=True) >= others


class TestPace:
    @given(limit=st.floats(0.5, 8))
    @settings(max_examples=20, deadline=None)
    def test_whatever_is_allowed_is_approached_from_both_sides(self, limit: float) -> None:
        """Measured without error: a refusal comes when the calls of a trial exceed what is allowed."""
        pace, now = Pace(), 0.0
        for _ in range(30):
            if pace.rate > limit:
                pace = after_refusal(passing(pace, limit, now, now + 10), now := now + 10)
            else:
                pace, now = borne(pace, now, seconds=1 if not pace.known else pace.trial)
        assert 0.9 * limit <= pace.rate <= limit

    def test_a_refusal_right_after_another_is_the_same_one(self) -> None:
        once = after_refusal(Pace(rate=16.0), 10.0)
        assert once.rate == 8.0
        assert after_refusal(once, 12.0) == once

    def test_an_outage_forgets_the_pace_and_not_what_was_learnt(self) -> None:
        learnt = Pace(rate=50.0, borne=50.0, refused=52.0, refused_at=1.0)
        after = after_outage(learnt, 100.0)
        assert (after.rate, after.borne, after.refused) == (START, 50.0, 52.0)
        climbed, now = borne(after, 100.0, seconds=4.2)
        assert (climbed.rate, now) == (pytest.approx(49.5), pytest.approx(104.2, abs=0.3))
        assert after_outage(Pace(rate=1.0), 0.0).rate == 1.0

    def test_what_is_not_used_is_not_faster_afterwards(self) -> None:
        pace = Pace(rate=10.0, since=0.0)
        for second in range(60):
            pace = after_answer(pace, float(second))
        assert pace.rate == 10.0

    def test_nothing_is_tried_between_two_that_are_close(self) -> None:
        settled = Pace(rate=9.9, borne=10.0, refused=10.3, refused_at=0.0)
        assert borne(settled, 0.0, seconds=600)[0].rate == 9.9

    def test_after_an_hour_something_faster_is_tried_again(self) -> None:
        settled = Pace(rate=9.9, borne=10.0, refused=10.3, refused_at=0.0)
        assert borne(settled, 3500.0, seconds=300)[0].rate > 9.9


def borne(pace: Pace, now: float, seconds: float) -> tuple[Pace, float]:
    """Good answers at the pace's own rate, for that long or a little longer."""
    until = now + seconds
    while now < until:
        now += 1 / pace.rate
        pace = after_answer(pace, now)
    return pace, now


def passing(pace: Pace, limit: float, begin: float, end: float) -> Pace:
    """The pace after as many good answers as are allowed in that time."""
    for number in range(math.floor(limit * (end - begin))):
        after = after_answer(pace, begin + number / limit)
        pace = after if after.rate == pace.rate else pace
    return pace


class TestLines:
    @given(st.sets(st.sampled_from(list(Line)), min_size=1), st.integers(1, 20))
    def test_lines_that_are_all_busy_share_by_weight(self, busy: set[Line], rounds: int) -> None:
        lines = Lines()
        for line in busy:
            for _ in range(100):
                lines.join(Ticket(ERRANDS[line], 0.0))
        weights = sum(line.weight for line in busy)
        went = Counter(taken(lines).errand.line for _ in range(rounds * weights))
        for line in busy:
            assert abs(went[line] - rounds * line.weight) <= line.weight

    @given(st.lists(st.sampled_from(list(Line)), max_size=100))
    def test_everybody_goes_once_and_inside_a_line_in_order(self, joined: list[Line]) -> None:
        lines = Lines()
        tickets = [Ticket(ERRANDS[line], float(number)) for number, line in enumerate(joined)]
        for ticket in tickets:
            lines.join(ticket)
        went = [taken(lines) for _ in tickets]
        assert lines.take(lambda _: True) is None
        for line in Line:
            mine = [ticket for ticket in tickets if ticket.errand.line is line]
            assert [ticket for ticket in went if ticket.errand.line is line] == mine

    @given(st.lists(st.sampled_from(list(Line)), max_size=60), st.sampled_from(list(Line)))
    def test_nobody_waits_for_more_than_were_said_to_be_ahead(self, joined: list[Line], line: Line) -> None:
        lines = Lines()
        for one in joined:
            lines.join(Ticket(ERRANDS[one], 0.0))
        ahead = lines.ahead(line)
        mine = Ticket(ERRANDS[line], 0.0)
        lines.join(mine)
        went = [taken(lines) for _ in range(len(joined) + 1)]
        assert went.index(mine) <= ahead

    def test_a_line_is_owed_nothing_for_the_time_it_was_empty_or_not_allowed(self) -> None:
        lines = Lines()
        for line in (Line.READS, Line.WRITES):
            for _ in range(1000):
                lines.join(Ticket(ERRANDS[line], 0.0))
        for _ in range(400):
            assert taken(lines, Line.READS).errand.line is Line.READS
        for _ in range(100):
            lines.join(Ticket(ERRANDS[Line.URGENT_READS], 0.0))
        went = Counter(taken(lines).errand.line for _ in range(60))
        assert went[Line.URGENT_READS] == pytest.approx(40, abs=4)
        assert went[Line.READS] == pytest.approx(went[Line.WRITES], abs=2)


def taken(lines: Lines, only: Line | None = None) -> Ticket:
    ticket = lines.take(lambda line: only in (None, line))
    assert ticket is not None
    return ticket
