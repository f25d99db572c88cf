"""A provider for these tests: things with ids of their own, marks, pages and a park, and a loop over them."""

from collections.abc import Awaitable, Callable
from typing import Any

from msgspec import structs

from setpoint.engine.entity import AnyEntity, Ref
from setpoint.engine.plan import ABSENT, UNKNOWN, Absence, Action, Plan, Verb, diff, ordered
from setpoint.engine.rows import Act

PAGES = 5


class Thing:
    """Something that exists at the provider."""

    def __init__(self, identity: int, act: Act) -> None:
        self.id, self.item, self.value, self.mark = identity, act.item, act.after, act.id
        self.parked = 0.0

    def __repr__(self) -> str:
        return f"{self.id}: {self.item} = {self.value}"


async def nothing() -> None:
    """What happens meanwhile, unless a test says otherwise."""


class Depot:
    """The world, and the loop that holds it at what is declared. A create always makes a new thing."""

    settles_in = 10.0

    def __init__(self) -> None:
        self.things: dict[int, Thing] = {}
        self._by_item: dict[str, list[Thing]] = {}
        self.made = 0
        self.calls: list[Act] = []
        self.page: Callable[[int], list[Thing]] = self.page_of
        self.unknown: set[str] = set()
        self.parks = False
        self.while_acting: Callable[[], Awaitable[None]] = nothing
        self.fails: Callable[[Act], Exception | None] = lambda act: None

    def stock(self, **values: Any) -> None:
        """Things that are there already."""
        for item, value in values.items():
            self._make(Act(id="", domain=Ref(""), organization="", verb=Verb.CREATE, item=item, after=value))

    def page_of(self, number: int) -> list[Thing]:
        """Every fifth thing, beginning with this one."""
        return [thing for place, thing in enumerate(self.things.values()) if place % PAGES == number]

    def named(self, item: str) -> list[Thing]:
        return list(self._by_item.get(item, ()))

    async def observe(self, entity: AnyEntity) -> dict[str, Thing]:
        return {thing.item: thing for number in range(PAGES) for thing in self.page(number)}

    def plan(self, entity: AnyEntity, seen: dict[str, Thing], now: float) -> Plan:
        wanted = {} if entity.deleting else entity.spec.books
        there = {item: thing.value for item, thing in seen.items() if not thing.parked}
        known: dict[str, Any] = there | dict.fromkeys(self.unknown, UNKNOWN)
        actions = list(diff(wanted, known))
        if self.parks:
            actions = [self._parking(action, seen, now) for action in actions]
            actions += [
                Action(verb=Verb.DELETE, item=item, before=thing.value, explicit=True)
                for item, thing in seen.items()
                if 0.0 < thing.parked <= now and item not in wanted
            ]
        return Plan(actions=ordered(actions), desired=len(wanted), actual=len(there), known=frozenset(there))

    def _parking(self, action: Action, seen: dict[str, Thing], now: float) -> Action:
        if action.verb is Verb.DELETE:
            return structs.replace(action, verb=Verb.PARK, until=now + 7 * 86400.0)
        thing = seen.get(action.item)
        return structs.replace(action, verb=Verb.UNPARK) if thing and thing.parked else action

    async def act(self, entity: AnyEntity, act: Act) -> None:
        self.calls.append(act)
        await self.while_acting()
        error = self.fails(act)
        if error is not None and not getattr(error, "landed", False):
            raise error
        if act.verb is Verb.CREATE:
            self._make(act)
        for thing in self.named(act.item):
            self._change(thing, act)
        if error is not None:
            raise error

    def _change(self, thing: Thing, act: Act) -> None:
        match act.verb:
            case Verb.UPDATE:
                thing.value = act.after
            case Verb.PARK:
                thing.parked = act.began_at + 7 * 86400.0
            case Verb.UNPARK:
                thing.parked = 0.0
            case Verb.DELETE:
                del self.things[thing.id]
                self._by_item[thing.item].remove(thing)

    async def look(self, entity: AnyEntity, item: str) -> Any | Absence:
        if item in self.unknown:
            return UNKNOWN
        found = self.named(item)
        return found[0].value if found else ABSENT

    def _make(self, act: Act) -> None:
        self.made += 1
        self.things[self.made] = thing = Thing(self.made, act)
        self._by_item.setdefault(act.item, []).append(thing)
