"""A Keyed as the engine sees it: observe, plan, act, look. Its author's own values go in and come back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from msgspec.structs import replace

from setpoint.engine.entity import AnyEntity, Ref
from setpoint.engine.errors import Conflict, Missing, Rejected, Transient
from setpoint.engine.ledger import Parked
from setpoint.engine.plan import ABSENT, UNKNOWN, Absence, Plan, Verb
from setpoint.engine.rows import Act
from setpoint.engine.store import PARKED_OF, Store
from setpoint.loop.calls import Caller, Hanging
from setpoint.loop.increments import Increments
from setpoint.loop.keyed import Keyed, Terms
from setpoint.loop.planning import planned
from setpoint.loop.questions import Questions
from setpoint.loop.sight import Seen, Whole
from setpoint.loop.snapshot import Side, Snapshot
from setpoint.loop.values import like, spelled, told

AnyValue = Any
AnyJson = Any

SAME_MOMENT: Final = 0.5  # Looks so close together share one observation.


@dataclass(frozen=True, slots=True)
class Again:
    """A second observation, and when it ended."""

    at: float
    found: Mapping[str, AnyValue]


class Domain:
    """One loop. Keeps the last snapshot, to hand its author's own objects back."""

    def __init__(self, loop: Keyed, terms: Terms, store: Store, now: Callable[[], float]) -> None:
        self.loop, self.terms = loop, terms
        self.caller = Caller(now)
        self._ask = Questions(loop, terms, self.caller)
        self._store, self._now = store, now
        self._last = Snapshot(Side(), Side())
        self._again: Again | None = None
        self._trying: dict[str, Act] = {}
        self._acted: set[str] = set()
        self._unlooked: dict[str, str] = {}
        increments = self._ask.has("changes")
        self._sight: Increments | Whole = Increments(self._ask, now) if increments else Whole(self._ask)

    @property
    def settles_in(self) -> float:
        return self.terms.settles_in

    async def observe(self, entity: AnyEntity) -> Snapshot:
        """Both sides, complete; whatever fails leaves no snapshot and so no plan."""
        parked = await self._parked(entity.ref)
        acted, self._acted = frozenset(self._acted), set()
        seen = await self._sight.seen(acted, parked)
        self._again = None
        unlooked, self._unlooked = self._unlooked, {}
        self._last = Snapshot(
            wanted=seen.wanted,
            found=seen.found,
            foreign=seen.sorted.foreign,
            groups=seen.sorted.groups,
            needs=seen.sorted.needs,
            there=seen.there,
            parks=self._ask.has("park"),
            parked={key: await self._as_it_is(row, seen) for key, row in parked.items()},
            hanging=tuple(each for each in self.caller.hanging if each.key and not self._landed(each, seen)),
            unlooked=unlooked,
        )
        return self._last

    async def wanted(self) -> frozenset[str]:
        """The keys that are declared now; nothing is observed for it."""
        return frozenset(await self._ask.pairs("desired"))

    def plan(self, entity: AnyEntity, seen: Snapshot, now: float) -> Plan:
        return planned(self.terms, seen, now)

    async def act(self, entity: AnyEntity, act: Act) -> None:
        """The method for this verb, with its author's own value."""
        self._again = None
        self._trying[act.item] = act
        self._acted.add(act.item)
        try:
            await self._done(act)
        finally:
            if not self._ask.busy(act.item):
                del self._trying[act.item]

    async def look(self, entity: AnyEntity, item: str) -> AnyJson | Absence:
        """Directly where its author wrote `look`, else by observing again."""
        seen = await self._looked(item) if self._ask.has("look") else await self._observed_again(item)
        act = self._trying.get(item)
        if act is None or not self._ask.busy(item):
            return seen
        # It hangs, so it may still land: only what it was to bring about tells that it has.
        landed = ABSENT if act.verb in (Verb.DELETE, Verb.PARK) else act.after
        return seen if seen == landed else UNKNOWN

    def close(self) -> None:
        self.caller.close()

    async def _done(self, act: Act) -> None:
        key, wanted = act.item, self._last.wanted
        match act.verb:
            case Verb.DELETE:
                await self._ask.act("delete", key)
            case Verb.PARK:
                await self._ask.act("park", key, own(self._last.found, key, act.before))
            case Verb.UNPARK:
                await self._brought_back(key)
            case verb:
                await self._ask.act(self._writer(verb), key, own(wanted, key, act.after))

    async def _brought_back(self, key: str) -> None:
        if key not in self._last.wanted.values:
            raise Conflict(f"{key} is not wanted any more")  # Somebody looked again meanwhile.
        value = self._last.wanted.values[key]
        try:
            await self._ask.act("unpark", key, value)
        except Missing:  # Gone for good, so it is made anew.
            await self._ask.act(self._writer(Verb.CREATE), key, value)

    def _writer(self, verb: Verb) -> str:
        return "put" if self._ask.has("put") else verb.value

    async def _looked(self, item: str) -> AnyJson | Absence:
        sides = (self._last.wanted.values, self._last.found.values)
        none = any(item in side and side[item] is None for side in sides)
        try:
            seen = await self._ask.look(item, none=none)
        except Transient as error:
            if not self._ask.late(item):
                raise
            # One item that does not answer keeps nothing but itself waiting.
            self._unlooked[item] = str(error)
            return UNKNOWN
        return seen if isinstance(seen, Absence) else told(self._ask.spelt("look", item, seen))

    async def _observed_again(self, item: str) -> AnyJson | Absence:
        if self._again is None or self._now() - self._again.at > SAME_MOMENT:
            found = await self._ask.pairs("observe")
            self._again = Again(self._now(), found)
        seen = self._again.found.get(item, ABSENT)
        return seen if isinstance(seen, Absence) else told(self._ask.spelt("observe", item, seen))

    def _landed(self, call: Hanging, seen: Seen) -> bool:
        """Whether what a hanging act was to bring about is there: then nothing waits for its end."""
        act = self._trying.get(call.key)
        if act is None or not self._ask.busy(call.key):
            return False  # A look brings nothing about.
        if act.verb in (Verb.DELETE, Verb.PARK):
            return call.key not in seen.found.values
        value = seen.found.values.get(call.key, UNKNOWN)
        return value is not UNKNOWN and told(self._ask.spelt("observe", call.key, value)) == act.after

    async def _parked(self, ref: Ref) -> dict[str, Parked]:
        """What is on its way out."""
        rows = await self._store.read(PARKED_OF, domain=ref) if self._ask.has("park") else ()
        return {row.item: row for row in rows}

    async def _as_it_is(self, row: Parked, seen: Seen) -> Parked:
        """As it looks now that it is about to go, where it is not listed but can be looked at."""
        listed = row.item in seen.found.values or row.item in seen.wanted.values
        if row.until > self._now() or listed or not self._ask.has("look"):
            return row
        found = await self._looked(row.item)
        return row if isinstance(found, Absence) else replace(row, value=found)


def own(side: Side, key: str, plain: AnyJson) -> AnyValue:
    """The very object its author gave, or one like it where the guards took something out of it."""
    if key not in side.values or side.values[key] is UNKNOWN:
        return plain
    value = side.values[key]
    if side.spelt.get(key, spelled(value)) == spelled(plain):
        return value
    try:
        return like(value, plain)
    except ValueError as error:
        raise Rejected(f"{key}: {error}") from error
