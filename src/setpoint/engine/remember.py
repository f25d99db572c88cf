"""What the guards will remember of a pass: the next ledger, as a pure function of this one."""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from setpoint.engine import consent
from setpoint.engine.case import Case
from setpoint.engine.doubts import effort
from setpoint.engine.doubts.damage import is_silent, proven_looks, unusual_size
from setpoint.engine.doubts.memory import memory_since
from setpoint.engine.entity import hash_of
from setpoint.engine.guards import Verdict, new_items
from setpoint.engine.ledger import REMEMBERED_SIZES, Failing, Ledger, alike
from setpoint.engine.limits import DAY
from setpoint.engine.rows import Act, ActState


def next_ledger(case: Case, verdict: Verdict, acts: Iterable[Act]) -> Ledger:
    """Equal to the last one where nothing is worth remembering: a quiet pass writes nothing."""
    acts = tuple(acts)
    ledger = _accepted(case, verdict)
    ledger = _rolled(ledger, case, acts, doubted=_is_doubted(verdict))
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
    removing = any(action.destructive for action in plan.actions)
    if verdict.approval and removing and not any(h.guard == consent.LEFT_OUT for h in verdict.holds):
        # A person agreed to all of it: what is declared now is what later plans are compared with, also those
        # that come before the deletes are done, as while they are on probation.
        return replace(ledger, accepted=plan.desired, before=(), groups=plan.groups)
    if plan.desired == ledger.accepted:
        return replace(ledger, groups=plan.groups)
    asked = sum(1 for a in plan.actions if a.destructive and a.explicit)
    known = ((until, size - asked) for until, size in (*ledger.before, (case.now, ledger.accepted)))
    larger = tuple((until, size) for until, size in known if until > case.now - DAY and size > plan.desired)
    return replace(ledger, accepted=plan.desired, before=larger, groups=plan.groups)


def _is_doubted(verdict: Verdict) -> bool:
    """Whether the observer itself is doubted: then nothing that it says is taken for known."""
    return any(hold.guard == "mass_silence" for hold in verdict.holds)


def _rolled(ledger: Ledger, case: Case, acts: Iterable[Act], *, doubted: bool = False) -> Ledger:
    """The next wave is larger after a good one, as large where keys failed for reasons of their own, and one
    where the account failed. A key that failed is no part of the wave that is waited for.
    """
    building = frozenset(a.item for a in case.plan.actions if not a.destructive)
    seen = case.plan.known | (frozenset(ledger.known) & building)
    known = ledger.known if doubted else _known(ledger, seen)
    ledger = replace(ledger, known=known)
    ended = {act.item: act for act in acts if act.item in building}
    if not ended:
        under_way = building or frozenset(ledger.rolling) & case.plan.unhealthy
        return ledger if under_way else replace(ledger, wave=0, created=0, rolling=())
    ledger = replace(ledger, rolling=tuple(item for item, act in ended.items() if act.state is ActState.DONE))
    none_taken = len(ended) > 1 and all(act.fault == "account" for act in ended.values())
    if none_taken or effort.in_trouble(case, tuple(ended.values())):
        return replace(ledger, wave=0, created=0)
    if any(act.state is not ActState.DONE for act in ended.values()):
        return ledger
    new = len(new_items(case) & ended.keys())
    return replace(ledger, created=new or ledger.created, wave=len(ended) - new or ledger.wave)


def _known(ledger: Ledger, items: frozenset[str]) -> tuple[str, ...]:
    """In order; the same tuple where nothing came or went, which is nearly always."""
    return ledger.known if items == frozenset(ledger.known) else tuple(sorted(items))


def _looked(ledger: Ledger, case: Case) -> Ledger:
    """One more complete look, if it counts: on the same footing, and long enough after the last one."""
    now = case.now
    since = now - ledger.looked_at
    ledger = replace(ledger, since=memory_since(case), limits=case.limits, former=case.former)
    if ledger.footing != case.footing:
        return replace(ledger, footing=case.footing, looks=1, looked_at=now)
    if is_silent(case):
        return replace(ledger, looks=1, looked_at=now, gap=since)
    if proven_looks(case) < max(limits.probation_looks for limits in case.in_force):
        if since < max(limits.probation_gap for limits in case.in_force):
            return ledger
        return replace(ledger, looks=ledger.looks + 1, looked_at=now, gap=since)
    # Often enough that a silence is noticed, rarely enough that rest costs no writes.
    return replace(ledger, looked_at=now) if since > case.limits.silence_seconds / 2 else ledger


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
    said, intent = act.detail, hash_of(act.after)
    if known is None or known.intent != intent:
        return Failing(said=said, intent=intent, count=1, since=act.began_at, at=act.ended_at)
    tries = known.tries + 1
    if alike(known.said) != alike(said):
        return replace(
            known, said=said, count=1, tries=tries, since=act.began_at, at=act.ended_at, alone=False
        )
    # What did well since is something else: had it been this item, its failures would be forgotten.
    alone = known.alone or any(at > known.at for at in well.values())
    return replace(known, said=said, count=known.count + 1, tries=tries, at=act.ended_at, alone=alone)
