"""Who we are, and that this process is the newest: what every start does first."""

from msgspec.structs import replace

from setpoint.engine.rows import Installation
from setpoint.engine.store import Change, Put, Store


async def begun(store: Store, first: Installation) -> Installation:
    """One epoch on: what an earlier process still has in hand may begin nothing. `first`: who we become."""
    known = await store.get(Installation, "installation") or first
    started = replace(known, epoch=known.epoch + 1)
    await store.commit(Change(writes=(Put(started),)))
    return started
