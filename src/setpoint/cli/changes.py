"""Changes as people read them: only the fields that differ, and equal changes of many things as one line."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from setpoint.cli.listing import brief
from setpoint.cli.redact import redacted
from setpoint.cli.text import clean, clip

AnyJson = Any
SYMBOLS: Final[Mapping[str, str]] = {
    "create": "+",
    "update": "~",
    "unpark": "~",
    "replace": "±",
    "park": "-",
    "delete": "-",
}
DESTRUCTIVE: Final = frozenset({"replace", "park", "delete"})
TIMES: Final = "\N{MULTIPLICATION SIGN}"
VALUE_COLUMNS: Final = 40
FIELDS_SHOWN: Final = 4
MEMBERS_SHOWN: Final = 3
_NUMBERS: Final = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True)
class Field:
    """One field that differs; for a create only `after` is said, for a delete nothing."""

    path: str
    before: str = ""
    after: str = ""

    def __str__(self) -> str:
        if self.before == self.after:
            return f"{self.path} {self.after} (changed)"
        return f"{self.path} {self.before or 'nothing'} → {self.after or 'nothing'}"


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that would be different: `item` is a part of the named object, or empty for all of it."""

    verb: str
    kind: str
    name: str
    item: str = ""
    fields: tuple[Field, ...] = ()
    explicit: bool = False

    @property
    def destructive(self) -> bool:
        return self.verb in DESTRUCTIVE


@dataclass(frozen=True, slots=True)
class Group:
    """Changes that have one cause."""

    changes: tuple[Change, ...]
    what: str

    @property
    def line(self) -> str:
        first = self.changes[0]
        symbol = SYMBOLS.get(first.verb, "~")
        words = [word for word in (_subject(self.changes), self.what) if word]
        if len(self.changes) == 1:
            return clean(f"{symbol} {' '.join(words)}")
        counted = f"{len(self.changes):,} {TIMES}"
        return clean(f"{symbol} {counted} {' '.join(words)}  ({_members(self.changes)})")


def change_of(action: Mapping[str, AnyJson], kind: str, name: str) -> Change:
    """An action of a plan. A dry run's items begin with `kind/name `, a held plan's belong to its object."""
    item, verb = str(action.get("item", "")), str(action.get("verb", ""))
    label, space, rest = item.partition(" ")
    if space and "/" in label:
        kind, _, name = label.partition("/")
        item = rest
    explicit = bool(action.get("explicit"))
    return Change(
        verb, kind, name, item, fields_of(verb, action.get("before"), action.get("after")), explicit
    )


def fields_of(verb: str, before: AnyJson, after: AnyJson) -> tuple[Field, ...]:
    """What differs, field by field; secrets by the fact only."""
    old, new = dict(_leaves(before)), dict(_leaves(after))
    safe_old, safe_new = dict(_leaves(redacted(before))), dict(_leaves(redacted(after)))
    if verb == "create":
        return tuple(Field(path, after=_short(safe_new[path])) for path in new)
    if verb in ("delete", "park"):
        return ()
    return tuple(
        Field(path, _short(safe_old.get(path)), _short(safe_new.get(path)))
        for path in sorted(old.keys() | new.keys())
        if old.get(path) != new.get(path)
    )


def grouped(changes: Sequence[Change], most: int) -> list[Group]:
    """Groups of one cause; coarser and coarser until there are at most so many."""
    found: list[Group] = []
    for cause, what in _WAYS:
        found = [
            Group(tuple(members), what(members[0]) if len(members) == 1 else _common(members, what))
            for members in _gathered(changes, cause)
        ]
        if len(found) <= most:
            break
    return found


def one_by_one(changes: Sequence[Change]) -> list[Group]:
    """No grouping at all."""
    return [Group((change,), _all_fields(change)) for change in changes]


def _leaves(value: AnyJson, path: str = "") -> Iterator[tuple[str, AnyJson]]:
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from _leaves(inner, f"{path}.{key}" if path else str(key))
    elif value is not None or path:
        yield path, value


def _short(value: AnyJson) -> str:
    return clip(clean(brief(value)), VALUE_COLUMNS)


def _gathered(changes: Sequence[Change], cause: Callable[[Change], object]) -> Iterable[list[Change]]:
    found: dict[object, list[Change]] = {}
    for change in changes:
        found.setdefault(cause(change), []).append(change)
    return found.values()


def _common(members: Sequence[Change], what: Callable[[Change], str]) -> str:
    said = {what(member) for member in members}
    return said.pop() if len(said) == 1 else ""


def _all_fields(change: Change) -> str:
    if change.verb == "create":
        return " ".join(f"{field.path}={field.after}" for field in change.fields if field.after)
    return ", ".join(str(field) for field in change.fields)


def _some_fields(change: Change) -> str:
    more = len(change.fields) - FIELDS_SHOWN
    shown = _all_fields(Change(change.verb, "", "", fields=change.fields[:FIELDS_SHOWN]))
    return f"{shown} and {more} more" if more > 0 else shown


def _field_names(change: Change) -> str:
    names = [field.path for field in change.fields]
    return ", ".join(names[:FIELDS_SHOWN]) + (" …" if len(names) > FIELDS_SHOWN else "")


def _exact(change: Change) -> object:
    # Things that are made differ in their names at least: what they have in common is that they are new.
    same = () if change.verb == "create" else change.fields
    return change.verb, change.kind, _domain(change), same


def _by_fields(change: Change) -> object:
    names = () if change.verb == "create" else tuple(field.path for field in change.fields)
    return change.verb, change.kind, _domain(change), names


def _domain(change: Change) -> str:
    """Parts of one object are gathered under it; whole objects are gathered by their kind."""
    return change.name if change.item and "/" in change.item else ""


# From fine to coarse: what makes changes equal, and what is then said about them.
_WAYS: Final[tuple[tuple[Callable[[Change], object], Callable[[Change], str]], ...]] = (
    (_exact, _some_fields),
    (_by_fields, _field_names),
    (lambda change: (change.verb, change.kind, _domain(change)), lambda change: ""),
    (lambda change: (change.verb, change.kind), lambda change: ""),
    (lambda change: (SYMBOLS.get(change.verb, "~"),), lambda change: ""),
)


def _subject(changes: Sequence[Change]) -> str:
    first = changes[0]
    kinds = {change.kind for change in changes}
    if len(kinds) > 1:
        return f"things of {len(kinds)} kinds"
    if len(changes) == 1:
        return " ".join(part for part in (first.kind, first.name, first.item) if part)
    same_name = len({change.name for change in changes}) == 1
    return f"{first.kind} {first.name}" if same_name and first.item else first.kind


def _members(changes: Sequence[Change]) -> str:
    same_item = len({change.item for change in changes}) == 1
    same_name = len({change.name for change in changes}) == 1
    if same_name and not same_item:
        names = {change.item for change in changes}
    elif same_item:
        names = {change.name for change in changes}
    else:
        names = {f"{change.name} {change.item}".strip() for change in changes}
    ordered = sorted(names, key=natural)
    if len(ordered) <= MEMBERS_SHOWN:
        return ", ".join(ordered)
    return f"{ordered[0]} … {ordered[-1]}"


def natural(name: str) -> tuple[tuple[int, str], ...]:
    """web-2 before web-10."""
    return tuple((int(part), "") if part.isdigit() else (-1, part) for part in _NUMBERS.split(name))
