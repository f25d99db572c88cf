"""The one writer of a process: takes changes from a queue and commits them in groups."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from msgspec import Struct

from setpoint.engine.errors import Transient
from setpoint.storage.patience import Patience
from setpoint.storage.postgres.connection import Address, Session, leave
from setpoint.storage.postgres.failure import ERRORS, failure, is_given_up, is_passing, is_taken
from setpoint.storage.postgres.prepared import Prepared
from setpoint.storage.postgres.statements import appends
from setpoint.storage.postgres.transaction import work

GROUP: Final = 256
"""How many changes share one transaction at most."""

_TRIES: Final = 5
_NOTHING: Final = "nothing was written"

Outcome = BaseException | None


class Request(Struct, frozen=True):
    """A change, and where its caller waits."""

    todo: Prepared
    answer: asyncio.Future[None]


class Writer:
    """Works from the moment it exists until `close`; a connection that is lost is made anew when needed."""

    def __init__(self, address: Address, patience: Patience, told: Callable[[frozenset[str]], None]) -> None:
        self._address = address
        self._patience = patience
        self._told = told
        self._queue: asyncio.Queue[Request | None] = asyncio.Queue()
        self._session: Session | None = None
        self._task = asyncio.create_task(self._run(), name="setpoint-writer")

    def submit(self, request: Request) -> None:
        self._queue.put_nowait(request)

    async def close(self) -> None:
        """Finish what was submitted, then leave."""
        self._queue.put_nowait(None)
        await self._task

    async def _run(self) -> None:
        try:
            while group := await self._next_group():
                self._answer(group, await self._written([request.todo for request in group]))
            if self._session is not None:
                await leave(self._session)
        finally:
            self._drop()  # Also where the loop ends without `close`: nothing is left half done.

    async def _next_group(self) -> list[Request]:
        """Waits for one request and takes whatever else has queued up; nothing once closed."""
        group: list[Request] = []
        request = await self._queue.get()
        while request is not None:
            group.append(request)
            if len(group) == GROUP or self._queue.empty():
                return group
            request = self._queue.get_nowait()
        self._queue.put_nowait(None)  # For the next call, when this group is written.
        return group

    def _answer(self, group: Sequence[Request], outcomes: Sequence[Outcome]) -> None:
        moved: set[str] = set()
        for request, error in zip(group, outcomes, strict=True):
            if error is None:
                moved |= request.todo.moved
            if request.answer.done():  # Its caller was cancelled.
                continue
            if error is None:
                request.answer.set_result(None)
            else:
                request.answer.set_exception(error)
        self._told(frozenset(moved))

    async def _written(self, members: Sequence[Prepared]) -> list[Outcome]:
        """How each change of the group went, once all of them are durable together."""
        problem: BaseException = Transient(_NOTHING)
        for _ in range(_TRIES):
            try:
                return await self._transaction(members)
            except Exception as error:  # noqa: BLE001 - the writer outlives any change; its caller gets the error
                problem = error
            alone = len(members) == 1
            if not alone and not is_passing(problem):
                # One of them is at fault, and only alone can we tell which.
                return [outcome for member in members for outcome in await self._written([member])]
            # What another process took in between is seen by the next try, and told as the conflict it is.
            if not is_given_up(problem) and not (alone and is_taken(problem)):
                break
        return [_own(problem) for _ in members]

    async def _transaction(self, members: Sequence[Prepared]) -> list[Outcome]:
        session = await self._connected()
        committing = False
        try:
            await session.execute(appends()["begin"])
            outcomes = await work(session, members)
            committing = True
            await session.execute("COMMIT")
        except Exception as error:
            await self._roll_back(session, error)
            if committing and is_passing(error):
                # Only the answer is known to be lost: the change may be there.
                raise failure(error, "the commit was not answered", landed=True) from error
            raise
        return [*outcomes]

    async def _connected(self) -> Session:
        if self._session is None or self._session.is_closed():
            await self._patience.wait()
            try:
                self._session = await self._address.connect()
            except ERRORS as error:
                self._patience.failed()
                raise failure(error, "the database cannot be reached") from error
            self._patience.succeeded()
        return self._session

    async def _roll_back(self, session: Session, error: Exception) -> None:
        if not is_passing(error) or is_given_up(error):
            with suppress(*ERRORS):
                await session.execute("ROLLBACK")
                return
        self._drop()

    def _drop(self) -> None:
        if self._session is not None:
            self._session.terminate()
            self._session = None


def _own(problem: BaseException) -> BaseException:
    """An error for one caller alone: one that many raise would carry the traces of all of them."""
    if isinstance(problem, Transient):
        return Transient(str(problem), landed=problem.landed)
    return failure(problem, _NOTHING)
