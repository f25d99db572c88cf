"""The tokens of servers as the scheduler gives them out, and what they are signed with."""

from pathlib import Path

from setpoint.engine.entity import Ref
from setpoint.engine.secret import ENROLMENTS
from setpoint.engine.store import KEYS_OF, Store
from setpoint.vault.keyring import Keyring
from setpoint.vault.master import NAME, MasterFile
from setpoint.vault.signer import Signer


async def token_of(store: Store, data: Path, host: Ref, act: str) -> str:
    return await Signer(store, _ring(data)).issue(host, act)


async def private_half(store: Store, data: Path) -> bytes:
    """Whoever has this could make a token for any server."""
    (key,) = await store.read(KEYS_OF, home=ENROLMENTS)
    return _ring(data).private(key)


def _ring(data: Path) -> Keyring:
    return Keyring(MasterFile(data / NAME))
