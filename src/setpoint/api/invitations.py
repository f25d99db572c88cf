"""What an invitation brings: where it leads, what accepting it writes, what goes when a person goes."""

from typing import Any

from setpoint.engine.account import Account, Link
from setpoint.engine.store import Change, Store

AnyJson = Any


async def described(store: Store, link: Link) -> dict[str, AnyJson]:
    """What whoever opens the link is told about it, beside its purpose and its end."""
    return {}


async def acceptance(store: Store, link: Link, account: Account, now: float) -> Change:
    """What is written when this account accepts; part of the commit that spends the link."""
    return Change()


async def departure(store: Store, account: Account, now: float) -> Change:
    """What is written when this account is deleted; part of the commit that deletes it."""
    return Change()
