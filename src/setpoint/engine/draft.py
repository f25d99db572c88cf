"""Declarations on their way in: who brings them, and what can be said of them without looking anything up."""

from collections.abc import Awaitable, Callable, Container, Iterator, Mapping, Sequence
from typing import Final, Literal, TypeVar

import msgspec
from msgspec import Struct

from setpoint.engine.entity import AnyJson, Declared, Ref, Scope, Shape, State, Status, hash_of
from setpoint.engine.errors import Mistake, Rejected
from setpoint.engine.kind import Kind
from setpoint.engine.store import Change

NAMED: Final = 3
PlaceT = TypeVar("PlaceT")
Written = Literal["create", "update", "delete", "execute"]


class Author(Struct, frozen=True):
    """Who declares, and for which file or loop; `prune` withdraws what that owner no longer mentions."""

    actor: str
    people: tuple[str, ...] = ()  # At the root of who made the credential; several for what a loop passes on.
    organization: str = ""
    owner: str = ""
    prune: bool = False
    if_match: str = ""
    reason: str = ""  # Why, where somebody was asked for it.
    parent: Ref | None = None  # Set by a loop that declares parts of its own entity.
    may: Callable[[Written, Declared], bool] = lambda verb, row: True
    """Whether they may do this; asked of every row that would be written, whoever drafted it."""
    sees: Callable[[Declared], bool] = lambda row: True
    """Whether they may read this: what stands in their way is named to them only if they may."""
    together: Callable[[Sequence[Declared]], Awaitable[Change]] | None = None
    """Asked of all those rows as a whole: raises, or says what the commit rests on and what goes with it."""


