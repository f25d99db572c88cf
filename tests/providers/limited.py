"""Vendors that limit how often they are called, and callers of one account, in virtual time."""

import heapq
import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from email.utils import formatdate
from random import Random
from typing import Any, Protocol

from setpoint.providers.budget import Answer
from setpoint.providers.governor import Governor
from setpoint.providers.lines import Errand, Ticket

READ, WRITE = Errand(writes=False), Errand(writes=True)
URGENT = Errand(writes=False, urgent=True)
URGENT_WRITE = Errand(writes=True, urgent=True)
FOLLOW = Errand(writes=False, begun=True)
BACKLOG = [WRITE] * 6_000
WARM = 150.0
"""Finding out what nobody tells takes this long, an eighth of what 6,000 calls take."""
EPOCH = 1_800_000_000.0
"""The vendor's clock when ours says 0: the two have nothing to do with each other."""


class Vendor(Protocol):
    """Says yes or no to a call that arrives now."""

    def take(self, now: float) -> Answer: ...


@dataclass
class Bucket:
    """`burst` calls at once; `rate` flow in per second."""

    rate: float = 5.0
    burst: float = 5.0
    tells: bool = True
    says_when: bool = True
    _left: float = field(init=False, repr=False)
    _at: float = field(default=0.0, init=False, repr=False)

    def __post_init__(self) -> None:
        self._left = self.burst

    def take(self, now: float) -> Answer:
        self._left = min(self.burst, self._left + (now - self._at) * self.rate)
        self._at = now
        may_pass = self._left >= 1 - 1e-9
        self._left -= may_pass
        full_at = now + (self.burst - self._left) / self.rate
        wait = (1 - self._left) / self.rate
        limit = Limit(int(self.burst), int(self._left), full_at, wait)
        return answer(self, limit, now, may_pass=may_pass)


@dataclass
class Window:
    """`calls` in each window of so many seconds."""

    calls: int = 5
    seconds: float = 1.0
    tells: bool = True
    says_when: bool = True
    _number: int = field(default=-1, init=False, repr=False)
    _used: int = field(default=0, init=False, repr=False)

    def take(self, now: float) -> Answer:
        number = math.floor(now / self.seconds)
        if number != self._number:
            self._number, self._used = number, 0
        may_pass = self._used < self.calls
        self._used += may_pass
        ends = (number + 1) * self.seconds
        return answer(
            self, Limit(self.calls, self.calls - self._used, ends, ends - now), now, may_pass=may_pass
        )


@dataclass(frozen=True)
class Limit:
    limit: int
    left: int
    resets_at: float
    wait: float


def answer(vendor: Any, limit: Limit, now: float, *, may_pass: bool) -> Answer:
    headers = {"date": formatdate(EPOCH + now, usegmt=True)}
    if vendor.tells:
        headers["ratelimit-limit"] = str(limit.limit)
        headers["ratelimit-remaining"] = str(limit.left)
        headers["ratelimit-reset"] = str(math.ceil(EPOCH + limit.resets_at))
    if not may_pass and vendor.says_when:
        headers["retry-after"] = str(max(1, math.ceil(limit.wait)))
    return Answer(200 if may_pass else 429, headers)


@dataclass(frozen=True)
class Done:
    """One call: when it was wanted, sent, seen by the vendor, and what was answered."""

    errand: Errand
    asked: float
    sent: float
    arrived: float
    status: int


