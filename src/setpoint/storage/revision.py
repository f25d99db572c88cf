"""The numbers a commit gives to its events and audit lines: one gapless row of them per organization."""

from typing import Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from setpoint.engine.audit import chained
from setpoint.engine.rows import Audit, Event, Head, Wake
from setpoint.engine.store import WOKEN, Change, Put
from setpoint.storage.form import settled

LineT = TypeVar("LineT", Event, Audit)
_SAME: Final = frozenset((str, int, bool, type(None)))
"""What JSON gives back as it got it, whatever it says; a float may be none of its numbers."""


class Numbered(Struct, frozen=True):
    """What one organization gets from a change, and where that leaves it."""

    events: tuple[Event, ...]
    audit: tuple[Audit, ...]
    head: Head


def organizations(change: Change) -> tuple[str, ...]:
    """Whose heads this change moves, in the order they are mentioned."""
    events = [event.organization for event in change.events]
    return tuple(dict.fromkeys(events + [entry.organization for entry in change.audit]))


def moved(change: Change) -> frozenset[str]:
    """What listeners are told: the organizations, and whether anybody was woken."""
    woke = any(isinstance(write, Put) and isinstance(write.row, Wake) for write in change.writes)
    return frozenset((*organizations(change), WOKEN) if woke else organizations(change))


def numbered(change: Change, head: Head) -> Numbered:
    """This organization's part of the change: events first, then audit, each with its own number."""
    revision, last = head.revision, head.hash
    events: list[Event] = []
    audit: list[Audit] = []
    for event in change.events:
        if event.organization == head.organization:
            revision += 1
            events.append(replace(_line(event), revision=revision))
    for entry in change.audit:
        if entry.organization == head.organization:
            revision += 1
            audit.append(chained(_line(entry), revision=revision, previous=last))
            last = audit[-1].hash
    return Numbered(tuple(events), tuple(audit), replace(head, revision=revision, hash=last))


def _line(line: LineT) -> LineT:
    """As every later reader will see it: the audit hash is taken of this form, or a chain that nobody touched
    would not verify. Nearly every line is in it already.
    """
    told = {type(each) for each in getattr(line, "detail", {}).values()}
    return line if type(line.at) is float and told <= _SAME else settled(line)
