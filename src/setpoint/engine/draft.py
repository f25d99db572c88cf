"""Declarations on their way in: every mistake that can be found without storing anything, found at once."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from setpoint.engine.entity import AnyJson, Declared, Ref, Scope, hash_of
from setpoint.engine.errors import Mistake
from setpoint.engine.kind import Kind, Kinds, level_of

NAME: Final = re.compile(r"[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?\Z")
LEVELS: Final = ("installation", "organization", "project", "workspace")


class Declaration(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody sent, its spec already known to fit the kind's schema."""

    kind: str
    scope: Scope
    name: str
    spec: dict[str, AnyJson]
    labels: dict[str, str] = {}
    protected: bool = False
    pointer: str = ""
    """Where in the request it stands, for mistakes."""


@dataclass(frozen=True, slots=True)
class Named:
    """A spec field that names another entity."""

    field: str
    kind: str
    name: str


def form_mistakes(item: Declaration, kinds: Kinds) -> Iterator[Mistake]:
    """Name, level and what the kind itself checks."""
    kind = kinds[item.kind]
    if not NAME.match(item.name):
        yield Mistake(
            pointer=f"{item.pointer}/metadata/name",
            code="bad_name",
            message=f"{item.name!r} is no name: up to 63 of a-z 0-9 . _ -, a letter or digit at each end",
        )
    if level_of(item.scope) != kind.level:
        yield Mistake(
            pointer=f"{item.pointer}/metadata",
            code="wrong_scope",
            message=f"a {kind.name} lives in {_a(kind.level)}, not in {_a(level_of(item.scope))}",
            hint=f"give {', '.join(LEVELS[1 : LEVELS.index(kind.level) + 1]) or 'no scope at all'}",
        )
    if kind.check is not None:
        for field, message in kind.check(msgspec.convert(item.spec, kind.spec)):
            yield Mistake(pointer=f"{item.pointer}/spec/{field}", code="bad_value", message=message)


def repeated(items: Sequence[Declaration]) -> Iterator[Mistake]:
    """The same name twice in one request."""
    first: dict[tuple[str, Scope, str], str] = {}
    for item in items:
        place = (item.kind, item.scope, item.name)
        if place in first:
            message = f"{item.kind} {item.name} is declared twice; first at {first[place] or 'the start'}"
            yield Mistake(pointer=f"{item.pointer}/metadata/name", code="duplicate_name", message=message)
        first.setdefault(place, item.pointer)


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


def etag(declared: Declared) -> str:
    """Names what a person edits: not the status, and not what children do to the generation."""
    return hash_of([declared.ref, declared.spec, declared.labels, declared.protected, declared.deleting])


def _a(level: str) -> str:
    return f"an {level}" if level[0] in "aeio" else f"a {level}"
