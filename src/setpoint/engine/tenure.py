"""Which part of all work is ours, and the proof of it that goes into every commit."""

from typing import Final, Protocol
from zlib import crc32

from setpoint.engine.rows import Service
from setpoint.engine.store import Expect

SHARDS: Final = 256


class Tenure(Protocol):
    """What one process owns of its service's work.

    A home is the ref that decides where work belongs: of the account it goes through, or its own.
    """

    def holds(self, home: str) -> bool: ...

    def fence(self, home: str, seconds: float = 0.0) -> Expect:
        """What the commit must find unchanged; Conflict where it is not ours, or not for so many seconds."""
        ...


def shard_key(service: Service, home: str) -> str:
    """The shard that this home belongs to."""
    return numbered(service, crc32(home.encode()) % SHARDS)


def numbered(service: Service, number: int) -> str:
    return f"{service}/{number:03}"
