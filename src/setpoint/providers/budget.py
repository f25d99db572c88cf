"""What a vendor tells of its limit with every answer, and how fast what is left may be spent."""

import math
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

RESERVE: Final = 0.1
"""The share of a budget that only urgent callers may touch."""
SPEND: Final = 4.0
"""Times the even pace: work begins fast and slows down as the budget shrinks, so that it never runs dry.
A bucket that refills settles where this equals its refill: a quarter full, and all that flows in is used."""
FEW: Final = 10
"""A smaller limit is told too coarsely to go by: moments come in whole seconds."""
URGENT_SPEND: Final = 6.0
"""The same for those who may use the reserve; even a flood of them leaves the others something."""
PROBE_SECONDS: Final = 30.0
"""With nothing left, one call this often finds out whether there is something again."""
DAY: Final = 86_400.0


class Budget(Struct, frozen=True):
    """So many of so many calls are left until a moment on our clock."""

    limit: int
    left: int
    resets_at: float
    told_reset: float
    """The same moment in the vendor's own words."""
    window: float
    """The longest way to a reset seen so far: how long the vendor's window is, as far as we know."""


class Answer(Struct, frozen=True):
    """What the governor reads of a vendor's answer; names of headers in lower case."""

    status: int
    headers: Mapping[str, str]

    @property
    def retry_after(self) -> float | None:
        """For how long the vendor wants to be left alone, if it says so."""
        said = self.headers.get("retry-after", "").strip()
        seconds = _number(said)
        return _until(_moment(said), self.headers) if seconds is None else min(seconds, DAY)


def answered(status: int, headers: Mapping[str, str]) -> Answer:
    """An answer with headers as they came over the wire."""
    return Answer(status, {name.lower(): value for name, value in headers.items()})


def told(answer: Answer, now: float) -> Budget | None:
    """The budget as this answer tells it; None where it tells none."""
    said = answer.headers
    limit, left, reset = (
        _number(said.get(f"ratelimit-{word}", "")) for word in ("limit", "remaining", "reset")
    )
    if limit is None or left is None or reset is None or limit < FEW:
        return None
    # A small number is a duration, a large one a moment on the vendor's clock.
    seconds = min(reset, DAY) if reset <= DAY else _until(reset, said)
    if seconds is None:
        return None
    return Budget(int(limit), int(min(left, limit)), now + seconds, reset, max(1.0, seconds))


def heard(known: Budget | None, news: Budget, *, newer: bool) -> Budget:
    """What is known after an answer; one that overtook another on the way cannot raise what is left."""
    if known is None or known.limit != news.limit:
        return news
    left = news.left if newer else min(known.left, news.left)
    # Moments are told in whole seconds: of several answers about one reset the earliest is the truest.
    same = known.told_reset == news.told_reset > DAY
    resets_at = min(known.resets_at, news.resets_at) if same else news.resets_at
    return replace(news, left=left, resets_at=resets_at, window=max(known.window, news.window))


def at(budget: Budget, now: float) -> Budget:
    """The budget at this moment: full again once its reset has passed."""
    if now < budget.resets_at:
        return budget
    return replace(budget, left=budget.limit, resets_at=now + budget.window)


def bearable(budget: Budget, under_way: int, now: float, *, keep_reserve: bool) -> float:
    """Calls per second that what is left bears; those under way count as spent."""
    seconds = max(1.0, budget.resets_at - now)
    # The reserve melts towards the reset: what no urgent caller came for is not left over.
    kept = RESERVE * budget.limit * min(1.0, seconds / budget.window) if keep_reserve else 0.0
    spend = SPEND if keep_reserve else URGENT_SPEND
    rate = spend * (budget.left - under_way - kept) / seconds
    return max(rate, 1.0 / min(seconds + 1.0, PROBE_SECONDS))


def _until(moment: float | None, headers: Mapping[str, str]) -> float | None:
    """Seconds from the answer to a moment, both on the vendor's clock: clocks of two machines never meet."""
    answered = _moment(headers.get("date", ""))
    if moment is None or answered is None:
        return None
    return min(max(0.0, moment - answered), DAY)


def _moment(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, OverflowError):
        return None


def _number(text: str) -> float | None:
    """A count at the beginning of a header; some vendors append how long it holds."""
    try:
        number = float(text.split(",", maxsplit=1)[0].split(";", maxsplit=1)[0])
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None
