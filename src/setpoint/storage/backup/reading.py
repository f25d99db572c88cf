"""Reading a backup: everything in it is checked before anybody relies on any of it."""

import gzip
import hashlib
import zlib
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, TypeVar

import msgspec
from msgspec import Struct, field

from setpoint.engine.audit import broken_at
from setpoint.engine.errors import Denied, Rejected
from setpoint.engine.rows import Audit, Head, Installation, Switch
from setpoint.engine.store import AnyRow
from setpoint.storage.backup.lines import FORMAT, ROWS, Footer, Header, Line, schema
from setpoint.storage.form import decoded

ALL: Final = "all"
SHOWN: Final = 3
ValueT = TypeVar("ValueT")


class Backup(Struct, frozen=True):
    """A backup that was read to its end and found whole."""

    header: Header
    counts: Mapping[str, int]
    installation: Installation
    switch: Switch | None
    """The one above everything, as it was."""
    chains: int

    @property
    def rows(self) -> int:
        return sum(self.counts.values())


def verified(path: Path) -> Backup:
    """Read from end to end: hash, counts, every row, every audit chain. Rejected at the first thing wrong."""
    check = _Check(path)
    for row in _read(path, check):
        check.see(row)
    return check.passed()


def rows_in(path: Path) -> Iterator[AnyRow]:
    """Every row of a backup that was verified before."""
    return _read(path, _Check(path))


class _Check(Struct):
    """What is remembered while a backup is read."""

    path: Path
    header: Header | None = None
    footer: Footer | None = None
    digest: str = ""
    counts: Counter[str] = field(default_factory=Counter)
    heads: dict[str, Head] = field(default_factory=dict)
    ends: dict[str, str] = field(default_factory=dict)
    installation: Installation | None = None
    switch: Switch | None = None

    def see(self, row: AnyRow) -> None:
        match row:
            case Installation():
                self.installation = row
            case Switch(key="all"):
                self.switch = row
            case Head():
                self.heads[row.organization] = row
            case Audit():
                whose = row.organization
                if broken_at((row,), self.ends.get(whose, "")) is not None:
                    raise damaged(self.path, f"the audit of {_named(whose)} breaks at {row.revision}")
                self.ends[whose] = row.hash
            case _:
                pass

    def passed(self) -> Backup:
        if self.header is None or self.footer is None or self.installation is None:
            raise damaged(self.path, "it does not say whose it is")
        if self.footer.counts != self.counts:
            raise damaged(
                self.path, f"{self.counts.total()} rows of {sum(self.footer.counts.values())} are there"
            )
        if self.footer.sha256 != self.digest:
            raise damaged(self.path, "it is not what was written: its hash is another")
        for organization, head in self.heads.items():
            if head.hash != self.ends.get(organization, ""):
                raise damaged(self.path, f"the audit of {_named(organization)} ends before its head")
        return Backup(self.header, dict(self.counts), self.installation, self.switch, len(self.ends))


def _read(path: Path, check: _Check) -> Iterator[AnyRow]:
    lines = _lines(path)
    first = next(lines, b"")
    check.header = _header(path, first, lines)
    digest, held = hashlib.sha256(first), next(lines, b"")
    for number, line in enumerate(lines, start=2):
        digest.update(held)
        table, row = _row(path, held, number)
        check.counts[table] += 1
        yield row
        held = line
    check.footer, check.digest = _decoded(path, held, Footer, "its end is missing"), digest.hexdigest()


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with gzip.open(path, "rb") as file:
            yield from file
    except FileNotFoundError as error:
        raise Rejected(f"there is no file {path}") from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise damaged(path, str(error)) from error
    except OSError as error:
        raise Denied(f"{path} cannot be read: {error.strerror or error}") from error


def _header(path: Path, line: bytes, rest: Iterator[bytes]) -> Header:
    """The first line, if this release can read what follows."""
    header = _decoded(path, line, Header, "its first line says nothing of a backup")
    newer = _newer(header)
    if newer:
        deque(rest, maxlen=0)  # Read to its end, where damage shows: a flipped letter is no newer release.
        raise Rejected(f"{path} was written by a newer setpoint, which has {newer}: restore it with that one")
    return header


def _newer(header: Header) -> str:
    """What this release does not know; empty where it knows everything."""
    if header.format > FORMAT:
        return f"format {header.format}"
    known = schema()
    parts = [(name, part) for name, parts in header.schema.items() for part in parts]
    unknown = [f"{name}.{part}" for name, part in parts if part not in known.get(name, ())]
    more = f" and {len(unknown) - SHOWN} more" if len(unknown) > SHOWN else ""
    return ", ".join(unknown[:SHOWN]) + more


def _row(path: Path, line: bytes, number: int) -> tuple[str, AnyRow]:
    found = _decoded(path, line, Line, f"line {number} is no row")
    if found.table not in ROWS:
        raise damaged(path, f"line {number} is of a table {found.table[:40]!r} that there is none of")
    try:
        return found.table, decoded(ROWS[found.table], bytes(found.body))
    except msgspec.DecodeError as error:
        raise damaged(path, f"line {number} is no {found.table}: {error}") from error


def _decoded(path: Path, line: bytes, kind: type[ValueT], otherwise: str) -> ValueT:
    try:
        return decoded(kind, line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise damaged(path, otherwise) from error


def damaged(path: Path, why: str) -> Rejected:
    return Rejected(f"{path} is damaged or no backup: {why}; nothing was changed. Use an earlier backup")


def _named(organization: str) -> str:
    return organization or "the installation"
