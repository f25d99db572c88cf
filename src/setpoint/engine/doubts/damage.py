"""Limits on damage: how much may go, how heavy it is, who protects it, and on what footing we stand."""

from collections.abc import Sequence
from math import ceil

from setpoint.engine.case import Case, Doubt, Measure, Room, named, strictest
from setpoint.engine.limits import HOUR
from setpoint.engine.plan import DESTRUCTIVE, Verb
from setpoint.engine.rows import ActState, Mode


def no_deletes(case: Case) -> Doubt | None:
    """The switch or the account's mode allows no deletes."""
    lever = strictest(case.levers)
    removing = [a for a in case.plan.actions if a.destructive]
    if lever.mode is not Mode.NO_DELETES or not removing:
        return None
    return f"no deletes by {lever.source}: {len(removing)} wait", ()


def delete_budget(case: Case) -> Doubt | None:
    """Only so many deletes at once and an hour; above that none of them."""
    found = measure_deletes(case)
    if not found.used or not found.exceeded:
        return None
    cycle, hour = allowed_deletes(case)
    rule = f"the limit is {cycle} per pass and {hour} per hour ({_spent(case)} used)"
    return f"{found.used} of {case.plan.actual} would be deleted; {rule}", ()


def measure_deletes(case: Case) -> Measure:
    cycle, hour = allowed_deletes(case)
    left = max(0, min(cycle, hour - _spent(case)))
    return Measure(len(case.deletes), left, "deletes in this pass")


