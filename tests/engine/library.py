"""A world for these tests: shelves that hold books, in a library that is a dictionary.

A shelf is a domain whose spec lists its books; a book may also be declared on its own, as a part of it.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Final

from msgspec import field, structs

from setpoint.engine.entity import AnyEntity, Ref, Shape
from setpoint.engine.kind import Every, Kind, Kinds, On
from setpoint.engine.plan import ABSENT, Absence, Member, Plan, diff
from setpoint.engine.rows import Act, Mode

Hook = Callable[[], Awaitable[None]]


class Shelf(Shape, frozen=True):
    """A domain: book -> what is printed in it."""

    books: dict[str, Any] = field(default_factory=dict)
    account: str = ""


class Book(Shape, frozen=True):
    """A part of a shelf, declared on its own."""

    shelf: str
    text: str = ""


class Account(Shape, frozen=True):
    mode: str = "run"


class Note(Shape, frozen=True):
    """Stored and read by others; nobody watches over it."""

    about: tuple[str, ...] = ()


class Place(Shape, frozen=True):
    """Something that others live in."""


async def nothing() -> None:
    """What happens meanwhile, unless a test says otherwise."""


class LibraryLoop:
    """Holds `found` at what is declared; a test may script every answer."""

    def __init__(self) -> None:
        self.found: dict[str, Any] = {}
        self.places: dict[str, dict[str, Any]] = {}
        """Domain -> what is there, where a test has more than one."""
        self.settles_in = 10.0
        self.acts: list[Act] = []
        self.looked: list[str] = []
        self.answers: dict[str, list[Exception]] = {}
        """Item -> what the next calls on it raise; the call lands if the error says so."""
        self.looks: dict[str, Any] = {}
        """Item -> what a direct look says, where it differs from `found`."""
        self.blind: Exception | None = None
        self.while_observing: Hook = nothing
        self.while_acting: Hook = nothing
        self.say: dict[str, Any] = {}
        """Fields of the plan that a test sets itself."""
        self.say_gone: set[str] = set()
        self.members: Callable[[AnyEntity, dict[str, Any]], tuple[Member, ...]] = lambda entity, seen: ()

    async def observe(self, entity: AnyEntity) -> dict[str, Any]:
        if self.blind is not None:
            raise self.blind
        seen = dict(self.there(entity.ref))
        await self.while_observing()
        return seen

    def plan(self, entity: AnyEntity, seen: dict[str, Any], now: float) -> Plan:
        wanted = {} if entity.deleting else getattr(entity.spec, "books", {})
        explicit = frozenset(seen) if entity.deleting == "asked" else frozenset()
        actions = diff(wanted, seen, explicit=explicit)
        plan = Plan(
            actions=actions,
            facts={"books": len(seen)},
            desired=len(wanted),
            actual=len(seen),
            known=frozenset(seen),
            members=self.members(entity, seen),
            gone=bool(entity.deleting) and not actions,
        )
        return structs.replace(plan, **self.say)

    async def act(self, entity: AnyEntity, act: Act) -> None:
        self.acts.append(act)
        await self.while_acting()
        waiting = self.answers.get(act.item, [])
        error = waiting.pop(0) if waiting else None
        if error is None or getattr(error, "landed", False):
            self._land(act)
        if error is not None:
            raise error

    async def look(self, entity: AnyEntity, item: str) -> Any | Absence:
        self.looked.append(item)
        found = self.looks.get(item, self.there(entity.ref).get(item, ABSENT))
        if isinstance(found, Exception):
            raise found
        return found

    def there(self, domain: Ref) -> dict[str, Any]:
        return self.places.get(domain, self.found)

    def _land(self, act: Act) -> None:
        if act.after is None:
            self.there(act.domain).pop(act.item, None)
        else:
            self.there(act.domain)[act.item] = act.after


def kinds_of(loop: LibraryLoop) -> Kinds:
    """Everything that can be declared in these tests."""
    told = ("entity.state_changed", "entity.config_changed", "entity.deleted", "shelf.burns", "act.done")
    kinds = (
        _kind("organization", "installation", Place, loop=loop),
        _kind("project", "organization", Place, loop=loop),
        _kind("workspace", "project", Place, loop=loop),
        _kind("account", "organization", Account, mode=lambda spec: Mode(spec.mode)),
        _kind(
            "shelf",
            "project",
            Shelf,
            loop=loop,
            references={"account": "account"},
            on=(On(told[0]), On(told[1])),
        ),
        _kind("stack", "project", Shelf, loop=loop, at_once=4),
        _kind("book", "project", Book, parent="shelf", references={"shelf": "shelf"}),
        _kind("note", "project", Note, references={"about": "note"}),
        _kind(
            "reader",
            "project",
            Book,
            loop=loop,
            references={"shelf": "shelf"},
            on=tuple(On(event, "reference") for event in told),
        ),
        _kind("lamp", "project", Place, loop=loop, on=tuple(On(event, "parent") for event in told)),
        _kind("room", "project", Place, loop=loop, on=tuple(On(event, "child") for event in told)),
    )
    return {kind.name: kind for kind in kinds}


def _kind(name: str, level: Any, spec: type[Shape], loop: LibraryLoop | None = None, **more: Any) -> Kind:
    return Kind(
        name=name,
        plural=f"{name}s",
        about=f"A {name}.",
        level=level,
        spec=spec,
        example={},
        loop=None if loop is None else (lambda world: loop),
        every=None if loop is None else Every(EVERY),
        **more,
    )


EVERY: Final = 60.0
