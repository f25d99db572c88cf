"""Patience with a server that is away: longer after each failure, and never in step with other processes."""

import asyncio
from random import Random
from typing import Final

_SOON: Final = 0.05
_LATER: Final = 2.0
_MOST: Final = 10  # Failures that are counted; by then it is later than _LATER.


class Patience:
    """How long to wait before the next try."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._failures = 0
        self._not_before = 0.0

    def failed(self) -> None:
        longest = min(_LATER, _SOON * 2**self._failures)
        self._failures = min(self._failures + 1, _MOST)
        self._not_before = asyncio.get_running_loop().time() + self._chance.uniform(longest / 2, longest)

    def succeeded(self) -> None:
        self._failures = 0

    async def wait(self) -> None:
        """Until it is worth trying again."""
        await asyncio.sleep(self._not_before - asyncio.get_running_loop().time())
