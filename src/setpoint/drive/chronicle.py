"""The record of what happened, read from the store."""

from collections.abc import Sequence

from msgspec import Struct

from setpoint.engine.rows import Event, Head
from setpoint.engine.store import EVENTS_AFTER, Store


class StoreChronicle(Struct, frozen=True):
    """Everybody's; who may hear of what is decided before it is asked."""

    store: Store

    async def head(self, organization: str) -> int:
        head = await self.store.get(Head, organization)
        return head.revision if head else 0

    async def after(self, organization: str, revision: int, limit: int) -> Sequence[Event]:
        return await self.store.read(EVENTS_AFTER, organization=organization, after=revision, limit=limit)
