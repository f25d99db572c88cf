"""What requests leave behind: attempts that must not be made twice, and specs as they were."""

from typing import Final

import msgspec

from setpoint.engine.entity import AnyJson, Declared, Ref, Scope

KEPT_SECONDS: Final = 86_400.0
"""So long a request with a key has the same answer."""
PASTS: Final = 50
"""So many generations of an object are kept at most."""
PAST_SECONDS: Final = 365 * 86_400.0
OPERATION_SECONDS: Final = 30 * 86_400.0
"""So long an operation can be read after it ended."""


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """A request by the key its sender gave it: written before anything is done, and with what is done."""

    key: str
    asked: str  # Hash of all that was asked for: the same key for anything else is a mistake.
    owner: str  # The process that answers it.
    until: float  # While nothing is done yet: nobody takes it over before; then: when it is forgotten.
    version: int = 1
    landed_at: float = 0.0  # When it took effect; an answer may still be missing.
    refs: tuple[str, ...] = ()  # What that effect was about.
    status: int = 0
    headers: dict[str, str] = {}
    answer: str | None = None  # None where it is not kept.


class Cancellation(msgspec.Struct, frozen=True, kw_only=True):
    """A person's word that a task is to stop; it stays until the worker has heard it."""

    id: str  # Of the task.
    by: str
    reason: str
    at: float = 0.0


class Past(msgspec.Struct, frozen=True, kw_only=True):
    """What was declared once. A ring of so many per object: the newest takes the place of the oldest."""

    key: str
    ref: Ref
    scope: Scope
    generation: int
    verb: str
    spec: dict[str, AnyJson]
    labels: dict[str, str] = {}
    protected: bool = False
    by: str = ""
    at: float = 0.0


def past_of(row: Declared, verb: str) -> Past:
    """The row as it is written now, for later."""
    kept = {
        name: getattr(row, name) for name in ("ref", "scope", "generation", "spec", "labels", "protected")
    }
    key = f"{row.ref}#{row.generation % PASTS}"
    return Past(key=key, verb=verb, by=row.changed_by, at=row.changed_at, **kept)
