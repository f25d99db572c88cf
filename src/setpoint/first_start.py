"""What the first start of an installation makes: its administrator's token, and the way in for people."""

import asyncio
from pathlib import Path

from setpoint import system
from setpoint.access.credential import hash_token
from setpoint.api import post
from setpoint.engine.store import Change, Put, Store
from setpoint.engine.token import Token
from setpoint.providers.key_file import kept


async def administrator(store: Store, folder: Path) -> str:
    """The administrator's token, made at the first start and kept in a file only its owner can read."""
    token = await asyncio.to_thread(kept, folder / "admin.token")
    row = Token(
        hash=hash_token(token),
        subject="administrator",
        role="administrator",
        may_approve=True,
        created_at=system.now(),
    )
    await store.commit(Change(writes=(Put(row),)))
    return token


async def first_link(store: Store, url: str) -> str:
    """Where the first administrator sets up an account; what follows the # is in no log."""
    link = await post.first_link(store, system.new_id(), system.new_secret(), system.now())
    return f"{url}/start#{link}" if link else ""
