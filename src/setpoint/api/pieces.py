"""Work that grows with what a caller sent, in small pieces: others are answered in between, and it ends."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from typing import Final, TypeVar

from msgspec import Struct

from setpoint.access.decision import Question
from setpoint.access.difference import Layers, steps
from setpoint.api.problem import Refused

Piece = TypeVar("Piece")
TURN_SECONDS: Final = 0.005
"""So long others wait at most, but for a single piece."""
MOST_SECONDS: Final = 15.0
"""So long one request may compute in all."""


class Pieces(Struct, frozen=True):
    """The one way to loop over much on the event loop."""

    monotonic: Callable[[], float]

    async def of(self, steps: Iterable[Piece]) -> AsyncIterator[Piece]:
        """Each of them; Refused when they take too long together."""
        turn, spent = self.monotonic(), 0.0
        for piece in steps:
            yield piece
            if (taken := self.monotonic() - turn) < TURN_SECONDS:
                continue
            spent += taken
            if spent > MOST_SECONDS:
                detail = f"this request takes more than {MOST_SECONDS:g} s of computing; nothing was stored"
                raise Refused(422, "too_much_work", detail, hint="send it in parts, or name fewer objects")
            await asyncio.sleep(0)
            turn = self.monotonic()

    async def first_beyond(
        self, more: Layers, others: Sequence[Layers], keys: Sequence[str], now: float
    ) -> Question | None:
        """The first that `more` allows and none of the others does: nobody gives what they lack."""
        async for found in self.of(steps(more, others, keys, now)):
            if found:
                return found[0]
        return None
