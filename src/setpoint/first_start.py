"""What the first start of an installation makes: its administrator's token, its keys, and the way in."""

import asyncio
from pathlib import Path
from typing import Final

from setpoint import system
from setpoint.access.credential import hash_token
from setpoint.api import post
from setpoint.engine.errors import Denied
from setpoint.engine.store import Change, Put, Store
from setpoint.engine.token import Token
from setpoint.settings import Settings

SHORTEST_KEY: Final = 32


async def administrator(store: Store, folder: Path) -> str:
    """The administrator's token, made at the first start and kept in a file only its owner can read."""
    token = await asyncio.to_thread(_kept, folder / "admin.token")
    row = Token(
        hash=hash_token(token), subject="administrator", role="administrator", created_at=system.now()
    )
    await store.commit(Change(writes=(Put(row),)))
    return token


def people_key(settings: Settings) -> str:
    """One that is named has to be there: another key, made up here, would open nothing that is sealed."""
    if not settings.people_key_file:
        return _kept(Path(settings.data) / "people.key")
    try:
        key = Path(settings.people_key_file).read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise Denied(f"people_key_file={settings.people_key_file} cannot be read: {error}") from error
    if len(key) < SHORTEST_KEY:
        make = f"head -c 32 /dev/urandom | base64 > {settings.people_key_file}"
        raise Denied(f"people_key_file={settings.people_key_file} is too short; make one with: {make}")
    return key


async def first_link(store: Store, url: str) -> str:
    """Where the first administrator sets up an account; what follows the # is in no log."""
    link = await post.first_link(store, system.new_id(), system.new_secret(), system.now())
    return f"{url}/start#{link}" if link else ""


def _kept(file: Path) -> str:
    """A secret in a file that only its owner can read, made when it is first asked for."""
    if not file.exists():
        # Whole or not at all: a crash must not leave an empty secret behind.
        draft = file.with_name(f"{file.name}.new")
        draft.unlink(missing_ok=True)
        draft.touch(mode=0o600)
        draft.write_text(system.new_secret())
        draft.rename(file)
    return file.read_text().strip()
