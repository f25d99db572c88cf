"""Counted values as Prometheus reads them: its text format 0.0.4, written by hand."""

from collections.abc import Iterator, Mapping
from itertools import accumulate
from math import inf
from typing import Final

from msgspec import Struct

from setpoint.engine.metrics import METRICS, Metric

MEDIA_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

Labels = tuple[str, ...]
"""One value for each label of the metric, in its order."""


class Spread(Struct):
    """What a histogram has seen: how many in each bucket, the last for all beyond, and their sum."""

    counts: list[int]
    total: float = 0.0


Series = Mapping[Labels, float | Spread]


def exposition(found: Mapping[str, Series]) -> str:
    """Every metric of the table, also those that have counted nothing yet."""
    return "".join(f"{line}\n" for metric in METRICS for line in _family(metric, found.get(metric.name, {})))


def _family(metric: Metric, series: Series) -> Iterator[str]:
    yield f"# HELP {metric.name} {_escaped(metric.help)}"
    yield f"# TYPE {metric.name} {metric.sort}"
    for labels, value in sorted(series.items(), key=lambda one: one[0]):
        named = dict(zip(metric.labels, labels, strict=True))
        if isinstance(value, Spread):
            yield from _histogram(metric, named, value)
        else:
            yield _sample(metric.name, named, value)


def _histogram(metric: Metric, named: Mapping[str, str], seen: Spread) -> Iterator[str]:
    sums = tuple(accumulate(seen.counts))
    for bound, count in zip((*metric.buckets, inf), sums, strict=True):
        yield _sample(f"{metric.name}_bucket", {**named, "le": _number(bound)}, count)
    yield _sample(f"{metric.name}_sum", named, seen.total)
    yield _sample(f"{metric.name}_count", named, sums[-1])


def _sample(name: str, named: Mapping[str, str], value: float) -> str:
    inside = ",".join(f'{label}="{_quoted(text)}"' for label, text in sorted(named.items()))
    return f"{name}{{{inside}}} {_number(value)}" if named else f"{name} {_number(value)}"


def _number(value: float) -> str:
    return "+Inf" if value == inf else repr(float(value))


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _quoted(text: str) -> str:
    return _escaped(text).replace('"', '\\"')
