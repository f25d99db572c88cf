"""What goes wrong in one world, and how often: each fault is there or not, with a strength of its own."""

from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass, fields, replace
from random import Random
from typing import Final

PRESENT: Final = 0.7
"""How likely a fault is to exist in a world at all."""
STRONG: Final = 4.0
LATE_SECONDS: Final = 6.0
"""A request may arrive so long after its act's deadline; together with the lag less than the settling."""
LAG_SECONDS: Final = 6.0


@dataclass(frozen=True)
class Weather:
    """Chances: of one call, one commit, one hint, or of one second for what happens by itself."""

    # Between us and the cloud, per call.
    refused: float = 0.03
    dropped: float = 0.03
    lost: float = 0.06
    late: float = 0.06
    refusing: float = 0.05
    failing_after: float = 0.03
    truncated: float = 0.02
    twice: float = 0.03
    slow: float = 0.1
    empty: float = 0.04
    hidden: float = 0.04
    # Of the cloud itself, per second.
    cut_off: float = 0.01
    broken_page: float = 0.01
    lagging: float = 0.01
    failing_action: float = 0.02
    meddling: float = 0.03
    # Between us and the store, per call.
    store_slow: float = 0.05
    store_refused: float = 0.01
    store_lost: float = 0.02
    hint_lost: float = 0.3
    hint_repeated: float = 0.05
    # Of our processes, per second, or each time a named point is reached.
    killed: float = 0.012
    stopped: float = 0.006
    paused: float = 0.012
    store_away: float = 0.008
    killed_there: float = 0.02
    paused_there: float = 0.03
    # Of people's own calls.
    call_lost: float = 0.05
    reply_lost: float = 0.05
    # Of a process that has asked and not heard yet, per look at the cloud.
    heard_late: float = 0.05


CALM: Final = Weather(**{each.name: 0.0 for each in fields(Weather)})
BY_FATE: Final = {"heard_late": 0.3}
"""Faults that came later, and how likely each exists: drawn apart, they leave earlier worlds as they were."""


def drawn(chance: Random, fate: Callable[[str], float], strong: Collection[str] = ()) -> Weather:
    """One world's weather. What is to be `strong` is in it, and often: a bug that it shows shows sooner."""
    usual = asdict(Weather())
    strengths = {
        name: strength * chance.choice((0.3, 1.0, 1.0, 3.0))
        for name, strength in usual.items()
        if name not in BY_FATE and chance.random() < PRESENT
    }
    strengths |= {name: usual[name] for name, likely in BY_FATE.items() if fate(name) < likely}
    strengths |= {name: STRONG * getattr(Weather(), name) for name in strong}
    return replace(CALM, **{name: min(0.9, strength) for name, strength in strengths.items()})
