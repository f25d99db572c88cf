"""The audit chain: each line holds the hash of the one before it."""

import hashlib
from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from setpoint.engine.entity import canonical
from setpoint.engine.rows import Audit, Head


class Broken(msgspec.Struct, frozen=True):
    """Where a chain stops being the one that was written, and why."""

    revision: int
    why: str


def chained(entry: Audit, *, revision: int, previous: str) -> Audit:
    """The entry as it is stored: numbered, linked and sealed."""
    linked = replace(entry, revision=revision, previous=previous, hash="")
    return replace(linked, hash=hashlib.sha256(canonical(linked)).hexdigest())


def broken_at(entries: Iterable[Audit], previous: str = "") -> int | None:
    """The revision of the first entry that does not fit the one before it."""
    for entry in entries:
        if chained(entry, revision=entry.revision, previous=previous) != entry:
            return entry.revision
        previous = entry.hash
    return None


def verified(entries: Iterable[Audit], head: Head, checkpoint: Head | None = None) -> Broken | None:
    """The first broken place of an organization's whole chain; None where it is as it was written.

    A tail that was cut off shows at the head; one that was cut off together with the head, or written anew,
    shows only at a checkpoint: an earlier head that was shipped to where nobody of us can change it.
    """
    last, passed = Audit(organization="", actor="", action="", ref="", at=0.0), ""
    for entry in entries:
        if chained(entry, revision=entry.revision, previous=last.hash) != entry:
            sealed = chained(entry, revision=entry.revision, previous=entry.previous) == entry
            why = "the entry before it is not the one it followed" if sealed else "it is not what was sealed"
            return Broken(entry.revision, why)
        if entry.revision <= last.revision:
            return Broken(entry.revision, f"its number does not come after {last.revision}")
        last = entry
        passed = entry.hash if checkpoint and entry.revision <= checkpoint.revision else passed
    if head.hash != last.hash or head.revision < last.revision:
        return Broken(last.revision, f"the chain ends here, and its head is at {head.revision}")
    if checkpoint is not None and (passed != checkpoint.hash or head.revision < checkpoint.revision):
        return Broken(checkpoint.revision, "it is not what the checkpoint holds")
    return None
