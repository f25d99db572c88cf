"""Every reason to withhold a change, as one table.

Guards that doubt their inputs hold the whole plan; guards that limit damage withhold the deletes;
guards that doubt one item withhold that item. Creates and updates never need a person: they roll in waves.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import ceil
from typing import Final, Literal

from msgspec.structs import replace

from setpoint.engine import doubts
from setpoint.engine.doubts import DAY, Case, Doubt
from setpoint.engine.plan import Action, Plan
from setpoint.engine.rows import HoldRow, Ledger

Names = frozenset[str]


@dataclass(frozen=True, slots=True)
class Guard:
    """One row of the table."""

    name: str
    default: str
    withholds: Literal["plan", "deletes", "items"]
    release: str
    check: Callable[[Case], Doubt | None]
    """The sentence with its numbers, and the items concerned; None lets go."""
    waivable: bool = False

    @property
    def about(self) -> str:
        """What it is for: the first line of its check."""
        return (self.check.__doc__ or "").splitlines()[0]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What may be done now, what was withheld and why, and how much simply comes later."""

    allowed: tuple[Action, ...]
    holds: tuple[HoldRow, ...] = ()
    later: int = 0


def judge(case: Case, waived: Names = frozenset(), approved: Names = frozenset()) -> Verdict:
    """The guards in order over one case. A guard that raises denies."""
    holds = [hold for guard in GUARDS if (hold := _held(guard, case)) is not None]
    standing = tuple(
        hold for hold in holds if not (hold.guard in waived and _all_approved(hold, case.plan, approved))
    )
    withheld = frozenset(item for hold in standing for item in _withheld(hold, case.plan))
    free = tuple(a for a in case.plan.actions if a.item not in withheld)
    building = tuple(a for a in free if not a.destructive)
    doubted = frozenset(item for hold in standing if hold.withholds == "items" for item in hold.items)
    waiting = tuple(a for a in case.plan.actions if not a.destructive and a.item in doubted)
    wave = _wave(building, waiting, case)
    # Deletes come after everything that was to be built is there, never beside it.
    built = len(wave) == len(building) and not waiting
    removing = tuple(a for a in free if a.destructive) if built else ()
    return Verdict(wave + removing, standing, later=len(free) - len(wave) - len(removing))


def next_ledger(ledger: Ledger, plan: Plan, verdict: Verdict, now: float) -> Ledger:
    """What the guards will remember of this pass."""
    building = [a.item for a in plan.actions if not a.destructive]
    wave = [a.item for a in verdict.allowed if not a.destructive]
    keeps = plan.desired == ledger.accepted or any(hold.withholds == "plan" for hold in verdict.holds)
    return replace(
        ledger,
        accepted=ledger.accepted if keeps else plan.desired,
        before=ledger.before if keeps else _larger_before(ledger, plan, now),
        wave=len(wave) if wave else (ledger.wave if building else 0),
        rolling=tuple(wave) if wave else (ledger.rolling if building else ()),
        known=tuple(sorted(plan.known | (frozenset(ledger.known) & frozenset(building)))),
    )


def _held(guard: Guard, case: Case) -> HoldRow | None:
    try:
        found = guard.check(case)
    except Exception as error:  # noqa: BLE001 - a guard that cannot answer denies
        found = (f"guard {guard.name} failed: {error}", ())
    if found is None:
        return None
    message, items = found
    return HoldRow(guard=guard.name, message=message, withholds=guard.withholds, items=tuple(sorted(items)))


def _withheld(hold: HoldRow, plan: Plan) -> Iterable[str]:
    if hold.withholds == "items":
        return hold.items
    # What a person asked for by name is not subject to limits on what nobody asked for.
    spared = hold.guard in WAIVABLE
    return (
        a.item
        for a in plan.actions
        if not (spared and a.explicit) and (a.destructive or hold.withholds == "plan")
    )


def _all_approved(hold: HoldRow, plan: Plan, approved: frozenset[str]) -> bool:
    """A hold is waived only when every destructive item it concerns was approved as it stands."""
    concerned = frozenset(_withheld(hold, plan))
    return all(a.line in approved for a in plan.actions if a.destructive and a.item in concerned)


def _wave(building: tuple[Action, ...], waiting: tuple[Action, ...], case: Case) -> tuple[Action, ...]:
    """1, 2, 4 … up to the cap; until the last wave is seen to have taken, only that wave again."""
    unfinished = tuple(a for a in building if a.item in case.ledger.rolling)
    if unfinished or any(a.item in case.ledger.rolling for a in waiting):
        return unfinished
    size = max(case.plan.desired, case.plan.actual)
    cap = max(case.limits.wave_floor, ceil(case.limits.wave_share * size))
    return building[: min(cap, max(1, case.ledger.wave * 2))]


def _larger_before(ledger: Ledger, plan: Plan, now: float) -> tuple[tuple[float, int], ...]:
    """Larger sizes that were accepted within a day, less what a person deletes by name."""
    asked = sum(1 for a in plan.actions if a.destructive and a.explicit)
    known = ((until, size - asked) for until, size in (*ledger.before, (now, ledger.accepted)))
    return tuple((until, size) for until, size in known if until > now - DAY and size > plan.desired)


GUARDS: Final[tuple[Guard, ...]] = (
    Guard(
        "observe_only",
        "an account starts in observe",
        "plan",
        "setpoint resume, or set the account's mode to run",
        doubts.observe_only,
    ),
    Guard(
        "no_deletes",
        "off until set",
        "deletes",
        "setpoint resume, or set the account's mode to run",
        doubts.no_deletes,
    ),
    Guard(
        "unsettled",
        "until the deadline and the provider's lag have passed",
        "items",
        "by itself, when a look shows the act's own mark or its absence",
        doubts.unsettled,
    ),
    Guard("second_look", "always", "items", "by itself, when listing and look agree", doubts.second_look),
    Guard("empty_intent", "always", "plan", "setpoint approve", doubts.empty_intent, waivable=True),
    Guard(
        "shrunken_intent",
        "more than 20 % and more than 3 fewer",
        "plan",
        "setpoint approve",
        doubts.shrunken_intent,
        waivable=True,
    ),
    Guard(
        "delete_budget",
        "min(10, max(1, 10 %)) at once, twice that an hour; half an hour in domains of up to 10",
        "deletes",
        "setpoint approve",
        doubts.delete_budget,
        waivable=True,
    ),
    Guard("leaves_nothing", "always", "deletes", "setpoint approve", doubts.leaves_nothing, waivable=True),
    Guard("protection", "off until set", "items", "set metadata.protected to false", doubts.protection),
)
WAIVABLE: Final = frozenset(guard.name for guard in GUARDS if guard.waivable)
"""Guards that only a person can release, by approving the plan."""
