"""What is counted, kept in memory until somebody scrapes it."""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from setpoint.drive.exposition import Labels, Series, Spread, exposition
from setpoint.drive.observations import LookTimes
from setpoint.drive.pulse import Pulse
from setpoint.engine import metrics
from setpoint.engine.entity import Ref, Scope, State, kind_of
from setpoint.engine.metrics import METRICS, Metric
from setpoint.engine.runtime import Sizes
from setpoint.storage.quarantine import told_of

PEAK_SECONDS: Final = 60.0
"""A size stays visible for at least this long: a scrape sees a spike that the next pass no longer has."""
SERIES_AT_MOST: Final = 1_000
OTHER: Final = "other"


class Standing(Struct, frozen=True):
    """What one entity is that is not simply READY."""

    state: str
    since: float
    drift_since: float | None


class Peak(Struct, frozen=True):
    """The highest value of one window, and of the one before it."""

    window: int
    highest: float
    before: float = 0.0


class Tally:
    """Every metric of the table. Label values are bounded here too: what is too much is `other`."""

    def __init__(self, now: Callable[[], float], halted: Callable[[], str] = lambda: "") -> None:
        self._now, self._halted = now, halted
        self.pulse = Pulse()
        self.looks = LookTimes()
        self._started = now()
        self._numbers: dict[str, dict[Labels, float]] = {m.name: {} for m in METRICS if not m.buckets}
        self._spreads: dict[str, dict[Labels, Spread]] = {m.name: {} for m in METRICS if m.buckets}
        self._peaks: dict[Labels, Peak] = {}
        self._differing: dict[str, dict[Ref, Sizes]] = {}
        """By kind: what differs now, and by how much."""
        self._calm: dict[str, set[str]] = {}
        """READY as intended, by kind: a million of these must cost next to nothing."""
        self._restless: dict[str, dict[str, Standing]] = {}

    def diff(self, kind: str, ref: Ref, sizes: Sizes) -> None:
        # The first unusual plan of a kind must be a step from 0 to 1: a rate sees no other.
        self._count(metrics.UNUSUAL, kind, by=0.0)
        differing, window = self._differing.setdefault(kind, {}), int(self._now() / PEAK_SECONDS)
        if any(sizes.values()):
            differing[ref] = sizes
        else:
            differing.pop(ref, None)
        for action, size in sizes.items():
            labels = _bounded(self._peaks, (kind, action))
            self._peaks[labels] = risen(self._peaks.get(labels, Peak(window, 0.0)), size, window)

    def unusual(self, kind: str) -> None:
        self._count(metrics.UNUSUAL, kind)

    def passed(self, kind: str, outcome: str, seconds: float, scope: Scope) -> None:
        self._spread(metrics.PASSES, seconds, kind, outcome)
        self.pulse.passed((kind, scope), seconds, self._now(), failed=outcome == "failed")

    def observed(self, ref: Ref, at: float) -> None:
        self.looks.note(ref, at)

    def acted(self, kind: str, verb: str, outcome: str) -> None:
        self._count(metrics.ACTS, kind, verb, outcome)

    def held(self, kind: str, guard: str) -> None:
        self._count(metrics.HOLDS, kind, guard)

    def hold_ended(self, kind: str, guard: str, *, false: bool) -> None:
        self._count(metrics.HOLDS_ENDED, kind, guard, "false" if false else "right")

    def converged(self, kind: str, seconds: float) -> None:
        self._spread(metrics.CONVERGENCE, seconds, kind)

    def put_back(self, kind: str, seconds: float) -> None:
        self._spread(metrics.DRIFT, seconds, kind)

    def standing(
        self, kind: str, ref: str, state: str, since: float, drift_since: float | None = None
    ) -> None:
        self._calm.setdefault(kind, set()).discard(ref)
        self._restless.setdefault(kind, {}).pop(ref, None)
        if state == State.READY and drift_since is None:
            self._calm[kind].add(ref)
        else:
            self._restless[kind][ref] = Standing(state, since, drift_since)

    def forget(self, ref: Ref) -> None:
        """Another process looks after it from now on, or nobody."""
        self.looks.forget(ref)
        self.gone(kind_of(ref), ref)

    def gone(self, kind: str, ref: str) -> None:
        self._differing.setdefault(kind, {}).pop(Ref(ref), None)
        self._calm.setdefault(kind, set()).discard(ref)
        self._restless.setdefault(kind, {}).pop(ref, None)

    def budget(self, name: str, left: float) -> None:
        self._set(metrics.BUDGETS, left, name)

    def provider(self, account: str, verb: str, outcome: str) -> None:
        self._count(metrics.CALLS, account, verb, outcome)

    def swept(self, account: str, sort: str, number: int) -> None:
        self._set(metrics.SEEN, number, account, sort)

    def render(self) -> str:
        """Prometheus text format 0.0.4."""
        found: dict[str, Series] = {**self._numbers, **self._spreads}
        window = int(self._now() / PEAK_SECONDS)
        found[metrics.STARTED.name] = {(): self._started}
        found[metrics.HALTED.name] = {(): float(bool(self._halted()))}
        found[metrics.UNREADABLE.name] = {(table,): float(n) for table, n in told_of().items()}
        found[metrics.DIFF.name] = {
            labels: max(height(peak, window), self._difference(*labels))
            for labels, peak in self._peaks.items()
        }
        found[metrics.FALSE_HOLDS.name] = false_ratios(self._numbers[metrics.HOLDS_ENDED.name])
        for kind, restless in self._restless.items():
            for metric, labels, value in standings(restless, len(self._calm[kind]), self._now()):
                found[metric.name] = {**found[metric.name], (kind, *labels): value}
        return exposition(found)

    def _difference(self, kind: str, action: str) -> float:
        """The largest of one domain now."""
        found = self._differing.get(kind, {}).values()
        return max((size for sizes in found for verb, size in sizes.items() if verb == action), default=0)

    def _set(self, metric: Metric, value: float, *labels: str) -> None:
        values = self._numbers[metric.name]
        values[_bounded(values, labels)] = value

    def _count(self, metric: Metric, *labels: str, by: float = 1.0) -> None:
        values = self._numbers[metric.name]
        place = _bounded(values, labels)
        values[place] = values.get(place, 0.0) + by

    def _spread(self, metric: Metric, seconds: float, *labels: str) -> None:
        spreads = self._spreads[metric.name]
        spread = spreads.setdefault(_bounded(spreads, labels), Spread([0] * (len(metric.buckets) + 1)))
        seconds = max(0.0, seconds)  # A clock that was set back is no reason for a sum that falls.
        spread.counts[bisect_left(metric.buckets, seconds)] += 1
        spread.total += seconds


