"""Observing what Prometheus measures, by an instant query. Nothing measured is not nothing there."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from email.utils import mktime_tz, parsedate_tz
from math import isfinite
from typing import Final
from urllib.parse import urlencode

from setpoint.engine.errors import Missing, Rejected, Transient
from setpoint.engine.plan import UNKNOWN, Absence
from setpoint.loop.observers.fetch import Answer, AnyJson, fetch, shown
from setpoint.words import add_article

OLD_SECONDS: Final = 60.0
Sample = tuple[dict[str, str], float, float]
"""Labels, when it was evaluated, value."""


@dataclass(frozen=True, slots=True)
class Prometheus:
    """`observe = prometheus("http://prometheus:9090", "up{job='web'}")`: the label `key` -> the number.

    A number that JSON cannot say (NaN, Inf) is UNKNOWN. An empty result raises unless `empty_is_real`: a dead
    scrape looks the same. `scraped_within` also asks when each series was last scraped, which works for plain
    selectors, and raises if one is older. `headers` carry a tenant or a token.
    """

    url: str
    query: str
    _: KW_ONLY
    key: str = "instance"
    empty_is_real: bool = False
    scraped_within: float | None = None
    headers: Mapping[str, str] | None = None
    timeout: float = 10.0

    def __call__(self, loop: object = None) -> dict[str, int | float | Absence]:
        """All of it, or raise. As a method of a loop it may be handed that loop, and does not need it."""
        samples = self._ask(self.query)
        if not samples and not self.empty_is_real:
            raise Transient(
                f"{self.query} matches nothing at {shown(self.url)}, which is also what a dead scrape looks"
                " like; if there may really be nothing, say empty_is_real=True"
            )
        if self.scraped_within is not None:
            self._check_scrapes(self.scraped_within)
        found: dict[str, int | float | Absence] = {}
        for labels, _, value in samples:
            key = self._key(labels)
            if key in found:
                raise Rejected(
                    f"{self.query} gives {self.key} {key!r} twice: aggregate, as max by ({self.key})"
                )
            found[key] = _number(value)
        return found

    def _ask(self, query: str) -> list[Sample]:
        url = f"{self.url.rstrip('/')}/api/v1/query?{urlencode({'query': query})}"
        try:
            answer = fetch(url, self.headers, self.timeout)
        except Missing as error:
            raise Rejected(f"{error}: is this the address of a Prometheus?") from error
        samples = _vector(answer, query)
        _check_age(answer, samples)
        return samples

    def _check_scrapes(self, within: float) -> None:
        for labels, evaluated, scraped in self._ask(f"timestamp({self.query})"):
            if not evaluated - scraped <= within:  # NaN is not within anything
                raise Transient(
                    f"{self.key} {self._key(labels)!r} was last scraped {evaluated - scraped:.0f} s ago,"
                    f" more than {within:g}"
                )

    def _key(self, labels: Mapping[str, str]) -> str:
        if not labels.get(self.key):
            raise Rejected(
                f"{self.query} gives a series without {self.key}; it has {', '.join(labels) or 'none'}"
            )
        return labels[self.key]


def _vector(answer: Answer, query: str) -> list[Sample]:
    """The samples of an answer that says of itself that it is whole."""
    body = answer.body if isinstance(answer.body, dict) else {}
    if body.get("status") != "success":
        raise Rejected(f"{shown(answer.url)} says {body.get('status')!r}: {body.get('error', 'no reason')}")
    if doubts := [*(body.get("warnings") or ()), *(body.get("infos") or ())]:
        raise Transient(f"{query} is not answered without doubts: {'; '.join(map(str, doubts))}")
    data = body["data"] if isinstance(body.get("data"), dict) else {}
    if data.get("resultType") != "vector":
        raise Rejected(f"{query} gives {add_article(str(data.get('resultType')))}, not an instant vector")
    try:
        return [_sample(series) for series in data["result"]]
    except (KeyError, TypeError, ValueError) as error:
        raise Rejected(
            f"{shown(answer.url)} answers in a shape that is not Prometheus's: {error!r}"
        ) from error


def _sample(series: AnyJson) -> Sample:
    if "value" not in series:
        raise Rejected(f"{series.get('metric')} is a histogram: ask for a number of it")
    evaluated, value = series["value"]
    return dict(series["metric"]), float(evaluated), float(value)


def _check_age(answer: Answer, samples: list[Sample]) -> None:
    """An answer kept by something in between; by the service's own clock, as ours may differ from it."""
    kept = answer.headers.get("age", "")
    age = float(kept) if kept.isdecimal() else 0.0
    if samples and (said_at := parsedate_tz(answer.headers.get("date"))):
        age = max(age, mktime_tz(said_at) - min(evaluated for _, evaluated, _ in samples))
    if age > OLD_SECONDS:
        raise Transient(f"{shown(answer.url)} answers what it knew {age:.0f} s ago")


def _number(value: float) -> int | float | Absence:
    if not isfinite(value):
        return UNKNOWN
    return int(value) if value.is_integer() else value
