"""Who goes next: first come first served inside a line, turns by weight between lines.

A line that is empty gives its turns to the others; one that comes back is not owed those it did not need."""

import math
from collections import deque
from collections.abc import Callable
from enum import Enum

from msgspec import Struct, field


class Line(Enum):
    """Sorts of calls, with the share of turns each gets while the others want theirs too."""

    URGENT_READS = ("urgent reads", 4)
    URGENT_WRITES = ("urgent writes", 4)
    BEGUN = ("what was begun", 4)
    READS = ("reads", 1)
    WRITES = ("writes", 1)

    @property
    def weight(self) -> int:
        return int(self.value[1])

    @property
    def may_use_reserve(self) -> bool:
        return self not in (Line.READS, Line.WRITES)


class Errand(Struct, frozen=True):
    """What a caller wants: to read or to write, whether a person waits for it, and how long it can wait."""

    writes: bool
    urgent: bool = False
    begun: bool = False
    """It asks about something already begun, which has a deadline of its own."""
    patience: float = math.inf

    @property
    def line(self) -> Line:
        if self.begun:
            return Line.BEGUN
        if self.urgent:
            return Line.URGENT_WRITES if self.writes else Line.URGENT_READS
        return Line.WRITES if self.writes else Line.READS


class Ticket(Struct, eq=False):
    """One caller's place; `number` is the order in which calls were let through, 0 before that."""

    errand: Errand
    asked_at: float
    number: int = 0

    @property
    def deadline(self) -> float:
        return self.asked_at + self.errand.patience


class Lines(Struct):
    """All who wait."""

    _waiting: dict[Line, deque[Ticket]] = field(default_factory=lambda: {line: deque() for line in Line})
    _next: dict[Line, float] = field(default_factory=lambda: dict.fromkeys(Line, 0.0))
    """Where each line stands: the one that has had the least for its weight goes next."""
    _reached: float = 0.0

    def __len__(self) -> int:
        return sum(len(waiting) for waiting in self._waiting.values())

    def join(self, ticket: Ticket) -> None:
        self._waiting[ticket.errand.line].append(ticket)

    def leave(self, ticket: Ticket) -> None:
        if ticket in self._waiting[ticket.errand.line]:
            self._waiting[ticket.errand.line].remove(ticket)

    def busy(self) -> tuple[Line, ...]:
        return tuple(line for line, waiting in self._waiting.items() if waiting)

    def take(self, may_go: Callable[[Line], bool]) -> Ticket | None:
        """The next one, among the lines that may go."""
        line = min(filter(may_go, self.busy()), key=self._next.__getitem__, default=None)
        if line is None:
            return None
        # A line that was empty, or not allowed to go, is owed nothing for that time.
        self._reached = max(self._reached, self._next[line])
        self._next[line] = self._reached + 1 / line.weight
        return self._waiting[line].popleft()

    def ahead(self, line: Line) -> int:
        """How many would go before a newcomer, at worst."""
        own = len(self._waiting[line])
        return own + sum(
            min(len(self._waiting[other]), math.ceil((own + 1) * other.weight / line.weight))
            for other in self.busy()
            if other is not line
        )

    def hopeless(self, until: float) -> list[Ticket]:
        """Takes out all who would not wait until then."""
        out = [ticket for waiting in self._waiting.values() for ticket in waiting if ticket.deadline < until]
        self._waiting = {
            line: deque(ticket for ticket in waiting if ticket.deadline >= until)
            for line, waiting in self._waiting.items()
        }
        return out
