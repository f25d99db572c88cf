"""Declarations on their way in, and what can be said of them without looking anything up."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec import Struct

from setpoint.engine.entity import AnyJson, Declared, Ref, Scope, hash_of
from setpoint.engine.kind import Kind


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