def allowed_deletes(case: Case) -> tuple[int, int]:
    """How many in one pass, and how many in an hour; both never fall when a domain grows."""
    limits, owned = case.limits, case.plan.actual + _spent(case)
    half = ceil(owned / 2)
    share = max(min(limits.deletes_floor, half), int(limits.deletes_share * owned))
    cycle = max(1, min(limits.deletes_ceiling, share))
    if owned <= limits.small_domain:
        return cycle, max(1, half)
    return cycle, max(limits.small_domain // 2 + 1, 2 * cycle)


def _spent(case: Case) -> int:
    """Items that went within the hour and are not back; nobody asked for that by name or approved it."""
    return len(paid_items(case, explicit=False) - case.plan.known)


def paid_items(case: Case, *, explicit: bool) -> frozenset[str]:
    """Items that were destroyed within the hour on account of a budget. Each counts once: one that comes and
    goes many times is lost once.
    """
    return frozenset(
        act.item
        for act in case.recent
        if act.verb in DESTRUCTIVE
        and (explicit or not act.explicit)
        and not act.approval
        and act.state is not ActState.FAILED
        and act.began_at > case.now - HOUR
    )


def leaves_nothing(case: Case) -> Doubt | None:
    """The last ones are never deleted without a person."""
    deletes = len(case.deletes)
    replacing = any(action.verb is Verb.REPLACE for action in case.deletes)
    if not deletes or case.plan.actual - deletes > 0 or (case.plan.desired and not replacing):
        return None
    return f"deleting {deletes} of {case.plan.actual} leaves nothing", ()


def weight(case: Case) -> Doubt | None:
    """What is destroyed together weighs no more than its heaviest item or a tenth of what is owned."""
    found = measure_weight(case)
    if found is None or not found.exceeded:
        return None
    owned = case.plan.weight or case.plan.actual
    heavy = f"{len(case.deletes)} deletes weigh {found.used} of {owned} owned"
    return f"{heavy}; allowed is {found.allowed}", ()


def measure_weight(case: Case) -> Measure | None:
    weights = [action.weight for action in case.deletes]
    if weigh_alike(case):
        return None
    owned = case.plan.weight or case.plan.actual
    return Measure(sum(weights), int(max(*weights, case.limits.weight_share * owned)), "weight destroyed")


def weigh_alike(case: Case) -> bool:
    """Where every item weighs the same, the count of deletes says it all."""
    owned = case.plan.weight or case.plan.actual
    return all(action.weight * case.plan.actual == owned for action in case.deletes)


def fleet_budget(case: Case) -> Doubt | None:
    """Deletes across all domains of an organization, an account, the installation have a budget too."""
    found, room = measure_fleet(case), _tightest(case)
    if found is None or room is None or not found.exceeded:
        return None
    asked = "1 delete" if found.used == 1 else f"{found.used} deletes"
    return f"{asked}; {room.name} has {room.left} of {room.limit} left this hour", ()


def measure_fleet(case: Case) -> Measure | None:
    paid, room = paid_items(case, explicit=True), _tightest(case)
    wanted = sum(1 for action in case.plan.actions if action.destructive and action.item not in paid)
    return Measure(wanted, room.left, f"deletes, of those left this hour in {room.name}") if room else None


def _tightest(case: Case) -> Room | None:
    return min(case.rooms, key=lambda each: each.left, default=None)


def unusual_plan(case: Case) -> Doubt | None:
    """A plan far larger than usual pages a person; what it destroys waits."""
    size = unusual_size(case)
    if not size:
        return None
    return f"{size} changes where {median(case.ledger.sizes):g} are usual; a person was told", ()


def measure_unusual(case: Case) -> Measure | None:
    limits, sizes = case.limits, case.ledger.sizes
    if len(sizes) < limits.unusual_history:
        return None
    allowed = max(limits.unusual_floor, int(limits.unusual_factor * median(sizes)))
    return Measure(max(len(case.plan.actions), unusual_size(case)), allowed, "changes at once")


def unusual_size(case: Case) -> int:
    """How large the unusual plan was whose destructive part waits; doing the rest of it changes nothing."""
    if not case.deletes or not (unusual(case) or case.ledger.unusual):
        return 0
    return max(len(case.plan.actions), case.ledger.unusual)


def unusual(case: Case) -> bool:
    """Whether this plan is far larger than the last ones."""
    size, sizes, limits = len(case.plan.actions), case.ledger.sizes, case.limits
    if size <= limits.unusual_floor or len(sizes) < limits.unusual_history:
        return False
    return size > limits.unusual_factor * median(sizes)


def probation(case: Case) -> Doubt | None:
    """On a new footing, or after a long silence, the first delete waits for complete looks."""
    found = measure_looks(case)
    if not case.deletes or not found.exceeded:
        return None
    why = "nobody looked for long" if is_silent(case) else "new code, limits or switch"
    looks = f"{found.used} of {found.allowed} complete looks"
    return f"on probation ({why}): {looks} before the first delete", ()


def measure_looks(case: Case) -> Measure:
    return Measure(proven_looks(case), case.limits.probation_looks, "complete looks", least=True)


def proven_looks(case: Case) -> int:
    """Complete looks made on the footing we stand on."""
    return 0 if case.ledger.footing != case.footing or is_silent(case) else case.ledger.looks


def is_silent(case: Case) -> bool:
    """Whether it is long ago that somebody looked here; never looked is a new footing, not a silence."""
    ledger, limits = case.ledger, case.limits
    usual = limits.silence_intervals * max(case.interval, ledger.gap)
    return bool(ledger.looked_at) and case.now - ledger.looked_at > max(limits.silence_seconds, usual)


def left_out(case: Case) -> Doubt | None:
    """What a person left out of an approval waits for one of its own."""
    left = [a.item for a in case.plan.actions if a.item in case.left]
    if not left:
        return None
    return f"left out when the rest was approved: {named(left)}", left


def protection(case: Case) -> Doubt | None:
    """What is protected is not deleted by any path."""
    guarded = [
        a.item for a in case.plan.actions if a.destructive and (a.protected or a.item in case.protected)
    ]
    if not guarded:
        return None
    return f"protected, so not deleted: {named(guarded)}", guarded


def median(sizes: Sequence[int]) -> float:
    """The one in the middle, or between the two there."""
    ordered, half = sorted(sizes), len(sizes) // 2
    return float(ordered[half]) if len(sizes) % 2 else (ordered[half - 1] + ordered[half]) / 2