@dataclass
class Account:
    """Everybody who calls one account, until a moment. A refused call is asked for again at once."""

    governor: Governor
    vendor: Vendor
    delay: Callable[[], float] = lambda: 0.02
    """How long a request, or an answer, is on its way."""
    now: float = 0.0
    done: list[Done] = field(default_factory=list)
    turned_away: list[tuple[float, Errand]] = field(default_factory=list)
    late: float = 0.0
    """How much later than asked for a timer goes off."""
    broken: Callable[[float], int | None] = lambda now: None
    """What a request that arrives at that moment meets: an error, 0 for silence, None if all is well."""
    _events: list[tuple[float, int, Callable[[], None]]] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=itertools.count)
    _timer: int = 0

    def ask(self, errand: Errand, at: float = 0.0) -> None:
        self._at(at, lambda: self._join(errand))

    def run(self, until: float) -> "Account":
        while self._events and self._events[0][0] <= until:
            self.now, _, happen = heapq.heappop(self._events)
            happen()
        self.now = until
        return self

    def sent(self, since: float = 0.0, until: float = math.inf) -> list[Done]:
        return [one for one in self.done if since <= one.sent < until]

    def refused(self, since: float = 0.0) -> int:
        return sum(one.status == 429 for one in self.sent(since))

    def _at(self, moment: float, happen: Callable[[], None]) -> None:
        heapq.heappush(self._events, (max(moment, self.now), next(self._numbers), happen))

    def _join(self, errand: Errand) -> None:
        ticket = self.governor.join(errand, self.now)
        if ticket is None:
            self.turned_away.append((self.now, errand))
            return
        self._admit()

    def _admit(self) -> None:
        for ticket in self.governor.hopeless():
            self.turned_away.append((self.now, ticket.errand))
        for ticket in self.governor.admit(self.now):
            self._send(ticket)
        due = self.governor.due(self.now)
        self._timer += 1
        if due is not None:
            mine = self._timer
            self._at(self.now + due + self.late, lambda: self._admit() if mine == self._timer else None)

    def _send(self, ticket: Ticket) -> None:
        sent = self.now
        self._at(sent + self.delay(), lambda: self._arrive(ticket, sent))

    def _arrive(self, ticket: Ticket, sent: float) -> None:
        error = self.broken(self.now)
        if error == 0:
            self._at(self.now + self.delay(), lambda: self._lose(ticket))
            return
        said = self.vendor.take(self.now) if error is None else Answer(error, {})
        self.done.append(Done(ticket.errand, ticket.asked_at, sent, self.now, said.status))
        self._at(self.now + self.delay(), lambda: self._answer(ticket, said))

    def _answer(self, ticket: Ticket, said: Answer) -> None:
        self.governor.answered(ticket, said, self.now)
        if said.status != 200:
            self.ask(ticket.errand, self.now)
        self._admit()

    def _lose(self, ticket: Ticket) -> None:
        self.governor.lost(ticket, self.now)
        self.ask(ticket.errand, self.now)
        self._admit()


def jitter(seed: int, most: float) -> Callable[[], float]:
    random = Random(seed)  # noqa: S311 - for tests
    return lambda: random.uniform(most / 4, most)


def backlog(account: Account, errands: Iterable[Errand], at: float = 0.0) -> Account:
    """All of them wanted at once."""
    for errand in errands:
        account.ask(errand, at)
    return account


def busy(vendor: Bucket | Window) -> Account:
    """Thousands of writes wait, and the account is warm."""
    return backlog(Account(Governor(), replace(vendor)), BACKLOG).run(WARM)


def let_through(governor: Governor, errand: Errand, now: float) -> Ticket:
    ticket = governor.join(errand, now)
    assert ticket is not None
    while ticket not in governor.admit(now):
        due = governor.due(now)
        assert due is not None
        now += due
    return ticket


def let_all_through(governor: Governor, now: float) -> list[Ticket]:
    """As many as may be under way at once, as time passes and nobody answers."""
    admitted: list[Ticket] = []
    while (due := governor.due(now)) is not None:
        now += due
        admitted += governor.admit(now)
    return admitted


def told_answer(left: int, limit: int = 1000, reset: int = 3600) -> Answer:
    said = {"limit": limit, "remaining": left, "reset": reset}
    return Answer(200, {f"ratelimit-{word}": str(value) for word, value in said.items()})


def told(left: int, reset: int = 3600) -> Governor:
    """A governor that has just heard what is left of a thousand calls an hour."""
    governor = Governor()
    governor.answered(let_through(governor, READ, 0.0), told_answer(left, reset=reset), 0.0)
    return governor
