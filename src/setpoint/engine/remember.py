"""What the guards will remember of a pass: the next ledger, as a pure function of this one."""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from setpoint.engine.case import Case
from setpoint.engine.doubts import effort
from setpoint.engine.doubts.damage import is_silent, proven_looks, unusual_size
from setpoint.engine.entity import hash_of
from setpoint.engine.guards import Verdict
from setpoint.engine.ledger import REMEMBERED_SIZES, Failing, Ledger, alike
from setpoint.engine.limits import DAY
from setpoint.engine.rows import Act, ActState


def next_ledger(case: Case, verdict: Verdict, acts: Iterable[Act]) -> Ledger:
    """Equal to the last one where nothing is worth remembering: a quiet pass writes nothing."""
    ledger = _accepted(case, verdict)
    ledger = _rolled(ledger, case, verdict)
    ledger = _looked(ledger, case)
    ledger = _sized(ledger, case)
    items = frozenset(action.item for action in case.plan.actions)
    failing = _failing(ledger, acts, case) if items else {}
    failing = {item: each for item, each in failing.items() if item in items}
    return replace(ledger, failing=failing, contested=effort.contests(case))


def _accepted(case: Case, verdict: Verdict) -> Ledger:
    ledger, plan = case.ledger, case.plan
    if any(hold.withholds == "plan" for hold in verdict.holds):
        return ledger
    if plan.desired == ledger.accepted:
        return replace(ledger, groups=plan.groups)
    asked = sum(1 for a in plan.actions if a.destructive and a.explicit)
    known = ((until, size - asked) for until, size in (*ledger.before, (case.now, ledger.accepted)))
    larger = tuple((until, size) for until, size in known if until > case.now - DAY and size > plan.desired)
    return replace(ledger, accepted=plan.desired, before=larger, groups=plan.groups)


def _rolled(ledger: Ledger, case: Case, verdict: Verdict) -> Ledger:
    building = [a.item for a in case.plan.actions if not a.destructive]
    wave = [a.item for a in verdict.allowed if not a.destructive]
    under_way = bool(building or frozenset(ledger.rolling) & case.plan.unhealthy)
    return replace(
        ledger,
        wave=len(wave) if wave else (ledger.wave if under_way else 0),
        rolling=tuple(wave) if wave else (ledger.rolling if under_way else ()),
        known=_known(ledger, case.plan.known | (frozenset(ledger.known) & frozenset(building))),
    )


def _known(ledger: Ledger, items: frozenset[str]) -> tuple[str, ...]:
    """In order; the same tuple where nothing came or went, which is nearly always."""
    return ledger.known if items == frozenset(ledger.known) else tuple(sorted(items))


def _looked(ledger: Ledger, case: Case) -> Ledger:
    """One more complete look, if it counts: on the same footing, and long enough after the last one."""
    limits, now = case.limits, case.now
    since = now - ledger.looked_at
    if ledger.footing != case.footing:
        return replace(ledger, footing=case.footing, looks=1, looked_at=now)
    if is_silent(case):
        return replace(ledger, looks=1, looked_at=now, gap=since)
    if proven_looks(case) < limits.probation_looks:
        if since < limits.probation_gap:
            return ledger
        return replace(ledger, looks=ledger.looks + 1, looked_at=now, gap=since)
    # Often enough that a silence is noticed, rarely enough that rest costs no writes.
    return replace(ledger, looked_at=now) if since > limits.silence_seconds / 2 else ledger


def _sized(ledger: Ledger, case: Case) -> Ledger:
    size = len(case.plan.actions)
    since = (ledger.differs_since or case.now) if size else 0.0
    sizes = (*ledger.sizes, size)[-REMEMBERED_SIZES:] if size > ledger.planned else ledger.sizes
    unusual = unusual_size(case)
    return replace(ledger, planned=size, sizes=sizes, unusual=unusual, differs_since=since)


def _failing(ledger: Ledger, acts: Iterable[Act], case: Case) -> dict[str, Failing]:
    """Failures in the order they ended, those included that a look has settled since."""
    failing = {item: each for item, each in ledger.failing.items() if each.at > effort.let_go(case, item)}
    known = {item: each.at for item, each in failing.items()}
    late = (a for a in case.recent if a.ended_at > known.get(a.item, effort.let_go(case, a.item)))
    well = {"": case.elsewhere}  # Item -> when it last did well; "" is everything outside this domain.
    for act in (*sorted(late, key=lambda act: act.ended_at), *acts):
        if act.state is ActState.DONE:
            well[act.item] = act.ended_at
            failing.pop(act.item, None)
        if act.state is ActState.FAILED and not act.deferred:
            failing[act.item] = _failed(failing.get(act.item), act, well)
    return failing


def _failed(known: Failing | None, act: Act, well: Mapping[str, float]) -> Failing:
    said, intent = alike(act.detail), hash_of(act.after)
    if known is None or (known.said, known.intent) != (said, intent):
        return Failing(said=said, intent=intent, count=1, since=act.began_at, at=act.ended_at)
    # What did well since is something else: had it been this item, its failures would be forgotten.
    alone = known.alone or any(at > known.at for at in well.values())
    return replace(known, count=known.count + 1, at=act.ended_at, alone=alone)
