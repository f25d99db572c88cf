"""Every reason to withhold a change, as one table, and the judgement over it.

Guards that doubt their inputs hold the whole plan; guards that limit damage withhold the deletes;
guards that doubt one item withhold that item. Creates and updates never need a person: they roll in waves.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import ceil
from typing import Final, Literal

import msgspec
from msgspec import Struct

from setpoint.engine import consent
from setpoint.engine.case import Case, Doubt, Measure
from setpoint.engine.doubts import damage, effort, memory, truth
from setpoint.engine.limits import DAY
from setpoint.engine.moments import clock
from setpoint.engine.plan import Action, Verb, arranged
from setpoint.engine.rows import Approval, HoldRow

APPROVE: Final = "setpoint approve"
ITSELF: Final = "by itself"
RETRIED: Final = "by itself, or setpoint release"
UPDATES_GROW: Final = 2
CREATES_GROW: Final = 4
UNSURE: Final = frozenset({"unsettled", "second_look", "waiting"})
"""Guards that wait for news of an item: only those make the next wave wait for it as well."""


class Guard(Struct, frozen=True):
    """One row of the table."""

    name: str
    withholds: Literal["plan", "deletes", "items"]
    check: Callable[[Case], Doubt | None]
    """The sentence with its numbers, and the items concerned; None lets go."""
    release: str
    limits: tuple[str, ...] = ()  # The limits it reads; none: it has no number.
    spares: bool = False  # What a person asked for by name is not subject to it.
    lasting: bool = False  # Whether limits that were stricter within the last day count as well.
    measure: Callable[[Case], Measure | None] | None = None  # The numbers that its check goes by.

    @property
    def about(self) -> str:
        """What it is for: the first line of its check."""
        return (self.check.__doc__ or "").splitlines()[0]

    @property
    def waivable(self) -> bool:
        return self.release == APPROVE


class Verdict(msgspec.Struct, frozen=True):
    """What may be done now, what was withheld and why, and how much simply comes later."""

    allowed: tuple[Action, ...]
    holds: tuple[HoldRow, ...] = ()
    later: int = 0
    approval: str = ""  # The approval that let some of it through.


def judge(case: Case, agreed: Sequence[Approval] = ()) -> Verdict:
    """The guards in order over one case. A guard that raises denies."""
    holds = tuple(hold for guard in GUARDS if (hold := _held(guard, case)) is not None)
    asking = tuple(hold for hold in holds if hold.guard in WAIVABLE)
    approval = consent.covering(agreed, case.plan, asking) if asking else None
    left = frozenset(approval.left if approval else ())  # Whatever it waives, not these.
    waived = tuple(h for h in asking if approval and not (left and h.guard == consent.LEFT_OUT))
    standing = tuple(h for h in holds if h not in waived)
    doubtful = left.union(item for h in standing for item in _withheld(h, case))
    withheld = truth.with_dependents(doubtful, case.plan)
    free = arranged((a for a in case.plan.actions if a.item not in withheld), case.plan.needs)
    building = tuple(a for a in free if not a.destructive)
    wave = _wave(building, _items(h for h in standing if h.guard in UNSURE), case)
    # Deletes come after everything that was to be built is there, never beside it.
    # What another writer keeps is not waited for: that could be for ever.
    doubted = _items(h for h in standing if h.guard != "contested")
    absent = any(a.verb in truth.MAKING and a.item in doubted for a in case.plan.actions)
    built = len(wave) == len(building) and not absent
    removing = tuple(a for a in free if a.destructive) if built else ()
    later = len(free) - len(wave) - len(removing)
    allowed = _uncontested(wave, case) + removing
    return Verdict(allowed, standing, later, approval.id if approval else "")


def _held(guard: Guard, case: Case) -> HoldRow | None:
    try:
        found = guard.check(case) or _formerly(guard, case)
    except Exception as error:  # noqa: BLE001 - a guard that cannot answer denies
        found = (f"guard {guard.name} failed: {error}", ())
        return HoldRow(guard=guard.name, message=found[0], withholds="plan")
    if found is None:
        return None
    message, items = found
    return HoldRow(guard=guard.name, message=message, withholds=guard.withholds, items=tuple(sorted(items)))


def _formerly(guard: Guard, case: Case) -> Doubt | None:
    """What it finds by the limits of the last day: a looser one counts for deletes only after that."""
    for former in case.former if guard.lasting else ():
        if (found := guard.check(case.under(former.limits))) is not None:
            since = clock(former.until + DAY, case.now)
            return f"{found[0]}; a looser limit was set and counts for deletes from {since}", found[1]
    return None


def _withheld(hold: HoldRow, case: Case) -> Iterable[str]:
    if hold.withholds == "items":
        return hold.items
    spared = hold.guard in SPARING
    return (
        a.item
        for a in case.plan.actions
        if not (spared and (a.explicit or case.deleting)) and (a.destructive or hold.withholds == "plan")
    )


def _items(holds: Iterable[HoldRow]) -> frozenset[str]:
    return frozenset(item for hold in holds for item in hold.items)


def _uncontested(wave: tuple[Action, ...], case: Case) -> tuple[Action, ...]:
    """The wave without the fields that another writer keeps."""
    fields = effort.contested_fields(case)
    return tuple(effort.uncontested(a, fields.get(a.item, frozenset())) or a for a in wave)


def _wave(building: tuple[Action, ...], unsure: frozenset[str], case: Case) -> tuple[Action, ...]:
    """Updates 1, 2, 4 … up to the cap, what is new 1, 4, 16 …; nothing more before the last wave is well."""
    rolling = frozenset(case.ledger.rolling)
    unfinished = tuple(a for a in building if a.item in rolling)
    if unfinished or rolling & (case.plan.unhealthy | unsure):
        return unfinished
    size = max(case.plan.desired, case.plan.actual)
    cap = max(case.limits.wave_floor, ceil(case.limits.wave_share * size))
    new, ordered = new_items(case), _failed_last(building, case)
    made = [a for a in ordered if a.item in new][: max(1, case.ledger.created * CREATES_GROW)]
    changed = [a for a in ordered if a.item not in new][: min(cap, max(1, case.ledger.wave * UPDATES_GROW))]
    chosen = frozenset(a.item for a in (*made, *changed))
    wave = tuple(a for a in ordered if a.item in chosen)
    return _with_their_needs(wave, building, case.plan.needs) if case.plan.needs else wave


def _failed_last(building: tuple[Action, ...], case: Case) -> Sequence[Action]:
    """What failed before, and what needs it, comes last: however much it is, it takes nobody's place."""
    failing, needs = case.ledger.failing, case.plan.needs
    if not failing:
        return building
    at: dict[str, float] = {}
    for action in building:  # What others need comes before them.
        own = failing[action.item].at if action.item in failing else effort.NEVER
        at[action.item] = max([own, *(at.get(need, effort.NEVER) for need in needs.get(action.item, ()))])
    return sorted(building, key=lambda action: at[action.item])


