"""When waiting is over: what each object is waited for, as plain decisions."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from setpoint.cli.text import clean
from setpoint.client.resource import Happening, Object

Verdict = Literal["reached", "held", "failed", "waiting"]
STATUS_EVENTS: Final = ("entity.state_changed", "entity.status_changed")
GONE: Final = "deleted"


@dataclass(frozen=True, slots=True)
class Goal:
    """One object and what it should come to: a state, or `deleted`."""

    ref: str
    title: str
    wanted: str = "READY"
    generation: int = 0
    """The intent that a status must be about, so that yesterday's READY is not taken for today's."""
    ends_early: bool = True
    """HELD and FAILED end the wait, for nothing more will happen without a person."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where an object is on its way to its goal."""

    goal: Goal
    found: Object | None
    told: bool = False
    """A status was written since we began to wait, whatever generation it is about."""

    @property
    def verdict(self) -> Verdict:
        if self.found is None:
            return "reached" if self.goal.wanted == GONE else "failed"
        current = self.found.observed_generation >= self.goal.generation
        if self.found.state == self.goal.wanted and current:
            return "reached"
        if not self.goal.ends_early or not (current or self.told):
            return "waiting"
        endings: Mapping[str, Verdict] = {"HELD": "held", "FAILED": "failed"}
        return endings.get(self.found.state, "waiting")

    @property
    def missing(self) -> str:
        """Which condition is missed, and why."""
        if self.found is None:
            return f"{self.goal.title} is gone"
        found = self.found
        if found.state == self.goal.wanted and found.observed_generation < self.goal.generation:
            lag = f"seen generation {found.observed_generation}, wanted {self.goal.generation}"
            return clean(f"{self.goal.title} is {found.state}, but about older intent ({lag})")
        words = (
            f"{self.goal.title} is {found.state}, not {self.goal.wanted}: {found.reason or 'no reason yet'}"
        )
        return clean("; ".join([words, *_unmet(found)]))

    @property
    def line(self) -> str:
        """What changed, in one line."""
        if self.found is None:
            return f"{self.goal.title} is gone"
        return clean(f"{self.goal.title} {self.found.state}: {self.found.reason}")


def moved(standing: Standing, event: Happening) -> Standing:
    """The standing after an event about its object."""
    return replace(standing, found=event.object, told=standing.told or event.type in STATUS_EVENTS)


def _unmet(found: Object) -> list[str]:
    conditions = found.status.get("conditions") or ()
    return [
        f"{condition.get('type')} is {condition.get('status')}"
        + (f" ({condition['message']})" if condition.get("message") else "")
        for condition in conditions
        if condition.get("status") != "True"
    ]
