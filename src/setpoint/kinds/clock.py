"""A moment as a sentence uses it."""

from datetime import UTC, datetime


def clock(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%H:%M:%S UTC")
