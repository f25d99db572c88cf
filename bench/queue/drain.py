"""A queue drained by ten asyncio workers: our agenda, and the queue of asyncio that knows no key twice."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Final

from bench.trial import Counts, Trial
from setpoint.engine.agenda import LANES, Agenda
from setpoint.engine.entity import Ref
from setpoint.engine.rows import Lane

WORKERS: Final = 10
TENANTS: Final = 10
TENTH: Final = 11  # No divisor of the tenants: each of them has keys in each lane.
TWICE: Final = 10  # Every tenth is woken twice, and handled once.
NOW: Final = 1_000_000.0

Handle = Callable[[Ref], Awaitable[None]]


def refs(size: int) -> list[Ref]:
    return [Ref(f"dns_zone/{number:07d}") for number in range(size)]


def agenda(size: int) -> Trial:
    """A storm of looks that are due, with every tenth key in one of the other lanes."""
    return _agenda(size, [lane for lane in LANES[:3] for _ in range(TENTH)] + [LANES[3]] * (27 * TENTH))


def even(size: int) -> Trial:
    """As much in each of the four lanes: all of them are compared at every turn."""
    return _agenda(size, LANES)


def _agenda(size: int, lanes: Sequence[Lane]) -> Trial:
    """Each key from `wake` to `done`."""
    tenants = [f"tenant-{number}" for number in range(TENANTS)]
    woken = [(ref, lanes[i % len(lanes)], tenants[i % TENANTS]) for i, ref in enumerate(refs(size))]

    async def drained(handle: Handle) -> None:
        waiting = Agenda()
        for ref, lane, tenant in woken:
            waiting.wake(ref, lane, NOW, tenant)
        for ref, lane, tenant in woken[::TWICE]:
            waiting.wake(ref, lane, NOW, tenant)

        async def work() -> None:
            while (due := waiting.take(NOW)) is not None:
                await handle(due.ref)
                waiting.done(due.ref, NOW)

        await asyncio.gather(*(work() for _ in range(WORKERS)))

    return _trial(drained, size)


def asyncio_queue(size: int) -> Trial:
    """The floor: no lanes, no tenants, no delays, and each key put once."""
    keys = refs(size)

    async def drained(handle: Handle) -> None:
        waiting: asyncio.Queue[Ref] = asyncio.Queue()
        for ref in keys:
            waiting.put_nowait(ref)

        async def work() -> None:
            while not waiting.empty():
                await handle(await waiting.get())
                waiting.task_done()

        await asyncio.gather(*(work() for _ in range(WORKERS)))

    return _trial(drained, size)


def right(size: int) -> Counts:
    return {"handled": size, "different": size}


def _trial(drained: Callable[[Handle], Awaitable[None]], size: int) -> Trial:
    def run() -> list[Ref]:
        handled: list[Ref] = []

        async def handle(ref: Ref) -> None:
            handled.append(ref)

        async def whole() -> None:
            await drained(handle)

        asyncio.run(whole())
        return handled

    return Trial(run, lambda found: {"handled": len(found), "different": len(set(found))}, parts=size)


def spread_out(keys: list[Ref], seconds: float) -> Iterator[tuple[Ref, float]]:
    """Each key with its place in a stretch of time, in no order."""
    step = 7919  # A prime: neighbours end up far apart.
    return ((ref, (i * step % len(keys)) / len(keys) * seconds) for i, ref in enumerate(keys))
