"""A plan as text: summary first and last, deletes in their own section, guards with their sentences."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from setpoint.cli.changes import DESTRUCTIVE, Change, change_of, grouped, one_by_one
from setpoint.cli.screen import Screen
from setpoint.cli.text import clean, clip, folded, plural
from setpoint.client.resource import Object

AnyJson = Any
Body = Mapping[str, AnyJson]
GROUPS_SHOWN: Final = 18
"""For deletes, changes and declarations together."""
HOLDS_SHOWN: Final = 4
NOTES_SHOWN: Final = 2
TROUBLED_SHOWN: Final = 3
UNKNOWN: Final = "?"


@dataclass(frozen=True, slots=True)
class Outline:
    """A plan to be read by a person: what is declared anew, what would be done, what is in the way."""

    title: str
    declared: tuple[Change, ...]
    actions: tuple[Change, ...]
    holds: tuple[Body, ...]
    notes: tuple[str, ...]
    troubled: tuple[Object, ...] = ()
    """What stays as it is declared, and is HELD or FAILED all the same."""
    taken: int = 0
    """How many objects would belong to another owner."""

    @property
    def changes_nothing(self) -> bool:
        return not (self.declared or self.actions or self.holds or self.taken)

    @property
    def held(self) -> bool:
        return bool(self.holds) or any(found.state == "HELD" for found in self.troubled)

    @property
    def summary(self) -> str:
        parts = [
            words
            for words in (counted(Counter(action.verb for action in self.actions)), _held(self.holds))
            if words
        ]
        if self.declared:
            parts.insert(0, f"{plural(len(self.declared), 'declaration')} would change")
        if self.taken:
            parts.append(f"{plural(self.taken, 'object')} taken over")
        states = Counter(found.state for found in self.troubled)
        parts += [f"{plural(count, 'object')} {state}" for state, count in sorted(states.items())]
        return f"{self.title}: {'; '.join(parts) or 'in step, nothing to change'}"


def outline_of(title: str, plan: Body, declared: Sequence[Change] = ()) -> Outline:
    """From a plan as the API words it."""
    kind, name = str(plan.get("kind", "")), str(plan.get("name", ""))
    actions = tuple(change_of(action, kind, name) for action in plan.get("actions") or ())
    error = (str(plan["error"]),) if plan.get("error") else ()
    # Only a dry run's note is about what could not be worked out; a decided plan's is a person's.
    note = str(plan.get("note") or "") if kind in ("", "plan") else ""
    notes = (*error, *_unexplained(note, actions))
    return Outline(title, tuple(declared), actions, tuple(plan.get("holds") or ()), notes)


def lines(outline: Outline, screen: Screen, *, full: bool = False) -> list[str]:
    """All of it; at most 30 lines unless `full`, however many things change."""
    deletes = [change for change in outline.actions if change.destructive]
    others = [change for change in outline.actions if not change.destructive]
    parts = sum(map(bool, (deletes, others, outline.declared)))
    most = None if full else GROUPS_SHOWN // max(1, parts)
    sections = [
        ("Deletes", _changes(deletes, screen, most)),
        ("Changes", _changes(others, screen, most)),
        ("Declared", _changes(outline.declared, screen, most)),
        ("Held", _holds(outline.holds, screen, full=full)),
        ("Not as declared", _troubled(outline.troubled, screen, full=full)),
        ("Not known yet", _notes(outline.notes, screen, full=full)),
    ]
    body = [
        line
        for heading, found in sections
        if found
        for line in (screen.paint(heading, "heading"), *(f"  {line}" for line in found))
    ]
    told = folded(clean(outline.summary), screen.columns, 2)
    summary = [screen.paint(line, "heading") for line in told]
    return [*summary, *body, *summary] if body else summary


def counted(verbs: Mapping[str, int]) -> str:
    """`2 to create, 1 to delete`."""
    made = verbs.get("create", 0)
    gone = sum(number for verb, number in verbs.items() if verb in DESTRUCTIVE)
    moved = sum(verbs.values()) - made - gone
    counts = ((made, "create"), (moved, "change"), (gone, "delete"))
    return ", ".join(f"{number:,} to {verb}" for number, verb in counts if number)


def _changes(changes: Sequence[Change], screen: Screen, most: int | None) -> list[str]:
    """At most so many lines; None: one for each, uncut."""
    if most is None:
        return [_painted(group.line, screen) for group in one_by_one(changes)]
    return [_painted(_fitted(group.line, screen, margin=2), screen) for group in grouped(changes, most)]


def _painted(line: str, screen: Screen) -> str:
    return screen.paint(line, line[0])


def _holds(holds: Sequence[Body], screen: Screen, *, full: bool) -> list[str]:
    """One line per guard and sentence; the same guard over many things is one line."""
    told: dict[str, list[str]] = {}
    for hold in holds:
        told.setdefault(str(hold.get("guard", "")), []).append(str(hold.get("message", "")))
    found = []
    for guard, messages in told.items():
        shown = messages if full else messages[:2]
        more = f" (and {len(messages) - len(shown)} more)" if len(messages) > len(shown) else ""
        found += [f"! {guard}: {clean(message)}{more if message is shown[-1] else ''}" for message in shown]
    room = None if screen.columns is None else screen.columns - 2
    kept = found if full else found[:HOLDS_SHOWN]
    return [screen.paint(line, "!") for told in kept for line in folded(told, room, 2)]


def _notes(notes: Sequence[str], screen: Screen, *, full: bool) -> list[str]:
    shown = notes if full else notes[:NOTES_SHOWN]
    found = [f"{UNKNOWN} {clean(note)}" for note in shown]
    if len(notes) > len(shown):
        found.append(f"{UNKNOWN} and {len(notes) - len(shown):,} more; --full lists them")
    return found


def _troubled(found: Sequence[Object], screen: Screen, *, full: bool) -> list[str]:
    shown = found if full else found[:TROUBLED_SHOWN]
    told = [
        line
        for each in shown
        for line in (
            screen.paint(clean(f"! {each.title} is {each.state}: {each.reason}"), "!"),
            f"  next: setpoint why {each.kind}/{each.name}",
        )
    ]
    if len(found) > len(shown):
        told.append(f"! and {len(found) - len(shown):,} more; --full lists them")
    return told


def _unexplained(note: str, actions: Sequence[Change]) -> list[str]:
    """What the server could not work out: its notes about objects that no action is about."""
    explained = {f"{action.kind}/{action.name}" for action in actions}
    said = [part for part in note.split("; ") if part]
    return [part for part in said if part.partition(":")[0] not in explained]


def _held(holds: Sequence[Body]) -> str:
    guards = sorted({str(hold.get("guard", "")) for hold in holds})
    return f"held by {', '.join(guards)}" if guards else ""


def _fitted(line: str, screen: Screen, margin: int) -> str:
    """Cut in the middle, before the members: which things are meant stays readable."""
    limit = screen.columns
    if limit is None:
        return line
    head, bracket, members = line.rpartition("  (")
    room = limit - margin
    if not bracket or len(line) <= room:
        return clip(line, room)
    return clip(f"{clip(head, max(20, room - len(members) - 3))}  ({members}", room)
