"""Where the audit stands, kept in a file beside the database: whoever cuts its tail must cut here too."""

import asyncio
import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from setpoint.engine.audit import broken_at
from setpoint.engine.rows import Audit, Head
from setpoint.engine.store import AUDIT_PAGE, Store

NAME: Final = "audit.head"
LOCK: Final = "audit.lock"
PAGE: Final = 1_000


@dataclass(frozen=True, slots=True)
class Chain:
    """One organization's audit as it was found: how long, and what is wrong with it first."""

    organization: str
    lines: int
    broken: str = ""


async def seal(store: Store, folder: Path, organizations: Iterable[str]) -> None:
    """Write down where each chain stands now."""
    heads = [await store.get(Head, organization) for organization in organizations]
    found = {head.organization: (head.revision, head.hash) for head in heads if head is not None}
    await asyncio.to_thread(_write, folder, found)


async def verified(store: Store, folder: Path, organizations: Iterable[str]) -> list[Chain]:
    """Every chain from its first line to its last, against its head and against what was sealed."""
    sealed = read(folder)
    named = sorted({*organizations, *(sealed or ())})
    chains = [await _walked(store, name, (sealed or {}).get(name)) for name in named]
    return chains if sealed is not None else [*chains, Chain(NAME, 0, "the file of seals cannot be read")]


async def _walked(store: Store, organization: str, sealed: tuple[int, str] | None) -> Chain:
    after, previous, count, met = 0, "", 0, ""
    while page := await store.read(AUDIT_PAGE, organization=organization, after=after, limit=PAGE):
        count += len(page)
        wrong = broken_at(page, previous)
        if wrong is not None:
            return Chain(organization, count, f"the line of revision {wrong} does not fit the one before it")
        after, previous = page[-1].revision, page[-1].hash
        met = _at_or_before(page, sealed[0], met) if sealed else met
    head = await store.get(Head, organization) or Head(organization=organization)
    return Chain(organization, count, ended(head, (after, previous), (sealed, met)))


def _at_or_before(page: Iterable[Audit], revision: int, known: str) -> str:
    """The hash of the last line up to this revision."""
    for entry in page:
        if entry.revision > revision:
            break
        known = entry.hash
    return known


def ended(head: Head, last: tuple[int, str], seals: tuple[tuple[int, str] | None, str]) -> str:
    """What is wrong with the end of a chain that is whole so far as it goes; empty: nothing."""
    sealed, met = seals
    revision, found = last
    reached, digest = sealed or (0, "")
    checks = (
        (head.hash != found, f"lines are missing after revision {revision}: the head knows of more"),
        (revision > head.revision, f"line {revision} is ahead of the head, which is at {head.revision}"),
        (
            reached > head.revision,
            f"it was cut back to {head.revision}, where {reached} was sealed in {NAME}",
        ),
        (sealed and digest != met, f"it is not the chain that was sealed at {reached} in {NAME}"),
    )
    return next((said for wrong, said in checks if wrong), "")


def read(folder: Path) -> dict[str, tuple[int, str]] | None:
    """Organization -> revision and hash, as last sealed; nothing was where there is no such file.

    None where it cannot be read, which is not the same: somebody may have spoilt it on purpose.
    """
    try:
        found = json.loads((folder / NAME).read_text(encoding="utf-8"))
        return {str(name): (int(revision), str(digest)) for name, (revision, digest) in found.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, AttributeError):
        return None


def _write(folder: Path, heads: Mapping[str, tuple[int, str]]) -> None:
    with suppress(FileNotFoundError), _alone(folder):
        known = read(folder)
        if known is None:
            return  # What was spoilt stays to be found.
        newer = {name: head for name, head in heads.items() if head[0] > known.get(name, (0, ""))[0]}
        if not newer:
            return
        draft = folder / f"{NAME}.new"
        with draft.open("w", encoding="utf-8") as file:
            json.dump({**known, **newer}, file)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(folder / NAME)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One process writes at a time, and the later one sees what the earlier one wrote."""
    lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
