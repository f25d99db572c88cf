"""Doubts about our own memory: one that began lately, and limits that were loosened lately.

A guard that goes by what was done and declared before is no better than its memory. Where things carry no
mark, a memory that was lost looks like one that is new: both are judged as if much had been deleted
just before. A limit that was loosened with a declaration is part of the same edit: for a day the stricter one
counts as well.
"""

from msgspec.structs import replace

from setpoint.engine.case import Case, Doubt, named
from setpoint.engine.doubts.truth import MADE_ANEW
from setpoint.engine.ledger import Former
from setpoint.engine.limits import DAY, HOUR, Limits
from setpoint.engine.moments import clock
from setpoint.engine.plan import Plan, Verb
from setpoint.engine.rows import ActState


def new_memory(case: Case) -> Doubt | None:
    """For the first hour of a memory nothing goes that it did not make, unless deletes were approved."""
    going = strangers(case).intersection(action.item for action in case.deletes)
    began = memory_since(case)
    if not going or is_vouched_for(case) or not is_doubted(case) or began + HOUR <= case.now:
        return None
    made = f"{len(going)} would be deleted that no act on record made: {named(going)}"
    start, end = clock(began, case.now), clock(began + HOUR, case.now)
    return f"{made}; nothing from before {start} is remembered, so no deletes are left until {end}", ()


def memory_since(case: Case) -> float:
    """How far back the memory goes: to now, before the first look."""
    return case.ledger.since if case.ledger.looked_at else case.now


def is_doubted(case: Case) -> bool:
    """Whether a memory that is new may be one that was lost. One thing alone cannot be lost bit by bit."""
    return case.unmarked and len(strangers(case)) > 1


def is_vouched_for(case: Case) -> bool:
    """Whether a person who saw what was to go approved deletes that are on record; a lost memory has none."""
    return any(act.approval and act.destructive for act in case.recent)


def strangers(case: Case) -> frozenset[str]:
    """Items that are there, or are to go, and that no act we remember has made."""
    made = {act.item for act in case.recent if act.verb in MADE_ANEW and act.state is ActState.DONE}
    return case.plan.known.union(action.item for action in case.deletes) - made


def former_limits(case: Case) -> tuple[Former, ...]:
    """Limits that are not in force any more and count for deletes all the same, the last one first."""
    ledger, now = case.ledger, case.now
    before = ledger.limits
    if not ledger.looked_at and is_doubted(case):
        before = Limits()  # Nobody knows which they were.
    late = (Former(limits=before, until=now),) if before and before != case.limits else ()
    kept = {each.limits: each for each in (*ledger.former, *late)}
    still = (each for each in kept.values() if each.until > now - DAY and each.limits != case.limits)
    return tuple(sorted(still, key=lambda each: -each.until))


def parked_longest(case: Case) -> Plan:
    """The plan, with what is parked able to come back for as long as any limit of the last day says."""
    more = max(limits.park_seconds for limits in case.in_force) - case.limits.park_seconds
    if not more:
        return case.plan
    parked = (replace(a, until=a.until + more) if a.verb is Verb.PARK else a for a in case.plan.actions)
    return replace(case.plan, actions=tuple(parked))
