"""Every metric we publish, as one table: the exposition, the docs and the alerts are held against it."""

from typing import Final, Literal

from msgspec import Struct

Sort = Literal["counter", "gauge", "histogram"]


class Metric(Struct, frozen=True):
    """One row. Labels are bounded: kinds, verbs, guards; never an id. Base units only."""

    name: str
    sort: Sort
    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()


PASS_BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
WAIT_BUCKETS: Final = (
    *(0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0),
    *(60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, 21600.0, 86400.0),
)
"""From what nobody notices to what somebody should have."""

DIFF: Final = Metric(
    "setpoint_diff_changes",
    "gauge",
    "Size of the largest difference there is now or was in the last minute, before anything acts on it.",
    ("kind", "action"),
)
UNUSUAL: Final = Metric(
    "setpoint_unusual_plans_total", "counter", "Plans that were far larger than usual.", ("kind",)
)
PASSES: Final = Metric(
    "setpoint_pass_duration_seconds", "histogram", "How long passes took.", ("kind", "outcome"), PASS_BUCKETS
)
ACTS: Final = Metric(
    "setpoint_acts_total", "counter", "Acts that ended, by how they ended.", ("kind", "verb", "outcome")
)
HOLDS: Final = Metric(
    "setpoint_holds_total", "counter", "Times a guard withheld something.", ("kind", "guard")
)
HOLDS_ENDED: Final = Metric(
    "setpoint_holds_ended_total",
    "counter",
    "Holds that waited for a person and are over; false means that exactly what was held was wanted.",
    ("kind", "guard", "verdict"),
)
FALSE_HOLDS: Final = Metric(
    "setpoint_false_hold_ratio",
    "gauge",
    "Share of the ended holds that had stopped something wanted.",
    ("kind",),
)
CONVERGENCE: Final = Metric(
    "setpoint_convergence_seconds",
    "histogram",
    "From a change of intent until it is so.",
    ("kind",),
    WAIT_BUCKETS,
)
DRIFT: Final = Metric(
    "setpoint_drift_seconds",
    "histogram",
    "From seeing that the world has moved until it is put back.",
    ("kind",),
    WAIT_BUCKETS,
)
HALTED: Final = Metric(
    "setpoint_stopped_by_file", "gauge", "1 while the switch file in the data folder stops everything here."
)
UNREADABLE: Final = Metric(
    "setpoint_unreadable_rows", "gauge", "Rows that could not be read since this process began.", ("table",)
)
ENTITIES: Final = Metric(
    "setpoint_entities", "gauge", "How many entities are in each state now.", ("kind", "state")
)
UNCONVERGED: Final = Metric(
    "setpoint_oldest_unconverged_seconds",
    "gauge",
    "For how long the oldest entity that is not READY has been so.",
    ("kind",),
)
PLANS_HELD: Final = Metric(
    "setpoint_plans_held", "gauge", "How many entities have a plan that is held.", ("kind",)
)
WAITING: Final = Metric(
    "setpoint_oldest_held_seconds",
    "gauge",
    "For how long the oldest held entity has been waiting.",
    ("kind",),
)
DRIFT_AGE: Final = Metric(
    "setpoint_drift_age_seconds",
    "gauge",
    "For how long the oldest entity that differs from its intent has differed.",
    ("kind",),
)
HELD: Final = Metric("setpoint_held_ratio", "gauge", "Share of the entities that is held.", ("kind",))
BUDGETS: Final = Metric(
    "setpoint_budget_remaining_ratio", "gauge", "How much of a budget is left, from 1 to 0.", ("budget",)
)
CALLS: Final = Metric(
    "setpoint_provider_calls_total",
    "counter",
    "Calls to providers, by how they ended.",
    ("provider", "verb", "outcome"),
)
SEEN: Final = Metric(
    "setpoint_account_things",
    "gauge",
    "What the last complete sweep of an account found; swept even while the database is away.",
    ("provider", "sort"),
)

STARTED: Final = Metric(
    "setpoint_start_time_seconds", "gauge", "When this process began to count, in seconds since the epoch."
)

METRICS: Final = (
    *(STARTED, DIFF, UNUSUAL, PASSES, ACTS, HOLDS, HOLDS_ENDED, FALSE_HOLDS, CONVERGENCE, DRIFT),
    *(HALTED, UNREADABLE, ENTITIES, UNCONVERGED, PLANS_HELD, WAITING, DRIFT_AGE, HELD, BUDGETS, CALLS, SEEN),
)