class Declaration(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody sent. One that is not `sound` has mistakes of its own, but still holds its place."""

    kind: str
    scope: Scope
    name: str
    spec: dict[str, AnyJson]
    labels: dict[str, str] = {}
    protected: bool | None = None  # Left out: as it is.
    pointer: str = ""  # Where in the request it stands, for mistakes.
    sound: bool = True
    ref: Ref | None = None  # Of what is adopted: the entity that its mark names.


class Named(Struct, frozen=True):
    """A spec field that names another entity."""

    field: str
    kind: str
    name: str


def names_in(kind: Kind, spec: Mapping[str, AnyJson]) -> tuple[Named, ...]:
    """Every other entity this spec names."""
    named: list[Named] = []
    for field, target in kind.references.items():
        value = spec.get(field)
        names = value if isinstance(value, list | tuple) else (value,)
        named += [Named(field, target, name) for name in names if isinstance(name, str) and name]
    return tuple(named)


def readable(item: Declaration, kind: Kind) -> Shape | None:
    """Its spec as far as it can be read: one wrong field must not hide what is wrong with the others."""
    fields = () if item.sound else _readable_fields(item, kind)
    known = item.spec if item.sound else {key: value for key, value in item.spec.items() if key in fields}
    try:
        return msgspec.convert(known, kind.spec)
    except msgspec.ValidationError:
        return None  # What is wrong there was said already.


def _readable_fields(item: Declaration, kind: Kind) -> Container[str]:
    """The fields it knows, but for those that may be left out and do not fit."""
    return {
        field.encode_name
        for field in msgspec.structs.fields(kind.spec)
        if field.required or _fits(item.spec.get(field.encode_name), field.type)
    }


def _fits(value: AnyJson, wanted: AnyJson) -> bool:
    try:
        msgspec.convert(value, wanted)
    except msgspec.ValidationError:
        return False
    return True


def cycles(edges: Mapping[PlaceT, Sequence[PlaceT]]) -> Iterator[tuple[PlaceT, ...]]:
    """Ways that end where they began, none of which shares a place with another; linear in the edges.

    Every place that is led to has edges of its own, none where it leads nowhere.
    Whatever leads nowhere is taken away, end by end. What is left always leads on, and so into a cycle.
    """
    users: dict[PlaceT, list[PlaceT]] = {}
    for ref, following in edges.items():
        for other in following:
            users.setdefault(other, []).append(ref)
    left = {ref: len(following) for ref, following in edges.items()}
    _take_away([ref for ref, count in left.items() if not count], left, users)
    while left:
        way = _cycle_from(next(iter(left)), edges, left)
        yield way
        _take_away([*way], left, users)


def _take_away(ends: list[PlaceT], left: dict[PlaceT, int], users: Mapping[PlaceT, Sequence[PlaceT]]) -> None:
    """These, and whatever leads nowhere without them."""
    while ends:
        ref = ends.pop()
        if left.pop(ref, None) is None:
            continue
        for user in users.get(ref, ()):
            if user in left:
                left[user] -= 1
                ends += () if left[user] else (user,)


def _cycle_from(
    start: PlaceT, edges: Mapping[PlaceT, Sequence[PlaceT]], left: Mapping[PlaceT, int]
) -> tuple[PlaceT, ...]:
    """The cycle that one comes to from there, where every place leads on to another that is left."""
    seen: dict[PlaceT, None] = {}
    here = start
    while here not in seen:
        seen[here] = None
        here = next(other for other in edges[here] if other in left)
    way = tuple(seen)
    return way[way.index(here) :]


def counted(rows: Sequence[Declared], sees: Callable[[Declared], bool]) -> str:
    """The first few that somebody may see by name, and how many more."""
    shown = ", ".join([f"{row.kind} {row.name}" for row in rows if sees(row)][:NAMED])
    more = len(rows) - min(NAMED, sum(map(sees, rows)))
    if not shown:
        return f"{more} object{'s' if more > 1 else ''} that you may not see"
    return f"{shown} and {more} more" if more else shown


def verb_of(row: Declared, known: Declared | None) -> str:
    """What writing this row does to what is known."""
    if row.deleting:
        return "deleted" if row.deleting == "asked" else "withdrawn"
    return "declared" if known is None else "changed"


def asking(known: Declared | None, status: Status | None, author: Author) -> tuple[str, ...]:
    """All who ask for what is not done yet, once this author has written: a change on top of others that wait
    takes nobody's name off them. What was looked at and waits for nobody is done with.
    """
    if known is None:
        return author.people
    looked_at = status is not None and status.generation >= known.generation and not status.plan
    over = looked_at and status is not None and status.state in (State.READY, State.DEGRADED)
    return tuple(dict.fromkeys((*(() if over else known.people), *author.people)))


def etag(declared: Declared) -> str:
    """Names what a person edits: not the status, and not what children do to the generation."""
    return hash_of([declared.ref, declared.spec, declared.labels, declared.protected, declared.deleting])


def check_author(rows: Sequence[Declared], author: Author) -> None:
    """Raises for those that they may not write; nobody learns from it what is there."""
    refused = [row for row in rows if not author.may(_verb(row), row)]
    if refused and all(row.deleting == "withdrawn" for row in refused):
        # What it withdraws was not named by who asks: its names are not theirs to hear.
        message = f"{author.actor} may not withdraw all that {author.owner} declared"
        raise Rejected(
            f"{message}; nothing was stored", (Mistake(pointer="/owner", code="forbidden", message=message),)
        )
    if any(row.deleting and not author.sees(row) for row in refused):
        message = f"{author.actor} may not delete all that goes with it"
        raise Rejected(
            f"{message}; nothing was stored", (Mistake(pointer="", code="forbidden", message=message),)
        )
    if refused:
        # Neither of these tells whether the thing is there: that may not be theirs to know.
        said = [f"{author.actor} may not declare {row.kind} {row.name} in {row.scope}" for row in refused]
        mistakes = tuple(Mistake(pointer="", code="forbidden", message=message) for message in said)
        raise Rejected(f"{said[0]}; nothing was stored", mistakes)


def protection_of(row: Declared, known: Declared | None) -> Literal["", "protected", "unprotected"]:
    """What writing this row does to the protection that is known."""
    before = known is not None and known.protected
    if row.protected == before:
        return ""
    return "protected" if row.protected else "unprotected"


def check_protection(rows: Sequence[Declared], known: Mapping[str, Declared], author: Author) -> None:
    """Raises where a protection would go by the word of somebody who may not take it off."""
    bare = [row for row in rows if protection_of(row, known.get(row.slot)) == "unprotected"]
    refused = [row for row in bare if not author.may("execute", row)]
    if refused:
        words = "and {actor} may not take that off; leave metadata.protected out to keep it"
        said = [f"{row.kind} {row.name} is protected, {words.format(actor=author.actor)}" for row in refused]
        mistakes = tuple(Mistake(pointer="", code="forbidden", message=message) for message in said)
        raise Rejected(f"{said[0]}; nothing was stored", mistakes)


def unprotect_command(row: Declared) -> str:
    """The command that takes the protection of this object off."""
    return f'setpoint release {row.kind} {row.name} --protection --reason "WHY"'


def _verb(row: Declared) -> Written:
    if row.deleting:
        return "delete"
    return "create" if row.generation == 0 else "update"
