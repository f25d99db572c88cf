"""Checkpoints of audit chains: how far each had come, sealed with a key that the database does not hold.

A chain alone does not show that its end was cut off together with its head, or that all was written anew.
A checkpoint that was shipped elsewhere does: the line that it names must still be in the chain.
"""

import hashlib
import hmac
import os
from array import array
from collections.abc import Iterable, Mapping
from typing import BinaryIO, Final

import msgspec
from msgspec.structs import replace

from setpoint.engine.entity import canonical

PURPOSE: Final = b"setpoint audit checkpoint "


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    """One chain at one moment; `hash` is that of its last line then."""

    organization: str
    revision: int
    hash: str
    at: float
    seal: str = ""


class About(msgspec.Struct, frozen=True):
    """Whose checkpoint a line is; nothing else of it is read."""

    organization: str


class Index(msgspec.Struct):
    """Where in the file the lines of each chain begin: what was read once is not read for another one.

    Eight bytes a line. A file that is another one, or shorter than before, is read anew.
    """

    torn: int = 0
    """Lines that name no chain."""
    unended: bool = False
    """The last line is cut, or still on its way."""
    _at: dict[str, "array[int]"] = msgspec.field(default_factory=dict)
    _file: tuple[int, int] = (0, 0)
    _end: int = 0

    def lines_of(self, file: BinaryIO, organization: str) -> list[bytes]:
        """The lines of one chain, as they are in the file now."""
        self._catch_up(file)
        lines = []
        for at in self._at.get(organization, ()):
            file.seek(at)
            lines.append(file.readline())
        return lines

    def _catch_up(self, file: BinaryIO) -> None:
        """Reads what was appended since; a line without an end is looked at again."""
        now = os.fstat(file.fileno())
        if self._file != (now.st_dev, now.st_ino) or now.st_size < self._end:
            self.torn, self._at, self._end = 0, {}, 0
            self._file = (now.st_dev, now.st_ino)
        file.seek(self._end)
        while (line := file.readline()).endswith(b"\n"):
            try:
                about = msgspec.json.decode(line, type=About)
                self._at.setdefault(about.organization, array("Q")).append(self._end)
            except (msgspec.DecodeError, UnicodeDecodeError):
                self.torn += 1
            self._end += len(line)
        self.unended = bool(line)


class Shipped(msgspec.Struct, frozen=True):
    """What was shipped of all chains, and how many lines of it nobody here has sealed."""

    points: Mapping[str, tuple[Checkpoint, ...]] = {}
    foreign: int = 0

    def missing(self, organization: str, there: Iterable[str]) -> tuple[Checkpoint, ...]:
        """Those of a chain whose line is not among these hashes, the earliest first."""
        found = frozenset(there)
        lost = (each for each in self.points.get(organization, ()) if each.hash not in found)
        return tuple(sorted(lost, key=lambda each: each.revision))


def sealed(key: str, point: Checkpoint) -> Checkpoint:
    """The checkpoint as it is shipped."""
    about = canonical(replace(point, seal=""))
    purpose = hashlib.sha256(PURPOSE + key.encode()).digest()
    return replace(point, seal=hmac.new(purpose, about, hashlib.sha256).hexdigest())


def read_shipped(key: str, lines: Iterable[bytes]) -> Shipped:
    """What is left of what was shipped. A line that was cut or made up counts as foreign."""
    points: dict[str, list[Checkpoint]] = {}
    foreign = 0
    for line in lines:
        try:
            point = msgspec.json.decode(line, type=Checkpoint)
        except (msgspec.DecodeError, UnicodeDecodeError):
            foreign += 1
            continue
        if hmac.compare_digest(sealed(key, point).seal.encode(), point.seal.encode()):
            points.setdefault(point.organization, []).append(point)
        else:
            foreign += 1
    return Shipped({name: tuple(each) for name, each in points.items()}, foreign)
