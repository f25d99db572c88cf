"""Who we are: what every start reads first."""

from setpoint.engine.errors import Conflict
from setpoint.engine.rows import Installation
from setpoint.engine.store import Change, Expect, Put, Store


async def known(store: Store, first: Installation) -> Installation:
    """Who this store says we are; `first` is who we become where nobody was here before."""
    while True:
        found = await store.get(Installation, first.key)
        if found is not None:
            return found
        try:
            await store.commit(Change((Expect(Installation, first.key),), (Put(first),)))
        except Conflict:
            continue  # Another replica was here a moment earlier: we are who it is.
