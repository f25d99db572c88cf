"""Argon2id, 46 MiB for each hash: so many side by side as there are cores, off the event loop."""

import asyncio
import os
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from argon2 import PasswordHasher

MEMORY_KIB: Final = 46 * 1024
PASSES: Final = 1
RESULT = TypeVar("RESULT")


class Argon2Passwords:
    """Whoever asks while all cores are busy waits; memory stays bounded however many sign in at once."""

    def __init__(self, at_once: int = 0, hasher: "PasswordHasher | None" = None) -> None:
        self._given = hasher
        self._free = asyncio.Semaphore(at_once or os.cpu_count() or 1)
        self._nobodys = ""

    async def hashed(self, password: str) -> str:
        return await self._apart(lambda: self._hasher.hash(password))

    async def matches(self, password: str, known: str) -> bool:
        if not self._nobodys:
            self._nobodys = await self.hashed("nobody has this password")
        found = await self._apart(lambda: self._verified(known or self._nobodys, password))
        return found and bool(known)

    def outdated(self, known: str) -> bool:
        return self._hasher.check_needs_rehash(known)

    @cached_property
    def _hasher(self) -> "PasswordHasher":
        """Loaded by the first who signs in."""
        from argon2 import PasswordHasher, Type  # noqa: PLC0415

        usual = PasswordHasher(time_cost=PASSES, memory_cost=MEMORY_KIB, parallelism=1, type=Type.ID)
        return self._given or usual

    def _verified(self, known: str, password: str) -> bool:
        from argon2.exceptions import InvalidHashError, VerificationError  # noqa: PLC0415 - as above

        try:
            return self._hasher.verify(known, password)
        except (VerificationError, InvalidHashError):
            return False

    async def _apart(self, work: Callable[[], RESULT]) -> RESULT:
        async with self._free:
            return await asyncio.to_thread(work)
