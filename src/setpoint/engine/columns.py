"""What differs among a million, without an object for each: a column of what is wanted, one of what was seen.

Knows hashes only. Where a value itself is needed, to plan with or to show, it is read again by its key.
"""

import hashlib
from typing import Final

from setpoint.engine.entity import AnyJson, canonical

WIDTH: Final = 16
_SLICES: Final = (65_536, 4_096, 256, WIDTH)
_ABSENT: Final = bytes(WIDTH)


def fingerprint(value: AnyJson) -> bytes:
    """What a column holds for a value: the bits of `hash_of`, not spelled out."""
    return hashlib.blake2b(canonical(value), digest_size=WIDTH).digest()


class Columns:
    """Which keys differ: kept up to date by each `want` and `saw`, and found anew by `rescan`.

    One owner, one thread. A key that is neither wanted nor seen is forgotten, and its slot is used again.
    """

    def __init__(self) -> None:
        self._slots: dict[str, int] = {}
        self._keys: list[str] = []  # By slot; a free one keeps its last key until it is taken.
        self._free: list[int] = []
        self._wanted = bytearray()
        self._seen = bytearray()
        self._different: set[str] = set()

    def __len__(self) -> int:
        return len(self._slots)

    def want(self, key: str, digest: bytes | None) -> bool:
        """From now on this is wanted; None: nothing is. Says whether the key differs now."""
        return self._write(self._wanted, self._seen, key, digest)

    def saw(self, key: str, digest: bytes | None) -> bool:
        """This was seen last; None: it is absent. Says whether the key differs now."""
        return self._write(self._seen, self._wanted, key, digest)

    def different(self) -> frozenset[str]:
        """The keys whose two columns differ, as the writes left them; costs as much as there are."""
        return frozenset(self._different)

    def rescan(self) -> frozenset[str]:
        """The same from the columns themselves, whatever the writes left: it corrects their account."""
        self._different = {self._keys[slot] for slot in self._differing()}
        return frozenset(self._different)

    def _write(self, column: bytearray, other: bytearray, key: str, digest: bytes | None) -> bool:
        if digest is None:
            digest = _ABSENT
        elif len(digest) != WIDTH or digest == _ABSENT:
            raise ValueError(f"a digest is {WIDTH} bytes that are not all zero, not {digest.hex()!r}")
        slot = self._slots.get(key)
        if slot is None:
            if digest is _ABSENT:
                return False
            slot = self._take(key)
        start, end = slot * WIDTH, slot * WIDTH + WIDTH
        column[start:end] = digest
        if other[start:end] != digest:
            self._different.add(key)
            return True
        self._different.discard(key)
        if digest is _ABSENT:
            self._free.append(self._slots.pop(key))
        return False

    def _take(self, key: str) -> int:
        if self._free:
            slot = self._free.pop()
            self._keys[slot] = key
        else:
            slot = len(self._keys)
            self._keys.append(key)
            self._wanted += _ABSENT
            self._seen += _ABSENT
        self._slots[key] = slot
        return slot

    def _differing(self) -> list[int]:
        """Slots, found by looking ever finer at what is not the same."""
        starts, span = [0], len(self._seen)
        with memoryview(self._seen) as seen:
            for width in _SLICES:
                # `startswith` compares in place; slices of a bytearray would be copied first.
                starts = [
                    at
                    for start in starts
                    for at in range(start, min(start + span, len(seen)), width)
                    if not self._wanted.startswith(seen[at : at + width], at)
                ]
                span = width
        return [start // WIDTH for start in starts]
