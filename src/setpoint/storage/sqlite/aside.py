"""Work that blocks, done aside on one thread: who asks while it is busy is answered together with others."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, Final, TypeVar

from msgspec import Struct

ResultT = TypeVar("ResultT")
AnyResult = Any

TOGETHER: Final = 16
"""How many are told at once at most: the first of them waits for the last. Telling costs more than work."""


class Asked(Struct, frozen=True):
    """What to do, and where its caller waits."""

    work: Callable[[], AnyResult]
    answer: asyncio.Future[AnyResult]


Done = tuple[Asked, AnyResult, BaseException | None]


class Aside:
    """Used on the event loop it was made on, until `close`."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[Asked | None] = SimpleQueue()
        # A daemon: a process that forgot to close must still be able to end.
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    async def do(self, work: Callable[[], ResultT]) -> ResultT:
        """In the order that it was asked for. A cancelled caller stops waiting; it is done all the same."""
        answer: asyncio.Future[ResultT] = self._loop.create_future()
        self._queue.put(Asked(work, answer))
        return await answer

    def close(self) -> None:
        """Finish what was asked, then end. Blocks."""
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (asked := self._queue.get()) is not None:
            done = [_done(asked)]
            with suppress(Empty):
                while len(done) < TOGETHER:
                    following = self._queue.get_nowait()
                    if following is None:
                        self._queue.put(None)  # For the loop outside, when these are told.
                        break
                    done.append(_done(following))
            with suppress(RuntimeError):  # The loop is closed: nobody waits any more.
                self._loop.call_soon_threadsafe(_tell, done)


def _done(asked: Asked) -> Done:
    try:
        return asked, asked.work(), None
    except Exception as error:  # noqa: BLE001 - the thread outlives any work; its caller gets the error
        return asked, None, error


def _tell(done: Sequence[Done]) -> None:
    for asked, found, error in done:
        if asked.answer.done():  # Its caller was cancelled.
            continue
        if error is None:
            asked.answer.set_result(found)
        else:
            asked.answer.set_exception(error)
