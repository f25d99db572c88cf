"""Moments and stretches of time as sentences use them."""

from datetime import UTC, datetime
from typing import Final

MINUTE: Final = 60
HOUR: Final = 3600
DAY: Final = 86400


def clock(at: float, now: float) -> str:
    """`04:50:22 UTC`; with its date, and without its seconds, where that is not today."""
    moment, today = datetime.fromtimestamp(at, UTC), datetime.fromtimestamp(now, UTC)
    form = "%H:%M:%S UTC" if moment.date() == today.date() else "%Y-%m-%d %H:%M UTC"
    return moment.strftime(form)


def span(seconds: float) -> str:
    """`40 s`, `12 min`, `3 h`, `2 days`: the largest unit that says enough."""
    whole = max(0, round(seconds))
    if whole < 2 * MINUTE:
        return f"{whole} s"
    if whole < 2 * HOUR:
        return f"{whole // MINUTE} min"
    return f"{whole // HOUR} h" if whole < 2 * DAY else f"{whole // DAY} days"
