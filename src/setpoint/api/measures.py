"""How near each guard is to holding: what is used of what is allowed, and where that number comes from."""

from collections.abc import Callable, Mapping
from math import ceil
from statistics import median
from typing import Any, Final

from msgspec import Struct

from setpoint.api.guards import FIELDS
from setpoint.engine.case import Case
from setpoint.engine.doubts.damage import allowed_deletes, proven_looks, weigh_alike
from setpoint.engine.guards import GUARDS, Guard, Verdict
from setpoint.engine.limits import DAY, Limits
from setpoint.engine.plan import Verb

AnyJson = Any
NAMED: Final = 20
"""So many of the items that a guard holds are named: it may be thousands."""


class Used(Struct, frozen=True):
    """So many of so many; `least`: that many are needed, not allowed."""

    used: float
    allowed: float
    of: str
    least: bool = False


class Sources(Struct, frozen=True):
    """Where a limit is set: for one object, for its kind, for everybody, or nowhere."""

    everywhere: Limits
    narrower: Mapping[str, Limits]

    def of(self, limit: str, kind: str, name: str) -> str:
        usual, all_of = getattr(self.everywhere, limit), self.narrower.get(kind)
        own = self.narrower.get(f"{kind}/{name}")
        if own is not None and getattr(own, limit) != getattr(all_of or self.everywhere, limit):
            return f"set for {kind} {name}"
        if all_of is not None and getattr(all_of, limit) != usual:
            return f"set for every {kind}"
        return "the default" if usual == FIELDS[limit]["default"] else "set for the installation"


def measured(case: Case, verdict: Verdict, named: Callable[[str], str]) -> list[dict[str, AnyJson]]:
    """Every guard in order: whether it held, its sentence, its numbers, and the limits behind them."""
    holds = {hold.guard: hold for hold in verdict.holds}
    return [
        {
            "name": guard.name,
            "about": guard.about,
            "withholds": guard.withholds,
            "release": guard.release,
            "approvable": guard.waivable,
            "held": guard.name in holds,
            "message": holds[guard.name].message if guard.name in holds else "",
            "items": list(holds[guard.name].items[:NAMED]) if guard.name in holds else [],
            **_numbers(guard, case),
            "limits": [
                {"name": limit, "value": getattr(case.limits, limit), "from": named(limit)}
                for limit in guard.limits
            ],
        }
        for guard in GUARDS
    ]


def _numbers(guard: Guard, case: Case) -> dict[str, AnyJson]:
    found = MEASURES[guard.name](case) if guard.name in MEASURES else None
    if found is None:
        return {}
    return {"used": found.used, "allowed": found.allowed, "of": found.of, "least": found.least}


def _deletes(case: Case) -> Used:
    cycle, _ = allowed_deletes(case)
    return Used(len(case.deletes), cycle, "deletes at once")


def _shrink(case: Case) -> Used:
    earlier = (size for until, size in case.ledger.before if until > case.now - DAY)
    largest = max([case.ledger.accepted, *earlier])
    allowed = max(case.limits.shrink_floor, int(case.limits.shrink_share * largest))
    return Used(max(0, largest - case.plan.desired), allowed, "fewer declared within a day")


def _weight(case: Case) -> Used | None:
    if weigh_alike(case):
        return None
    weights = [action.weight for action in case.deletes]
    owned = case.plan.weight or case.plan.actual
    return Used(sum(weights), ceil(max([*weights, case.limits.weight_share * owned])), "weight destroyed")


def _fleet(case: Case) -> Used | None:
    wanted = sum(1 for action in case.plan.actions if action.destructive)
    room = min(case.rooms, key=lambda each: each.left, default=None)
    return Used(wanted, room.left, f"deletes left this hour in {room.name}") if room else None


def _unusual(case: Case) -> Used | None:
    limits, sizes = case.limits, case.ledger.sizes
    if len(sizes) < limits.unusual_history:
        return None
    allowed = max(limits.unusual_floor, int(limits.unusual_factor * median(sizes)))
    return Used(len(case.plan.actions), allowed, "changes at once")


def _looks(case: Case) -> Used:
    return Used(proven_looks(case), case.limits.probation_looks, "complete looks", least=True)


def _silence(case: Case) -> Used:
    known = frozenset(case.ledger.known)
    gone = sum(1 for a in case.plan.actions if a.verb is Verb.CREATE and a.item in known)
    allowed = max(case.limits.vanished_floor, int(case.limits.vanished_share * len(known)))
    return Used(gone, allowed, "gone at once")


MEASURES: Final[Mapping[str, Callable[[Case], Used | None]]] = {
    "mass_silence": _silence,
    "shrunken_intent": _shrink,
    "delete_budget": _deletes,
    "weight": _weight,
    "fleet_budget": _fleet,
    "unusual_plan": _unusual,
    "probation": _looks,
}
