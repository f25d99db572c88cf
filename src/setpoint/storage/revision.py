"""The numbers a commit gives to its events and audit lines: one gapless row of them per organization."""

from msgspec import Struct
from msgspec.structs import replace

from setpoint.engine.audit import chained
from setpoint.engine.rows import Audit, Event, Head, Wake
from setpoint.engine.store import WOKEN, Change, Put
from setpoint.storage.form import settled


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
            events.append(replace(settled(event), revision=revision))
    for entry in change.audit:
        if entry.organization == head.organization:
            revision += 1
            audit.append(chained(settled(entry), revision=revision, previous=last))
            last = audit[-1].hash
    return Numbered(tuple(events), tuple(audit), replace(head, revision=revision, hash=last))
