"""What is counted, as Prometheus reads it."""

from typing import Literal

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram


class PrometheusMeter:
    """Every metric the engine publishes; labels are bounded, never an id."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._diff = Gauge(
            "setpoint_diff_changes",
            "Size of the last difference found, published before anything acts on it.",
            ("kind", "action"),
            registry=registry,
        )
        self._passes = Histogram(
            "setpoint_pass_duration_seconds", "How long passes took.", ("kind", "outcome"), registry=registry
        )
        self._acts = Counter(
            "setpoint_acts",
            "Acts that ended, by how they ended.",
            ("kind", "verb", "outcome"),
            registry=registry,
        )
        self._holds = Counter(
            "setpoint_holds", "Times a guard withheld something.", ("kind", "guard"), registry=registry
        )

    def diff(self, kind: str, sizes: dict[Literal["create", "update", "delete"], int]) -> None:
        for action, size in sizes.items():
            self._diff.labels(kind, action).set(size)

    def passed(self, kind: str, outcome: str, seconds: float) -> None:
        self._passes.labels(kind, outcome).observe(max(0.0, seconds))

    def acted(self, kind: str, verb: str, outcome: str) -> None:
        self._acts.labels(kind, verb, outcome).inc()

    def held(self, kind: str, guard: str) -> None:
        self._holds.labels(kind, guard).inc()
