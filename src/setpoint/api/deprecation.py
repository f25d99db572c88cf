"""A route that is not to be used any more says so: since when, until when, and what to use instead."""

from datetime import UTC, date, datetime, time
from email.utils import format_datetime

from msgspec import Struct


class Deprecated(Struct, frozen=True):
    """RFC 9745 and RFC 8594. `instead` is an address."""

    since: date
    until: date
    instead: str

    @property
    def headers(self) -> dict[str, str]:
        return {
            "Deprecation": f"@{int(_midnight(self.since).timestamp())}",
            "Sunset": format_datetime(_midnight(self.until), usegmt=True),
            "Link": f'<{self.instead}>; rel="successor-version"',
        }


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
