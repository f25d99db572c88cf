"""Time and chance as production has them."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from random import Random
from typing import TypeVar

from msgspec import Struct

from setpoint.capabilities.urgency import UNTIL
from setpoint.engine.errors import Transient

ResultT = TypeVar("ResultT")


class RealRuntime(Struct, frozen=True):
    """Handed to the engine, which imports no clock of its own."""

    now: Callable[[], float]
    new_id: Callable[[], str]
    random: Random

    def chance(self) -> float:
        return self.random.random()

    async def give_way(self) -> None:
        await asyncio.sleep(0)

    async def each(self, works: Sequence[Awaitable[ResultT]]) -> Sequence[ResultT | BaseException]:
        return await asyncio.gather(*works, return_exceptions=True)

    async def within(self, seconds: float, work: Awaitable[ResultT]) -> ResultT:
        before = UNTIL.set(min(UNTIL.get(), asyncio.get_running_loop().time() + seconds))
        try:
            async with asyncio.timeout(seconds):
                return await work
        except TimeoutError as error:
            raise Transient(f"no answer within {seconds:.0f} s", landed=True) from error
        finally:
            UNTIL.reset(before)
