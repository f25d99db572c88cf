"""The short form of files: things by plural and name, inside what they live in. Each has one long form."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from setpoint.cli.item import Item, Way, step
from setpoint.cli.source import Finding
from setpoint.cli.suggest import closest
from setpoint.cli.template import FOR_EACH, VARIABLES, Values, Wrong, turns
from setpoint.cli.yaml_reader import Document
from setpoint.client.address import LEVELS
from setpoint.client.resource import Kind
from setpoint.words import add_article

AnyJson = Any
SCOPES: Final = ("organization", "project", "workspace")
MANNERS: Final = ("labels", "protected")
"""What stands beside the fields of a spec in the short form."""


@dataclass(frozen=True, slots=True)
class Around:
    """What an item stands in: the scope so far, where that was said, and what the names mean here."""

    values: Values
    scope: Mapping[str, str] = field(default_factory=dict)
    ways: tuple[Way, ...] = ()

    def inside(self, key: str, name: str, way: Way) -> "Around":
        return replace(self, scope={**self.scope, key: name}, ways=(*self.ways, way))


@dataclass
class Expansion:
    """The items of one document, and what is wrong with it."""

    document: Document
    kinds: Sequence[Kind]
    items: list[Item] = field(default_factory=list)
    wrong: list[Wrong] = field(default_factory=list)

    def findings(self) -> Iterator[Finding]:
        for one in self.wrong:
            yield Finding(self.document.source, self.document.place(one.at), one.message, one.hint)

    def short(self, body: Mapping[str, AnyJson], values: Values) -> None:
        """All of a short document."""
        around = Around(values)
        for key in (key for key in SCOPES if key in body):
            name = values.filled(body[key], step(key), self.wrong)
            around = around.inside(key, name, Way(f"/metadata/{key}", step(key)))
        plurals = {kind.plural: kind for kind in self.kinds}
        for key, inner in body.items():
            if key in plurals:
                self._named(plurals[key], inner, step(key), around)
            elif key not in (*SCOPES, VARIABLES):
                known = (*plurals, *SCOPES, VARIABLES)
                self.wrong.append(_unknown(key, step(key), known))
                if (near := closest(key, known)) in plurals:  # What is in it has its own mistakes.
                    self._named(plurals[near], inner, step(key), around)

    def long(self, body: Mapping[str, AnyJson], values: Values, at: str = "") -> None:
        """One declaration with its envelope, or several of them."""
        for now in turns(body, values, at, self.wrong):
            own = {key: inner for key, inner in body.items() if key not in (FOR_EACH, VARIABLES)}
            value = _named_ours(now.filled(own, at, self.wrong))
            self.items.append(Item(self.document, value, (Way("", at),)))

    def _named(self, kind: Kind, body: AnyJson, at: str, around: Around) -> None:
        if not isinstance(body, Mapping):
            if body is not None:
                hint = f"{kind.plural}: {{NAME: {{…}}}}"
                self.wrong.append(Wrong(at, f"{kind.plural} are written by name", hint))
            return
        for name, inner in body.items():
            place = at + step(name)
            if inner is not None and not isinstance(inner, Mapping):
                self.wrong.append(Wrong(place, f"the fields of {kind.name} {name} were expected here"))
                continue
            for values in turns(inner or {}, around.values, place, self.wrong):
                self._one(kind, name, inner or {}, place, replace(around, values=values))

    def _one(self, kind: Kind, said: str, body: Mapping[str, AnyJson], at: str, around: Around) -> None:
        within = {each.plural: each for each in self.kinds if each.level == kind.name}
        misspelt = self._misspelt(kind, body, within, at)
        apart = {FOR_EACH, *within, *misspelt}
        filled = {
            key: around.values.filled(inner, at + step(key), self.wrong)
            for key, inner in body.items()
            if key not in apart
        }
        name = _text(around.values.text(said, at, self.wrong))
        places = LEVELS[1 : LEVELS.index(kind.level) + 1]
        metadata: dict[str, AnyJson] = {
            "name": name,
            **{key: around.scope[key] for key in places if key in around.scope},
            **{key: filled.pop(key) for key in MANNERS if key in filled},
        }
        value = {"kind": kind.name, "metadata": metadata, "spec": filled}
        self.items.append(Item(self.document, value, (*around.ways, *_ways(at))))
        inside = around.inside(kind.name, name, Way(f"/metadata/{kind.name}", at, named=True))
        meant = {**{key: key for key in within if key in body}, **misspelt}
        for key, plural in meant.items():
            self._named(within[plural], body[key], at + step(key), inside)

    def _misspelt(
        self, kind: Kind, body: Mapping[str, AnyJson], within: Mapping[str, Kind], at: str
    ) -> dict[str, str]:
        """Words for what lives inside, almost right, with the right ones: no fields that the server knows."""
        own, found = (*fields_of(kind), *MANNERS, FOR_EACH), dict[str, str]()
        for key in [key for key in body if key not in own and key not in within]:
            singular = next((plural for plural, each in within.items() if each.name == key), "")
            near = singular or ("" if closest(key, own) else closest(key, within))
            if near:
                message = f"{key} is nothing that is in {add_article(kind.name)}"
                self.wrong.append(Wrong(at + step(key), message, f"did you mean {near}?"))
                found[key] = near
        return found


def _ways(at: str) -> tuple[Way, ...]:
    """Where the parts of an item's long form stand in its short one."""
    return (
        Way("", at, named=True),
        Way("/kind", at.rpartition("/")[0], named=True),
        Way("/spec", at, named=True),
        *(Way(f"/metadata/{key}", at + step(key)) for key in MANNERS),
        Way("/metadata/name", at, named=True),
    )


def fields_of(kind: Kind) -> tuple[str, ...]:
    """The fields of its spec, by name."""
    reference = str(kind.schema.get("$ref", "")).rpartition("/")[2]
    shape = (kind.schema.get("$defs") or {}).get(reference, kind.schema)
    return tuple(shape.get("properties") or ())


def is_short(body: Mapping[str, AnyJson], kinds: Sequence[Kind]) -> bool:
    """Whether this is written by plurals; what says its kind is not."""
    words = {*SCOPES, VARIABLES, *(kind.plural for kind in kinds)}
    if "kind" in body or "metadata" in body or "spec" in body:
        return False
    return not body or any(key in words or closest(key, words) for key in body)


def _named_ours(body: AnyJson) -> AnyJson:
    """`DnsZone` in a Kubernetes envelope is our `dns_zone`."""
    kind = body.get("kind")
    if "apiVersion" not in body or not isinstance(kind, str) or not kind[:1].isupper():
        return body
    ours = "".join(f"_{char.lower()}" if char.isupper() else char for char in kind).lstrip("_")
    return {**body, "kind": ours}


def _unknown(key: str, at: str, known: Sequence[str]) -> Wrong:
    near = closest(key, known)
    hint = f"did you mean {near}?" if near else "a file has kind, metadata, spec, or things by their plural"
    return Wrong(at, f"{key} is nothing that a file can hold", hint)


def _text(name: AnyJson) -> str:
    return name if isinstance(name, str) else str(name)
