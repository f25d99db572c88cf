"""The audit chain: each line holds the hash of the one before it."""

import hashlib
from collections.abc import Iterable

from msgspec.structs import replace

from setpoint.engine.entity import canonical
from setpoint.engine.rows import Audit


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
