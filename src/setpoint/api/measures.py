"""How near each guard is to holding: what is used of what is allowed, and where that number comes from."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec import Struct, to_builtins

from setpoint.api.guards import FIELDS
from setpoint.engine.case import Case
from setpoint.engine.guards import GUARDS, Guard, Verdict
from setpoint.engine.limits import Limits

AnyJson = Any
NAMED: Final = 20
"""So many of the items that a guard holds are named: it may be thousands."""


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
    found = guard.measure(case) if guard.measure is not None else None
    return to_builtins(found) if found is not None else {}
