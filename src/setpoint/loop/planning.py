"""From a snapshot to a plan: pure. What to make, change, park, bring back and take away."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from setpoint.engine.case import named
from setpoint.engine.conclude import sentence
from setpoint.engine.entity import State
from setpoint.engine.plan import Action, Plan, Verb, ordered
from setpoint.loop.keyed import Terms
from setpoint.loop.snapshot import Snapshot
from setpoint.loop.values import told

AnyJson = Any
STUCK: Final = "stuck"
"""Among a loop's facts: item -> the call about it that does not end."""


def planned(terms: Terms, seen: Snapshot, now: float) -> Plan:
    """Everything that one look at a loop concludes."""
    difference = _Difference(terms, seen, now)
    actions = difference.actions()
    there = difference.there()
    strangers = difference.strangers()
    stuck = difference.stuck()
    state = State.PENDING if actions else State.READY
    reason = difference.reason(actions, strangers)
    return Plan(
        actions=actions,
        state=State.DEGRADED if strangers or stuck else state,
        reason=f"{_first(stuck)} ({reason})" if stuck else reason,
        facts={STUCK: stuck} if stuck else {},
        desired=len(seen.wanted.values),
        actual=len(there),
        known=there,
        weight=terms.weight * len(there),
        groups=dict(Counter(seen.groups.values())),
        needs=dict(seen.needs),
    )


@dataclass(frozen=True, slots=True)
class _Difference:
    terms: Terms
    seen: Snapshot
    now: float

    def there(self) -> frozenset[str]:
        """What is there and ours, without what is on its way out."""
        found = self.seen.there
        found = frozenset(self.seen.found.values) if found is None else found
        leaving = self.seen.parked.keys() - self.seen.wanted.values.keys()
        return found - leaving if leaving else found

    def strangers(self) -> frozenset[str]:
        """What is wanted under a name that somebody else has taken."""
        return frozenset(self.seen.foreign & self.seen.wanted.values.keys())

    def stuck(self) -> dict[str, str]:
        """Item -> what is said of the call about it that does not end."""
        late = self.now - self.terms.deadline - self.terms.settles_in
        hanging = {call.key: str(call) for call in self.seen.hanging if call.since <= late}
        return {**self.seen.unlooked, **hanging}

    def actions(self) -> tuple[Action, ...]:
        return ordered((*self._built(), *self._removed()))

    def reason(self, actions: tuple[Action, ...], strangers: frozenset[str]) -> str:
        """`3 in step`, or `2 to create, 1 to delete`, and what else is worth a word."""
        said = [sentence(actions) if actions else f"{len(self.seen.wanted.values)} in step"]
        leaving = [row.until for key, row in self.seen.parked.items() if key not in self.seen.wanted.values]
        if leaving:
            # A point in time, not a length: a reason that changes by itself would be written at every pass.
            until = datetime.fromtimestamp(min(leaving), UTC)
            said.append(f"{len(leaving)} parked, until {until:%Y-%m-%d %H:%M} UTC at least")
        if strangers:
            said.append(f"left alone, because mine() says that it is not ours: {named(strangers)}")
        return "; ".join(said)

    def _built(self) -> Iterator[Action]:
        found, parked = self.seen.found, self.seen.parked
        for key, after in self.seen.wanted.spelt.items():
            before = found.spelt.get(key)
            if key in parked:
                held = parked[key].value
                yield self._action(Verb.UNPARK, key, told(before) if before else held, held)
            elif before == after or key in self.seen.foreign:
                continue
            elif before is not None:
                yield self._action(Verb.UPDATE, key, told(before), told(after))
            elif key not in found.values:  # Else it is UNKNOWN.
                yield self._action(Verb.CREATE, key, None, told(after))

    def _removed(self) -> Iterator[Action]:
        wanted, found, parked = self.seen.wanted.values, self.seen.found, self.seen.parked
        for key, before in found.spelt.items():
            if key not in wanted and key not in parked:
                yield self._taken_away(key, told(before))
        for key, row in parked.items():
            unknown = key in found.values and key not in found.spelt
            if key not in wanted and not unknown and row.until <= self.now:
                before = told(found.spelt[key]) if key in found.spelt else row.value
                # Parking it was judged as its deletion; there is no second judgement, only a second look.
                yield self._action(Verb.DELETE, key, before, None, explicit=True)

    def _taken_away(self, key: str, before: AnyJson) -> Action:
        if not self.seen.parks:
            return self._action(Verb.DELETE, key, before, None)
        # After a parking nobody knows how it looks, so no look can take an older state for it.
        return self._action(Verb.PARK, key, before, None, until=self.now + self.terms.limits.park_seconds)

    def _action(self, verb: Verb, key: str, before: AnyJson, after: AnyJson, **more: Any) -> Action:
        return Action(verb=verb, item=key, before=before, after=after, weight=self.terms.weight, **more)


def _first(stuck: Mapping[str, str]) -> str:
    """The first of these sentences, and how many more there are."""
    said, *others = stuck.values()
    return f"{said}; and {len(others)} more like it" if others else said


def cycle_in(needs: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """A way from some item back to itself; empty where there is none."""
    clear: set[str] = set()
    for start in needs:
        trail: dict[str, Iterator[str]] = {}
        following = start
        while following or trail:
            if following in trail:
                way = list(trail)
                return (*way[way.index(following) :], following)
            if following and following not in clear:
                trail[following] = iter(needs.get(following, ()))
            if not trail:
                break
            last = next(reversed(trail))
            following = next(trail[last], "")
            if not following:
                clear.add(last)
                del trail[last]
    return ()
