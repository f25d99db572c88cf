"""What a loop would do, as people read it: deletes first, equal changes as one line, guards with a way on."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from setpoint.cli.changes import TIMES, Change, Field, Group, grouped, natural, one_by_one
from setpoint.cli.listing import brief
from setpoint.cli.redact import HIDDEN, is_secret, redacted
from setpoint.cli.screen import Screen
from setpoint.cli.text import clean, clip, folded
from setpoint.engine.plan import Action, Verb

AnyJson = Any
VALUE: Final = "value"
VALUE_COLUMNS: Final = 40
GROUPS_SHOWN: Final = 20
NAMES_SHOWN: Final = 3
WORDS: Final = (("create", "+"), ("update", "~"), ("replace", "±"), ("delete", "-"))


@dataclass(frozen=True, slots=True)
class Held:
    """A guard's sentence, the way on in words, and the commands that lead there."""

    guard: str
    message: str
    onward: str = ""
    commands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outlook:
    """What one loop would do now, and what is in the way."""

    loop: str
    actions: tuple[Action, ...] = ()
    held: tuple[Held, ...] = ()
    error: str = ""
    """Why it could not be looked at."""
    note: str = ""
    """What else is worth a word."""
    approved: bool = False
    agreed: int = 0
    """How many of its changes a person said yes to that are not done yet."""
    left: tuple[str, ...] = ()
    """What that yes left out."""

    @property
    def summary(self) -> str:
        """`Flags: + 3 create  - 1 delete (old)`."""
        if self.error:
            return f"{self.loop}: not known, for it could not be looked at"
        return f"{self.loop}: {counted(self.actions) or '= in step, nothing to change'}{self._approved()}"

    def _approved(self) -> str:
        if self.left:
            return f"  {self.agreed:,} approved, {len(self.left):,} left out"
        return "  approved" if self.approved else ""


def counted(actions: Iterable[Action]) -> str:
    """`+ 3 create  - 1 delete (old)`: what is taken away is named, as far as there is room."""
    items: dict[str, list[str]] = {}
    for action in actions:
        items.setdefault(_word(action.verb), []).append(action.item)
    parts = []
    for word, symbol in WORDS:
        found = items.get(word, [])
        named = f" ({', '.join(sorted(found, key=natural))})" if len(found) <= NAMES_SHOWN else ""
        gone = word in ("delete", "replace")
        parts += [f"{symbol} {len(found):,} {word}{clean(named) if gone else ''}"] if found else []
    return "  ".join(parts)


def lines(outlook: Outlook, screen: Screen, *, full: bool = False, margin: int = 0) -> list[str]:
    """All of it, without the summary, `margin` columns from the left."""
    room = None if screen.columns is None else screen.columns - 2 - margin
    cut = None if full else room
    gone, rest = ([fitted(line, cut) for line in found] for found in told(outlook.actions, full=full))
    sections = (
        ("Not known", _unknown(outlook.error, room)),
        ("Note", _unknown(outlook.note, room)),
        ("Deletes", [screen.paint(line, line[0]) for line in gone]),
        ("Changes", [screen.paint(line, line[0]) for line in rest]),
        ("Held", _holds(outlook.held, screen, room)),
    )
    return [
        " " * margin + line
        for heading, found in sections
        if found
        for line in (screen.paint(heading, "heading"), *(f"  {line}" for line in found))
    ]


def told(actions: Iterable[Action], *, full: bool = False) -> tuple[list[str], list[str]]:
    """What is taken away, and what else changes; equal changes as one line unless `full`."""
    changes = [change_of(action) for action in actions]
    gone = [change for change in changes if change.destructive]
    rest = [change for change in changes if not change.destructive]
    ways = (one_by_one(part) if full else grouped(part, GROUPS_SHOWN) for part in (gone, rest))
    first, second = ([_line(group) for group in groups] for groups in ways)
    return first, second


def as_json(outlook: Outlook) -> dict[str, AnyJson]:
    """The same for programs; secrets by the fact only."""
    return {
        "loop": outlook.loop,
        "actions": [safe_action(action) for action in outlook.actions],
        "holds": [_hold_as_json(held) for held in outlook.held],
        "error": outlook.error,
        "note": outlook.note,
        "approved": outlook.approved,
        "left_out": list(outlook.left),
    }


def _hold_as_json(held: Held) -> dict[str, AnyJson]:
    return {"guard": held.guard, "message": held.message, "onward": held.onward, "next": list(held.commands)}


