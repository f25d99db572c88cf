"""What one look at a loop found, as values: what is wanted, what is there, what its author says of each."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from setpoint.engine.ledger import Parked
from setpoint.loop.calls import Hanging

AnyValue = Any


@dataclass(frozen=True, slots=True)
class Side:
    """Everything wanted, or everything there, by key: as its author gave it, and as it is spelled."""

    values: Mapping[str, AnyValue] = field(default_factory=dict)
    spelt: Mapping[str, bytes] = field(default_factory=dict)  # Without what is UNKNOWN.


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Sealed: whoever made it got every answer."""

    wanted: Side
    found: Side
    foreign: frozenset[str] = frozenset()  # There, but not ours.
    groups: Mapping[str, str] = field(default_factory=dict)  # Of what is wanted.
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    there: frozenset[str] | None = None  # What is found, where somebody keeps account of it.
    parks: bool = False  # Whether what is taken away is parked first.
    parked: Mapping[str, Parked] = field(default_factory=dict)
    hanging: tuple[Hanging, ...] = ()  # Calls about one item that have not ended and took no effect so far.
    unlooked: Mapping[str, str] = field(default_factory=dict)  # Item -> why a look at it said nothing.
