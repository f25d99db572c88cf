"""Moments as the API writes them."""

from datetime import UTC, datetime


def written(moment: float) -> str:
    """Seconds since the epoch as an RFC 3339 date-time."""
    return datetime.fromtimestamp(moment, UTC).isoformat()
