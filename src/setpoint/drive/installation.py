"""Who we are: what every start reads first."""

import contextlib

from msgspec.structs import replace

from setpoint.capabilities.people import Seal
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


async def same_seal(store: Store, seal: Seal) -> bool:
    """Whether what was sealed here before opens with this one; the first that comes is the right one."""
    found = await store.get(Installation, "installation")
    if found is None or found.seal:
        return found is None or seal.opened(found.seal, found.id) is not None
    here = Expect(Installation, found.key, "identity", found.identity)
    with contextlib.suppress(Conflict):  # Whoever moved it asks the same at their own start.
        await store.commit(Change((here,), (Put(replace(found, seal=seal.closed("setpoint", found.id))),)))
    return True
