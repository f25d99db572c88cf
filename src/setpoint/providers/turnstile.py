"""The governor on a real event loop: callers wait here for their turn. It decides nothing."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Final

from msgspec import Struct

from setpoint.engine.errors import Transient
from setpoint.providers.budget import Answer, answered
from setpoint.providers.governor import Governor
from setpoint.providers.lines import Errand, Ticket
from setpoint.providers.wire import CALL_SECONDS

ACTING_PATIENCE: Final = 2 / 3
"""The share of an act's time that may go by before a call is sent; the rest is for its answer."""
READING_PATIENCE: Final = 2.0
"""Times a call's time: a read belongs to a pass, which has a minute."""


class Turn(Struct):
    """One call that may be made now; whoever makes it says what was answered."""

    answer: Answer | None = None

    def answered(self, status: int, headers: Mapping[str, str]) -> None:
        self.answer = answered(status, headers)


class Turnstile:
    """One per account, shared by all who use its credential. Time is the event loop's."""

    def __init__(self, call_seconds: float = CALL_SECONDS) -> None:
        self._call_seconds = call_seconds
        self.governor = Governor()
        self._waiting: dict[Ticket, asyncio.Future[bool]] = {}
        self._timer: asyncio.TimerHandle | None = None

    def patience(self, *, acting: bool) -> float:
        """How long a call may wait for its turn."""
        return self._call_seconds * (ACTING_PATIENCE if acting else READING_PATIENCE)

    @asynccontextmanager
    async def turn(self, name: str, errand: Errand) -> AsyncIterator[Turn]:
        """Waits for its turn; Transient, before anything was sent, if that would take too long."""
        ticket = self.governor.join(errand, _now())
        if ticket is None or not await self._admitted(ticket):
            raise self._too_long(name, errand)
        turn = Turn()
        try:
            yield turn
        except asyncio.CancelledError:
            # Whoever stops listening learns nothing about the vendor.
            if turn.answer is None:
                self.governor.leave(ticket)
            raise
        finally:
            self._ended(ticket, turn.answer)

    async def _admitted(self, ticket: Ticket) -> bool:
        """Whether its turn came before its patience ended."""
        place: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting[ticket] = place
        self._admit()
        try:
            async with asyncio.timeout(ticket.errand.patience):
                return await place
        except TimeoutError:
            self._give_up(ticket, too_long=True)
            return False
        except asyncio.CancelledError:
            self._give_up(ticket, too_long=False)
            raise

    def _admit(self) -> None:
        """Lets through whoever may go, and comes back when the next one may."""
        now = _now()
        for ticket in self.governor.hopeless():
            self._tell(ticket, may_go=False)
        for ticket in self.governor.admit(now):
            self._tell(ticket, may_go=True)
        if self._timer is not None:
            self._timer.cancel()
        due = self.governor.due(now)
        loop = asyncio.get_running_loop()
        self._timer = None if due is None else loop.call_later(due, self._admit)

    def _tell(self, ticket: Ticket, *, may_go: bool) -> None:
        place = self._waiting.pop(ticket)
        # One that was cancelled this very moment gives its place back by itself.
        if not place.done():
            place.set_result(may_go)

    def _give_up(self, ticket: Ticket, *, too_long: bool) -> None:
        self._waiting.pop(ticket, None)
        self.governor.leave(ticket, too_long=too_long)
        self._admit()

    def _ended(self, ticket: Ticket, answer: Answer | None) -> None:
        if answer is None:
            self.governor.lost(ticket, _now())
        else:
            self.governor.answered(ticket, answer, _now())
        self._admit()

    def _too_long(self, name: str, errand: Errand) -> Transient:
        now = _now()
        wait = self.governor.wait(errand, now)
        return Transient(f"{name} {self.governor.why(now)}", landed=False, retry_after=wait)


def _now() -> float:
    return asyncio.get_running_loop().time()
