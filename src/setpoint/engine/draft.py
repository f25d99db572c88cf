"""Declarations on their way in: who brings them, and what can be said of them without looking anything up."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Literal

import msgspec
from msgspec import Struct

from setpoint.engine.entity import AnyJson, Declared, Ref, Scope, hash_of
from setpoint.engine.errors import Mistake, Rejected
from setpoint.engine.kind import Kind
from setpoint.engine.store import Change

Written = Literal["create", "update", "delete"]


class Author(Struct, frozen=True):
    """Who declares, and for which file or loop; `prune` withdraws what that owner no longer mentions."""

    actor: str
    organization: str = ""
    owner: str = ""
    prune: bool = False
    if_match: str = ""
    parent: Ref | None = None  # Set by a loop that declares parts of its own entity.
    may: Callable[[Written, Declared], bool] = lambda verb, row: True
    """Whether they may do this; asked of every row that would be written, whoever drafted it."""
    together: Callable[[Sequence[Declared]], Awaitable[Change]] | None = None
    """Asked of all those rows as a whole: raises, or says what the commit rests on and what goes with it."""


class Declaration(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody sent. One that is not `sound` has mistakes of its own, but still holds its place."""

    kind: str
    scope: Scope
    name: str
    spec: dict[str, AnyJson]
    labels: dict[str, str] = {}
    protected: bool = False
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


def cycle_through(start: Ref, edges: Mapping[Ref, Iterable[Ref]]) -> tuple[Ref, ...] | None:
    """A way from `start` back to itself, if there is one."""
    trail: list[tuple[Ref, ...]] = [(start,)]
    visited: set[Ref] = set()
    while trail:
        path = trail.pop()
        for following in edges.get(path[-1], ()):
            if following == start:
                return (*path, start)
            if following not in visited:
                visited.add(following)
                trail.append((*path, following))
    return None


def counted(rows: Sequence[Declared]) -> str:
    """The first few by name, and how many more."""
    shown = ", ".join(f"{row.kind} {row.name}" for row in rows[:3])
    return shown if len(rows) <= len(rows[:3]) else f"{shown} and {len(rows) - 3} more"


def verb_of(row: Declared, known: Declared | None) -> str:
    """What writing this row does to what is known."""
    if row.deleting:
        return "deleted" if row.deleting == "asked" else "withdrawn"
    return "declared" if known is None else "changed"


def etag(declared: Declared) -> str:
    """Names what a person edits: not the status, and not what children do to the generation."""
    return hash_of([declared.ref, declared.spec, declared.labels, declared.protected, declared.deleting])


def check_author(rows: Sequence[Declared], author: Author) -> None:
    """Raises for those that they may not write; nobody learns from it what is there."""
    refused = [row for row in rows if not author.may(_verb(row), row)]
    if refused:
        # Neither of these tells whether the thing is there: that may not be theirs to know.
        said = [f"{author.actor} may not declare {row.kind} {row.name} in {row.scope}" for row in refused]
        mistakes = tuple(Mistake(pointer="", code="forbidden", message=message) for message in said)
        raise Rejected(f"{said[0]}; nothing was stored", mistakes)


def _verb(row: Declared) -> Written:
    if row.deleting:
        return "delete"
    return "create" if row.generation == 0 else "update"
