"""The governor of one provider account: who may call, and when. All who use the account ask the same one.

It awaits nothing and has no clock: `join`, then `admit` until one's ticket is among those let through, then
`answered` or `lost`. How fast is told by the vendor (`budget.py`) or tried out (`pace.py`); who goes next is
for `lines.py` to say."""

from http import HTTPStatus
from typing import Final

from msgspec import Struct, field

from setpoint.providers.budget import Answer, Budget, at, bearable, heard, told
from setpoint.providers.lines import Errand, Line, Lines, Ticket
from setpoint.providers.pace import START, Pace, after_answer, after_outage, after_refusal

FIRST: Final = 2
"""Calls under way at once to begin with; one more for each good answer."""
MOST: Final = 64
OUTAGE: Final = 3
"""This many failures in a row are an outage, not bad luck."""
SILENCE_SECONDS: Final = 60.0
"""Nobody knows how an account is that has not answered for so long."""
PAUSE_SECONDS: Final = 8.0
"""The longest pause after a refusal that does not say how long to wait; the first is one second."""
LATE_SECONDS: Final = 0.05
"""Timers are late; turns missed by no more than this are made up for."""
HAIR: Final = 1e-9


class Governor(Struct):
    """Plain state; every moment is handed in, and none is earlier than the one before."""

    calls: int = 0
    """Let through so far."""
    waits: int = 0
    """Of these, how many had to wait."""
    refused: int = 0
    """Answers that said: too fast."""
    turned_away: int = 0
    """Callers who would have had to wait for longer than they can."""
    _lines: Lines = field(default_factory=Lines)
    _pace: Pace = field(default_factory=Pace)
    _budget: Budget | None = None
    _newest: int = 0  # The last call whose answer told a budget.
    _paced_from: int = 0  # Calls up to this one were made at an earlier pace.
    _under_way: set[Ticket] = field(default_factory=set)
    _at_once: int = FIRST
    _turn_at: float = float("-inf")  # When the last call should have gone.
    _closed_until: float = float("-inf")
    _closed_by: int = 0  # The status that said so.
    _weighed: float = float("-inf")  # For which closing it was found out who would not wait so long.
    _heard_at: float | None = None
    _failures: int = 0
    _refusals: int = 0

    def wait(self, errand: Errand, now: float) -> float:
        """Seconds that a newcomer would wait, as far as that is known; 0 where it can only be tried."""
        opens = max(now, self._closed_until)
        if self._budget is None and not self._pace.known:
            return opens - now
        turn = max(opens, self._turn(errand.line, opens))
        return turn - now + self._lines.ahead(errand.line) / self._rate(errand.line, opens)

    def join(self, errand: Errand, now: float) -> Ticket | None:
        """A place in line; None for a caller who would have to wait for longer than it can."""
        if self.wait(errand, now) > errand.patience:
            self.turned_away += 1
            return None
        ticket = Ticket(errand, now)
        self._lines.join(ticket)
        return ticket

    def leave(self, ticket: Ticket, *, too_long: bool = False) -> None:
        """Gave up: while waiting, maybe because it took too long, or let through and no longer interested."""
        self.turned_away += too_long
        self._under_way.discard(ticket)
        self._lines.leave(ticket)

    def hopeless(self) -> list[Ticket]:
        """Those who would not wait until the vendor can be called again; they are out of line."""
        if self._closed_until == self._weighed:
            return []
        self._weighed = self._closed_until
        out = self._lines.hopeless(self._closed_until)
        self.turned_away += len(out)
        return out

    def admit(self, now: float) -> list[Ticket]:
        """All who may call now, in order."""
        if self._heard_at is not None and now - self._heard_at > SILENCE_SECONDS and not self._under_way:
            self._begin_slowly(now)
        admitted: list[Ticket] = []
        while now >= self._closed_until and len(self._under_way) < self._at_once:
            ticket = self._lines.take(lambda line: self._turn(line, now) <= now + HAIR)
            if ticket is None:
                break
            self._let_through(ticket, now)
            admitted.append(ticket)
        return admitted

    def due(self, now: float) -> float | None:
        """Seconds until `admit` may let somebody through; None while only an answer can change that."""
        busy = self._lines.busy()
        if not busy or len(self._under_way) >= self._at_once:
            return None
        turn = min(self._turn(line, now) for line in busy)
        if self._budget is not None and self._budget.resets_at > now:
            turn = min(turn, self._budget.resets_at)
        return max(0.0, turn - now, self._closed_until - now)

    def answered(self, ticket: Ticket, answer: Answer, now: float) -> None:
        """The vendor answered, whatever it said."""
        self._under_way.discard(ticket)
        self._hear(ticket, answer, now)
        self._heard_at = now
        if answer.status == HTTPStatus.TOO_MANY_REQUESTS:
            self._refuse(ticket, answer, now)
        elif answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            self._close(answer.retry_after or 0.0, answer.status, now)
            self._fail(now)
        else:
            self._failures = self._refusals = 0
            self._at_once = min(MOST, self._at_once + 1)
            self._pace = after_answer(self._pace, now) if self._budget is None else self._pace

    def lost(self, ticket: Ticket, now: float) -> None:
        """It called and got no answer; one that has left meanwhile does not count."""
        if ticket in self._under_way:
            self._under_way.discard(ticket)
            self._fail(now)

    def why(self, now: float) -> str:
        """What keeps callers waiting, in words that follow the name of the account."""
        if now < self._closed_until:
            return f"answered {self._closed_by} and is left alone for {self._closed_until - now:.1f} s more"
        if len(self._under_way) >= self._at_once:
            return f"has not answered {len(self._under_way)} calls yet; {self.waiting} more are waiting"
        return f"gets no more calls than it allows; {self.waiting} are waiting"

    @property
    def waiting(self) -> int:
        return len(self._lines)

    @property
    def share_left(self) -> float:
        """Of the budget, as the vendor last told it; all of it where none is told."""
        return 1.0 if self._budget is None else self._budget.left / self._budget.limit

    @property
    def limit(self) -> int:
        """How many calls the vendor allows in its window; 0 where it does not say."""
        return 0 if self._budget is None else self._budget.limit

    def _turn(self, line: Line, now: float) -> float:
        """When the next call of this line is due by the pace."""
        return self._turn_at + 1.0 / self._rate(line, now)

    def _rate(self, line: Line, now: float) -> float:
        rate = self._pace.rate
        if self._budget is not None:
            budget, keep = at(self._budget, now), not line.may_use_reserve
            rate = bearable(budget, len(self._under_way), now, keep_reserve=keep)
        return min(rate, START) if self._failures >= OUTAGE else rate

    def _let_through(self, ticket: Ticket, now: float) -> None:
        turn = max(self._turn(ticket.errand.line, now), self._closed_until)
        waited = ticket.asked_at <= turn
        self._turn_at = max(turn, now - LATE_SECONDS) if waited else now
        self.calls += 1
        self.waits += now > ticket.asked_at + LATE_SECONDS
        ticket.number = self.calls
        self._under_way.add(ticket)

    def _hear(self, ticket: Ticket, answer: Answer, now: float) -> None:
        news = told(answer, now)
        if news is not None:
            self._budget = heard(self._budget, news, newer=ticket.number > self._newest)
            self._newest = max(self._newest, ticket.number)
        elif self._budget is not None and now >= self._budget.resets_at:
            # It has stopped telling: the last word is too old to go by.
            self._budget = None

    def _refuse(self, ticket: Ticket, answer: Answer, now: float) -> None:
        self.refused += 1
        # Calls that were under way when the first of them was refused are the same event.
        if ticket.number > self._paced_from:
            self._paced_from = self.calls
            self._refusals += 1
            self._at_once = FIRST
            # Where the vendor tells a budget, that is the pace.
            self._pace = after_refusal(self._pace, now) if self._budget is None else self._pace
        asked = answer.retry_after
        pause = min(PAUSE_SECONDS, 2.0 ** (self._refusals - 1)) if asked is None else asked
        self._close(pause, answer.status, now)

    def _close(self, seconds: float, status: int, now: float) -> None:
        if now + seconds > self._closed_until:
            self._closed_until, self._closed_by = now + seconds, status

    def _fail(self, now: float) -> None:
        self._failures += 1
        if self._failures >= OUTAGE:
            self._begin_slowly(now)

    def _begin_slowly(self, now: float) -> None:
        self._heard_at = now
        self._at_once = FIRST
        self._pace = after_outage(self._pace, now)
