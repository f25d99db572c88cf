"""The API's pen: the store as its handlers have it.

What they write carries the trace of the request, and the mark that its attempt took effect.
"""

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Final, TypeVar

from msgspec import Struct, structs
from msgspec.structs import replace

from setpoint.api.beginning import ABOUT, EARLIER, NEWEST_FIRST, OLDEST_FIRST, beginning_of
from setpoint.api.trace import CURRENT
from setpoint.engine.entity import Declared
from setpoint.engine.request import KEPT_SECONDS, Attempt
from setpoint.engine.rows import Audit, PlanRow, Sign
from setpoint.engine.store import (
    Change,
    Expect,
    Identity,
    Lease,
    Leased,
    Put,
    Query,
    Scalar,
    Store,
    Stored,
    joined,
)

RowT = TypeVar("RowT")
MOST_REFS: Final = 100
PAST: Final = OLDEST_FIRST | NEWEST_FIRST


class Slip(Struct):
    """The attempt that a request is, as it stands."""

    attempt: Attempt

    def landed(self, change: Change, now: float) -> Change:
        """To be committed with the effect: what it is about, if the attempt is still ours."""
        about = tuple(
            str(put.row.ref)
            for put in change.writes
            if isinstance(put, Put) and isinstance(put.row, Declared | PlanRow)
        )
        row = structs.replace(
            self.attempt,
            version=self.attempt.version + 1,
            until=now + KEPT_SECONDS,
            landed_at=now,
            refs=about[:MOST_REFS],
        )
        expect = Expect(Attempt, row.key, "version", self.attempt.version)
        return Change((expect,), (Put(row),))


UNDER_WAY: Final[ContextVar[Slip | None]] = ContextVar("under_way", default=None)
"""Of the request that this task answers, where it came with a key."""


class Pen(Struct, frozen=True):
    """Everything else goes to the store as it is."""

    store: Store
    now: Callable[[], float]
    reached: Callable[[str], None] = lambda _: None

    async def commit(self, change: Change) -> None:
        trace, slip = CURRENT.get(), UNDER_WAY.get()
        if trace is not None:
            change = replace(change, audit=tuple(_traced(line, trace.trace) for line in change.audit))
        if slip is None or slip.attempt.landed_at:
            await self.store.commit(change)
            return
        landed = slip.landed(change, self.now())
        self.reached("effect.before_commit")
        await self.store.commit(joined((change, landed)))
        self.reached("effect.after_commit")
        slip.attempt = next(put.row for put in landed.writes if isinstance(put, Put))

    async def get(self, row: type[RowT], key: str) -> RowT | None:
        found = await self.store.get(row, key)
        organization = getattr(found, "organization", "") if row in ABOUT and not EARLIER.get() else ""
        if found is None or not organization:
            return found
        begun = await beginning_of(self.store, organization)
        return found if begun is not None and await begun.kept(self.store, [found]) else None

    async def read(self, query: Query[RowT], **values: Scalar) -> list[RowT]:
        """Of the past of an organization only what is since the present one of its name was declared."""
        organization = str(values.get("organization", ""))
        if EARLIER.get() or not organization or query.name not in PAST:
            return await self.store.read(query, **values)
        begun = await beginning_of(self.store, organization)
        if begun is None:
            return []
        if query.name in OLDEST_FIRST:
            values["after"] = max(int(values["after"] or 0), begun.revision - 1)
        return await begun.kept(self.store, await self.store.read(query, **values))

    async def bodies(self, query: Query[Declared], **values: Scalar) -> Sequence[Stored]:
        return await self.store.bodies(query, **values)

    async def lease(self, asked: Lease) -> Leased:
        return await self.store.lease(asked)

    async def identity(self) -> Identity:
        return await self.store.identity()

    async def sign(self, signs: Sequence[Sign], hint: str = "") -> None:
        await self.store.sign(signs, hint)

    def listen(self, heard: Callable[[frozenset[str]], None]) -> Callable[[], None]:
        return self.store.listen(heard)

    async def close(self) -> None:
        await self.store.close()


def _traced(line: Audit, trace: str) -> Audit:
    return structs.replace(line, detail={**line.detail, "trace": trace})
