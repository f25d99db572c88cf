"""What the guards decided about a plan, in one line."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from setpoint.cli.changes import SYMBOLS
from setpoint.cli.text import clean

AnyJson = Any
Body = Mapping[str, AnyJson]


def sized(verbs: Mapping[str, int]) -> str:
    """`+12 ~3 -1`: how much of each sort there is."""
    counted: Counter[str] = Counter()
    for verb, number in verbs.items():
        counted[SYMBOLS.get(verb, "~")] += number
    order = dict.fromkeys(SYMBOLS.values())
    return " ".join(f"{symbol}{counted[symbol]}" for symbol in order if counted[symbol])


def decided(verdict: Body) -> str:
    """A verdict: `held by probation; +2 let through, 3 later`."""
    return _words(sized(verdict.get("allowed") or {}), verdict)


def decided_in_short(found: Body) -> str:
    """The same from a pass in short, where what was let through is only counted."""
    allowed = int(found.get("allowed") or 0)
    return _words(f"{allowed:,}" if allowed else "", found)


def hold_lines(holds: Iterable[Body], sign: str = "!") -> list[str]:
    """Each guard with its sentence."""
    return [f"{sign} {hold.get('guard')}: {clean(str(hold.get('message')))}" for hold in holds]


def _words(allowed: str, verdict: Body) -> str:
    """The guards first: where a line is cut, they are what must stay."""
    guards, later = [str(hold.get("guard")) for hold in verdict.get("holds") or ()], verdict.get("later") or 0
    parts = [f"held by {', '.join(guards)}"] if guards else []
    if allowed or later or not guards:
        parts.append(f"{allowed or 'nothing'} let through" + (f", {later:,} later" if later else ""))
    parts += ["approved"] if verdict.get("approval") else []
    return "; ".join(parts)
