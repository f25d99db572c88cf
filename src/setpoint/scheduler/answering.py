"""A scheduler's answers to what the API asks: when the domains it shows were observed, and are next.

One small read a second while nobody asks. While somebody does, one sign a second and one for each new
question, kept under the first shard that we own: at most as many as there are shards.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from msgspec import Struct

from setpoint.drive.observations import ANSWER, ASKED, Look, answer, asked_in
from setpoint.drive.ownership import Ownership
from setpoint.engine.errors import FAILURES
from setpoint.engine.store import Store, signs_of

LISTENS_SECONDS: Final = 1.0
"""How soon a question is answered whose hint got lost."""
EVERY_SECONDS: Final = 1.0


class Answering(Struct):
    """`run` until cancelled."""

    store: Store
    now: Callable[[], float]
    looks: Look
    ownership: Ownership
    _question: float = 0.0  # When the question was written that was answered last.
    _answered: float = 0.0

    async def run(self) -> None:
        news = asyncio.Event()
        forget = self.store.listen(lambda moved: news.set() if ASKED in moved else None)
        try:
            while True:
                news.clear()  # Before the read: whoever asks during it is answered once more.
                with suppress(*FAILURES):  # The store is away: nobody can read an answer either.
                    await self.answer()
                with suppress(TimeoutError):
                    async with asyncio.timeout(LISTENS_SECONDS):
                        await news.wait()
        finally:
            forget()

    async def answer(self) -> bool:
        """Answers a new question at once and an old one every second; returns whether it did."""
        asked = (await signs_of(self.store, (ASKED,))).get(ASKED)
        now, home = self.now(), self.ownership.first
        if asked is None or not home:
            return False
        if asked.at == self._question and now - self._answered < EVERY_SECONDS:
            return False
        found = self.looks(asked_in(asked, now))
        if not found:
            return False
        self._question, self._answered = asked.at, now
        await self.store.sign((answer(home, found, now),), hint=ANSWER)
        return True
