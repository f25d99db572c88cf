"""How many calls per second an account bears, where nobody tells: tried out, and remembered.

Twice as fast after every second until the first refusal. Then something between what is known to be borne and
what was refused, until the two are close; what gets through between two refusals is borne. After an hour in
which nothing was refused something faster is tried again, a little at a time."""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

START: Final = 10.0
CLOSE: Final = 1.04
"""A refused pace this near to a borne one leaves nothing to be tried between them."""
MARGIN: Final = 0.99
"""How much of what was measured is used: counting has an error too."""
CLIMB_SECONDS: Final = 1.0
TRIAL_SECONDS: Final = 20.0
LONGEST_TRIAL: Final = 300.0
FORGET_SECONDS: Final = 3600.0
USED: Final = 0.8
"""A pace of which less was used has not been tried."""
UNKNOWN: Final = float("inf")


class Pace(Struct, frozen=True):
    """Calls per second, and how we came to it."""

    rate: float = START
    borne: float = 0.0
    """The fastest known to be borne."""
    refused: float = UNKNOWN
    refused_at: float = -UNKNOWN
    passed: int = 0
    """Good answers since the last refusal."""
    trial: float = TRIAL_SECONDS
    """How long a pace is tried: one slightly too fast is refused only after what was saved up is spent."""
    since: float = 0.0
    calls: int = 0
    """Good answers at this rate, since then."""

    @property
    def known(self) -> bool:
        """Whether the vendor has ever said no."""
        return self.refused_at > -UNKNOWN


def after_answer(pace: Pace, now: float) -> Pace:
    """The pace after a good answer: faster, if what was tried has been borne for long enough."""
    pace = replace(pace, calls=pace.calls + 1, passed=pace.passed + 1)
    climbing = not pace.known or pace.rate < pace.borne * MARGIN
    seconds = now - pace.since
    if seconds < (CLIMB_SECONDS if climbing else pace.trial):
        return pace
    tried = pace.calls >= USED * pace.rate * seconds
    return replace(_faster(pace, now) if tried else pace, since=now, calls=0)


def after_refusal(pace: Pace, now: float) -> Pace:
    """The pace after the vendor said that this one is too fast."""
    if not pace.known:
        return Pace(rate=pace.rate / 2, refused=pace.rate, refused_at=now, since=now)
    if not pace.passed:
        return pace  # Still the same refusal: it was asked again too early.
    seconds = max(now - pace.refused_at, 1e-3)
    # Between two refusals the vendor let through what it allows, less what was lost in the pause.
    measured = pace.passed / seconds
    borne = min(pace.rate, max(measured, pace.borne if pace.borne < pace.rate else 0.0))
    # What was measured for long is nearly what is allowed.
    tried_next = borne + (pace.rate - borne) / (8 if seconds >= TRIAL_SECONDS else 2)
    return Pace(
        rate=borne * MARGIN if pace.rate <= borne * CLOSE else tried_next,
        borne=borne,
        refused=pace.rate,
        refused_at=now,
        trial=min(max(TRIAL_SECONDS, 2 * seconds), LONGEST_TRIAL),
        since=now,
    )


def after_outage(pace: Pace, now: float) -> Pace:
    """Slowly again; what was learnt stays."""
    return replace(pace, rate=min(pace.rate, START), since=now, calls=0)


def _faster(pace: Pace, now: float) -> Pace:
    if pace.rate < pace.borne * MARGIN:
        return replace(pace, rate=min(pace.borne * MARGIN, 2 * pace.rate))
    pace = replace(pace, borne=max(pace.borne, pace.rate))
    if not pace.known:
        return replace(pace, rate=2 * pace.rate)
    if now - pace.refused_at > FORGET_SECONDS:
        return replace(pace, rate=pace.rate * CLOSE, refused=UNKNOWN)
    if pace.refused * MARGIN <= pace.rate * CLOSE:
        return pace
    return replace(pace, rate=(pace.rate + pace.refused) / 2)
