"""Streams of events that are open: so many for each credential and organization, in this process."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from setpoint.api.problem import Refused
from setpoint.settings import Settings


class Streams:
    """Asked before a stream begins, and counted while it is read."""

    def __init__(self, settings: Settings) -> None:
        self._most = {
            "credential": settings.credential_streams,
            "organization": settings.organization_streams,
        }
        self._open: Counter[tuple[str, str]] = Counter()

    def check(self, credential: str, organization: str) -> None:
        """Refused where there are as many as there may be."""
        for name, key in (("credential", credential), ("organization", organization)):
            most = self._most[name]
            if most and self._open[name, key] >= most:
                detail = f"this {name} has {self._open[name, key]} streams open; at most {most} may be"
                hint = "close one of them, or share one stream among readers"
                raise Refused(429, "too_many_streams", detail, hint=hint, retry_after=5)

    @contextmanager
    def counted(self, credential: str, organization: str) -> Iterator[None]:
        """One more, until it is left."""
        places = (("credential", credential), ("organization", organization))
        self._open.update(places)
        try:
            yield
        finally:
            self._open.subtract(places)
            for place in places:
                if not self._open[place]:
                    del self._open[place]
