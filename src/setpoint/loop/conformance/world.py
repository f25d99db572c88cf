"""What observe() found at one moment, as a value; and how two moments differ, in words."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from setpoint.engine.plan import ABSENT, Absence
from setpoint.loop.conformance.words import short
from setpoint.loop.values import spelled, told

AnyValue = Any

NOBODY_KNOWS: Final = b"?"  # Not JSON, so nothing else is spelled like it.


@dataclass(frozen=True, slots=True)
class World:
    """Every key, with its author's own value and its spelling."""

    values: Mapping[str, AnyValue]
    spelt: Mapping[str, bytes]

    @classmethod
    def of(cls, values: Mapping[str, AnyValue]) -> "World":
        """Or ValueError, where JSON has no words for one. What is said to be absent is left out."""
        there = {key: value for key, value in values.items() if value is not ABSENT}
        return cls(there, {key: spelling(value) for key, value in there.items()})

    def without(self, keys: Collection[str]) -> "World":
        """The same but for these keys."""
        return World.of({key: value for key, value in self.values.items() if key not in keys})

    def has(self, key: str, value: AnyValue) -> bool:
        return self.spelt.get(key) == spelling(value)

    def shown(self, key: str) -> str:
        """What is there, in words."""
        if key not in self.spelt:
            return "nothing"
        text = self.spelt[key]
        return "UNKNOWN" if text == NOBODY_KNOWS else short(told(text))


def spelling(value: AnyValue) -> bytes:
    return NOBODY_KNOWS if isinstance(value, Absence) else spelled(value)


def differences(before: World, after: World, *, but: str = "") -> list[str]:
    """What changed between two moments, besides one key that was meant to."""
    keys = [key for key in {**before.spelt, **after.spelt} if key != but]
    return [_difference(key, before, after) for key in keys if before.spelt.get(key) != after.spelt.get(key)]


def _difference(key: str, before: World, after: World) -> str:
    if key not in after.spelt:
        return f"{key!r} is gone"
    if key not in before.spelt:
        return f"{key!r} came up"
    return f"{key!r} became {after.shown(key)}, was {before.shown(key)}"