def _with_their_needs(
    wave: tuple[Action, ...], building: tuple[Action, ...], needs: Mapping[str, tuple[str, ...]]
) -> tuple[Action, ...]:
    """The wave without what needs something that is still to be built and no part of it."""
    missing = {action.item for action in building} - {action.item for action in wave}
    kept = []
    for action in wave:  # What others need comes before them.
        if missing.isdisjoint(needs.get(action.item, ())):
            kept.append(action)
        else:
            missing.add(action.item)
    return tuple(kept)


def new_items(case: Case) -> frozenset[str]:
    """Items to be made that have never been there: making one of them harms no neighbour."""
    making = frozenset(a.item for a in case.plan.actions if a.verb is Verb.CREATE)
    return making.difference(case.ledger.known) if making else making


GUARDS: Final[tuple[Guard, ...]] = (
    Guard("observe_only", "plan", truth.observe_only, "setpoint resume, or the account's mode"),
    Guard("no_deletes", "deletes", damage.no_deletes, "setpoint resume, or the account's mode"),
    Guard("unsettled", "items", truth.unsettled, ITSELF),
    Guard("second_look", "items", truth.second_look, ITSELF),
    Guard("waiting", "items", truth.waiting, ITSELF),
    Guard(
        "mass_silence",
        "plan",
        truth.mass_silence,
        APPROVE,
        ("vanished_share", "vanished_floor"),
        measure=truth.measure_silence,
    ),
    Guard("newer_than_journal", "deletes", truth.newer_than_journal, APPROVE),
    Guard("adoption", "items", truth.adoption, APPROVE),
    Guard("empty_intent", "plan", truth.empty_intent, APPROVE, spares=True),
    Guard(
        "shrunken_intent",
        "plan",
        truth.shrunken_intent,
        APPROVE,
        ("shrink_share", "shrink_floor"),
        spares=True,
        lasting=True,
        measure=truth.measure_shrinking,
    ),
    Guard("lost_group", "plan", truth.lost_group, APPROVE, ("group_floor",), spares=True, lasting=True),
    Guard("new_memory", "deletes", memory.new_memory, APPROVE, spares=True),
    Guard(
        "delete_budget",
        "deletes",
        damage.delete_budget,
        APPROVE,
        ("deletes_share", "deletes_ceiling", "deletes_floor", "small_domain"),
        spares=True,
        lasting=True,
        measure=damage.measure_deletes,
    ),
    Guard("leaves_nothing", "deletes", damage.leaves_nothing, APPROVE, spares=True),
    Guard(
        "weight",
        "deletes",
        damage.weight,
        APPROVE,
        ("weight_share",),
        spares=True,
        lasting=True,
        measure=damage.measure_weight,
    ),
    Guard(
        "fleet_budget",
        "deletes",
        damage.fleet_budget,
        APPROVE,
        ("fleet_tenant", "fleet_account", "fleet_installation"),
        lasting=True,
        measure=damage.measure_fleet,
    ),
    Guard(
        "unusual_plan",
        "deletes",
        damage.unusual_plan,
        APPROVE,
        ("unusual_factor", "unusual_floor", "unusual_history"),
        spares=True,
        lasting=True,
        measure=damage.measure_unusual,
    ),
    Guard(
        "probation",
        "deletes",
        damage.probation,
        ITSELF,
        ("probation_looks", "probation_gap", "silence_seconds", "silence_intervals"),
        spares=True,
        lasting=True,
        measure=damage.measure_looks,
    ),
    Guard(consent.LEFT_OUT, "items", damage.left_out, APPROVE),
    Guard("protection", "items", damage.protection, "setpoint release"),
    Guard(
        "failure_brake",
        "items",
        effort.failure_brake,
        RETRIED,
        ("brake_window", "brake_share", "brake_probe_seconds", "brake_good"),
    ),
    Guard(
        "contested",
        "items",
        effort.contested,
        "setpoint release, or another intent",
        ("contested_times", "contested_seconds", "contested_intervals"),
    ),
    Guard("back_off", "items", effort.back_off, RETRIED),
    Guard("slow_lane", "items", effort.slow_lane, RETRIED, ("slow_failures", "slow_seconds")),
)
WAIVABLE: Final = frozenset(guard.name for guard in GUARDS if guard.waivable)
"""Guards that only a person can release, by approving the plan."""
SPARING: Final = frozenset(guard.name for guard in GUARDS if guard.spares)
