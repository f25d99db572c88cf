"""Declarations as files are written: the short form, in an order that never depends on who asked when."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from setpoint.cli.changes import natural
from setpoint.cli.fields import resolved
from setpoint.cli.short_form import MANNERS, SCOPES, fields_of
from setpoint.cli.template import FOR_EACH
from setpoint.client.address import LEVELS
from setpoint.client.resource import Kind

AnyJson = Any
Body = Mapping[str, AnyJson]
Place = tuple[str, ...]
"""A kind with its scope and name: what is inside it begins with these."""


@dataclass(frozen=True)
class Shortening:
    """A set of declarations, and how each of them is written."""

    items: Sequence[Body]
    kinds: Sequence[Kind]

    def documents(self) -> list[dict[str, AnyJson]]:
        """One for each scope that is not among them; what fits no short form is a document of its own."""
        there = {_inner(item) for item in self.items}
        roots = [item for item in self._ordered(self.items) if _scope(item) not in there]
        scopes = dict.fromkeys(_scope(item) for item in roots if not self._clashes(item))
        short = [self._document(scope, [item for item in roots if _scope(item) == scope]) for scope in scopes]
        return [*short, *(tidy(item, self._kind(item)) for item in self.items if self._clashes(item))]

    def _document(self, scope: Place, items: Sequence[Body]) -> dict[str, AnyJson]:
        around = {key: name for key, name in zip(SCOPES, scope, strict=False) if name}
        return around | self._by_plural(items)

    def _by_plural(self, items: Sequence[Body]) -> dict[str, AnyJson]:
        found: dict[str, AnyJson] = {}
        for item in self._ordered(items):
            if not self._clashes(item):
                plural = self._kind(item).plural
                found.setdefault(plural, {})[item["metadata"]["name"]] = self._body(item)
        return found

    def _body(self, item: Body) -> dict[str, AnyJson]:
        long = tidy(item, self._kind(item))
        manners = {key: long["metadata"][key] for key in MANNERS if key in long["metadata"]}
        inner = _inner(item)
        within = [each for each in self.items if inner and _scope(each) == inner]
        return {**manners, **long["spec"], **self._by_plural(within)}

    def _ordered(self, items: Sequence[Body]) -> list[Body]:
        ranks = {kind.name: rank for rank, kind in enumerate(self.kinds)}
        return sorted(items, key=lambda item: (_scope(item), ranks[item["kind"]], natural(_name(item))))

    def _clashes(self, item: Body) -> bool:
        """Whether a field is called as something that the short form means otherwise."""
        kind = self._kind(item)
        within = {each.plural for each in self.kinds if each.level == kind.name}
        return not {*MANNERS, FOR_EACH, *within}.isdisjoint(item.get("spec") or {})

    def _kind(self, item: Body) -> Kind:
        return next(kind for kind in self.kinds if kind.name == item["kind"])


def ordered(items: Sequence[Body], kinds: Sequence[Kind]) -> list[dict[str, AnyJson]]:
    """The long forms, tidy and in the same order."""
    found = Shortening(items, kinds)._ordered(items)
    named = {kind.name: kind for kind in kinds}
    return [tidy(item, named[item["kind"]]) for item in found]


def tidy(item: Body, kind: Kind) -> dict[str, AnyJson]:
    """The long form without what says nothing; fields in the order of the kind."""
    metadata = item.get("metadata") or {}
    needed = ("name", *LEVELS[1 : LEVELS.index(kind.level) + 1])
    kept = {key: metadata[key] for key in needed if metadata.get(key)}
    kept |= {key: metadata[key] for key in MANNERS if metadata.get(key)}
    if kept.get("labels"):
        kept["labels"] = dict(sorted(kept["labels"].items()))
    return {"kind": kind.name, "metadata": kept, "spec": dict(_fields(item.get("spec") or {}, kind))}


def _fields(spec: Body, kind: Kind) -> Iterator[tuple[str, AnyJson]]:
    """What is empty because nobody said anything is left out; every other default is written down."""
    properties = resolved(kind.schema, kind.schema).get("properties") or {}
    known = fields_of(kind)
    for name in (*known, *sorted(name for name in spec if name not in known)):
        usual = properties.get(name, {}).get("default")
        if name in spec and not (_empty(spec[name]) and spec[name] == usual):
            yield name, spec[name]


def _empty(value: AnyJson) -> bool:
    return value is None or value == "" or (isinstance(value, list | dict) and not value)


def _name(item: Body) -> str:
    return str(item["metadata"].get("name", ""))


def _scope(item: Body) -> Place:
    """The scope it lives in, from the outside in, without what is not said."""
    metadata = item["metadata"]
    return tuple(str(metadata[key]) for key in SCOPES if metadata.get(key))


def _inner(item: Body) -> Place | None:
    """The scope it is itself, for what lives inside it."""
    return (*_scope(item), _name(item)) if item["kind"] in SCOPES else None