def risen(peak: Peak, size: float, window: int) -> Peak:
    """With one more size; an older window is kept only while it is the one just before."""
    if peak.window == window:
        return replace(peak, highest=max(peak.highest, size))
    return Peak(window, size, before=peak.highest if peak.window == window - 1 else 0.0)


def height(peak: Peak, window: int) -> float:
    """The highest of this window and of the one before it."""
    if peak.window == window:
        return max(peak.highest, peak.before)
    return peak.highest if peak.window == window - 1 else 0.0


def false_ratios(ended: Mapping[Labels, float]) -> dict[Labels, float]:
    """By kind: which share of the holds that ended had stopped something wanted."""
    kinds = sorted({kind for kind, _, _ in ended})
    return {(kind,): _share(ended, kind) for kind in kinds}


def _share(ended: Mapping[Labels, float], kind: str) -> float:
    counts = [(verdict, count) for (of, _, verdict), count in ended.items() if of == kind]
    return sum(count for verdict, count in counts if verdict == "false") / sum(count for _, count in counts)


def standings(
    restless: Mapping[str, Standing], calm: int, now: float
) -> Iterator[tuple[Metric, Labels, float]]:
    """Everything that follows from what the entities of one kind are now."""
    found = tuple(restless.values())
    counts = {state: sum(each.state == state for each in found) for state in State}
    counts[State.READY] += calm
    yield from ((metrics.ENTITIES, (state.value,), count) for state, count in counts.items())
    held = [each.since for each in found if each.state == State.HELD]
    yield metrics.PLANS_HELD, (), len(held)
    yield metrics.HELD, (), len(held) / max(1, len(found) + calm)
    yield metrics.WAITING, (), _age(held, now)
    yield metrics.UNCONVERGED, (), _age([e.since for e in found if e.state != State.READY], now)
    yield metrics.DRIFT_AGE, (), _age([e.drift_since for e in found if e.drift_since is not None], now)


def _age(times: list[float], now: float) -> float:
    return max(0.0, now - min(times)) if times else 0.0


def _bounded(series: Mapping[Labels, object], labels: Labels) -> Labels:
    """These labels, unless there are too many already: a monitoring system must survive our mistakes."""
    known = labels in series or len(series) < SERIES_AT_MOST
    return labels if known else (OTHER,) * len(labels)
