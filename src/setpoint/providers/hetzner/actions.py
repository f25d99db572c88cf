"""The vendor's own long work: an action is asked for, then watched until it ends."""

import asyncio
from collections.abc import Sequence
from math import inf
from typing import Any, Final

from setpoint.capabilities.urgency import UNTIL
from setpoint.engine.errors import FAILURES, Missing, Rejected, Transient
from setpoint.providers.transport import Transport
from setpoint.providers.understood import understood

AnyJson = Any
Places = dict[int, asyncio.Future[AnyJson]]
GATHER_SECONDS: Final = 0.03
"""Who begins to wait within so long of each other is asked about in one call."""
POLL_SECONDS: Final = (0.0, 0.05, 0.1, 0.2, 0.4, 0.8, 1.0)
"""On top of that, before each call about the same action."""
TOGETHER: Final = 50
"""How many are asked about in one call at most: an address has its limits."""


class Actions:
    """What is under way of one sort of resource. One call at a time asks about all that somebody waits for:
    it costs the account hardly more of its budget than asking about one.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._waiting: Places = {}
        self._asking: asyncio.Task[None] | None = None

    async def finished(self, action: AnyJson) -> None:
        """Returns when the action succeeded; the journal's deadline bounds the waiting."""
        tries = 0
        while action["status"] == "running":
            await asyncio.sleep(POLL_SECONDS[min(tries, len(POLL_SECONDS) - 1)])
            tries += 1
            try:
                action = await self._stands(action["id"])
            except Transient as error:
                if error.retry_after is not None:
                    # Told to wait: nothing is wrong with the action, which goes on meanwhile.
                    await asyncio.sleep(error.retry_after)
                    continue
                # The action was accepted: whatever became of it, it may have landed.
                raise Transient(str(error), landed=True) from error
        if action["status"] == "error":
            said = action["error"] or {"code": "unknown", "message": "no reason given"}
            raise Rejected(f"{action['command']} ended in {said['code']}: {said['message']}")

    async def _stands(self, number: int) -> AnyJson:
        """How this action stands, by the next call that is made."""
        place = self._waiting[number] = asyncio.get_running_loop().create_future()
        if self._asking is None:
            self._asking = asyncio.create_task(self._ask())
        return await place

    async def _ask(self) -> None:
        # On behalf of all of them: each has its own time, and stops waiting when that is up.
        UNTIL.set(inf)
        try:
            while self._waiting:
                await asyncio.sleep(GATHER_SECONDS)
                asked = {number: self._waiting.pop(number) for number in list(self._waiting)[:TOGETHER]}
                await self._answer(asked)
        finally:
            self._asking = None

    async def _answer(self, asked: Places) -> None:
        try:
            found = await self._found(list(asked))
        except FAILURES as error:
            if isinstance(error, Missing) and len(asked) > 1:
                # One of them is not known, which says nothing about the others.
                for number, place in asked.items():
                    await self._answer({number: place})
            for place in asked.values():
                if not place.done():
                    place.set_exception(error)
            return
        for number, place in asked.items():
            if not place.done():  # Else its caller has left.
                place.set_result(found[number])

    @understood
    async def _found(self, numbers: Sequence[int]) -> dict[int, AnyJson]:
        """Each of them as it stands, or Missing."""
        if len(numbers) == 1:
            action = (await self._transport.follow(f"/actions/{numbers[0]}"))["action"]
            return {numbers[0]: action}
        query = "&".join(f"id={number}" for number in numbers)
        answer = await self._transport.follow(f"/actions?{query}")
        found = {action["id"]: action for action in answer["actions"]}
        if missing := sorted(set(numbers) - found.keys()):
            raise Missing(f"the vendor does not know action {missing[0]}")
        return found
