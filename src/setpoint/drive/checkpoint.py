"""Checkpoints of audit chains: how far each had come, sealed with a key that the database does not hold.

A chain alone does not show that its end was cut off together with its head, or that all was written anew.
A checkpoint that was shipped elsewhere does: the line that it names must still be in the chain.
"""

import hashlib
import hmac
from collections.abc import Iterable, Mapping
from typing import Final

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