def safe_action(action: Action) -> dict[str, AnyJson]:
    """An action that may be shown to anybody."""
    before, after = safe(action.item, action.before), safe(action.item, action.after)
    return {"verb": str(action.verb), "item": action.item, "before": before, "after": after}


def safe(item: str, value: AnyJson) -> AnyJson:
    """A value without its secrets; the item's own name may say that it is one."""
    return redacted(value, item) if is_secret(item) else redacted(value)


def hidden(body: AnyJson) -> AnyJson:
    """A document that may be shown to anybody: what belongs to an item is judged by the item's name too."""
    if isinstance(body, Mapping):
        item = str(body.get("item", ""))
        return {
            key: safe(item, inner) if key in ("before", "after") else redacted(hidden(inner), str(key))
            for key, inner in body.items()
        }
    if isinstance(body, list | tuple):
        return [hidden(inner) for inner in body]
    return body


def in_words(value: AnyJson) -> str:
    """A value in one line; what is not there is said to be absent."""
    return "absent" if value is None else clip(clean(brief(value)), 4 * VALUE_COLUMNS)


def change_of(action: Action) -> Change:
    """An action as the lines are made from it; secrets by the fact that they differ only."""
    old, new = dict(_leaves(action.item, action.before)), dict(_leaves(action.item, action.after))
    if action.verb in (Verb.DELETE, Verb.PARK):
        fields: tuple[Field, ...] = ()
    elif action.verb is Verb.CREATE:
        fields = tuple(Field(path, after=_short(leaf)) for path, leaf in new.items())
    else:
        paths = [path for path in sorted(old.keys() | new.keys()) if old.get(path) != new.get(path)]
        fields = tuple(Field(path, _short(old.get(path)), _short(new.get(path))) for path in paths)
    return Change(str(action.verb), "", "", action.item, fields)


@dataclass(frozen=True, slots=True)
class _Leaf:
    """One value inside an item."""

    value: AnyJson
    hidden: bool


def _leaves(item: str, value: AnyJson) -> Iterator[tuple[str, _Leaf]]:
    if value is not None:
        yield from _inside(value, "", hidden=is_secret(item))


def _inside(value: AnyJson, path: str, *, hidden: bool) -> Iterator[tuple[str, _Leaf]]:
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            below = f"{path}.{key}" if path else str(key)
            yield from _inside(inner, below, hidden=hidden or is_secret(str(key)))
    else:
        yield path or VALUE, _Leaf(value, hidden)


def _short(leaf: _Leaf | None) -> str:
    if leaf is None:
        return ""
    return HIDDEN if leaf.hidden else clip(clean(brief(leaf.value)), VALUE_COLUMNS)


def _word(verb: Verb) -> str:
    return {Verb.PARK: "delete", Verb.UNPARK: "update"}.get(verb, str(verb))


def _line(group: Group) -> str:
    """The group's own line, without the gap that an object's name would fill."""
    line = group.line
    if len(group.changes) == 1:
        return line
    head, times, rest = line.partition(TIMES)
    return f"{head}{times} {rest.lstrip()}"


def fitted(line: str, room: int | None) -> str:
    """Cut in the middle, before the members: which things are meant stays readable."""
    if room is None:
        return line
    head, bracket, members = line.rpartition("  (")
    if not bracket or len(line) <= room:
        return clip(line, room)
    return clip(f"{clip(head, max(20, room - len(members) - 3))}  ({members}", room)


def _holds(held: Sequence[Held], screen: Screen, room: int | None) -> list[str]:
    shown: list[str] = []
    for together in one_way(held):
        for each in together:
            said = folded(f"! {each.guard}: {clean(each.message)}", room, 2)
            shown += [screen.paint(line, "!") for line in said]
        way = together[-1]
        shown += folded(f"    {clean(way.onward)}", room, 4) if way.onward else []
        # A command is never broken: it is there to be pasted.
        shown += [f"    next: {clean(command)}" for command in way.commands]
    return shown


def one_way(held: Sequence[Held]) -> list[list[Held]]:
    """Guards one after the other that have the same way on: it is said once."""
    return [list(group) for _, group in groupby(held, key=lambda each: (each.onward, each.commands))]


def _unknown(error: str, room: int | None) -> list[str]:
    return folded(f"? {clean(error)}", room, 2) if error else []
