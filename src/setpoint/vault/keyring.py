"""The master keys a process holds, and what they unwrap. The API may not import this."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Final

from setpoint.engine.errors import Conflict, Denied
from setpoint.engine.secret import Master, OrganizationKey, Secret, SecretUse
from setpoint.engine.store import KEYS_PAGE, SECRETS_OF, USES_OF, Change, Drop, Expect, Put, Store
from setpoint.vault.master import MasterFile, MasterKey
from setpoint.vault.sealing import about_key

ROW: Final = "master"
AT_ONCE: Final = 200


@dataclass(slots=True, repr=False)
class Keyring:
    """Read again when a key turns up that none of them wraps: somebody changed the master key meanwhile."""

    file: MasterFile
    _known: dict[str, MasterKey] = field(default_factory=dict)

    def private(self, key: OrganizationKey) -> bytes:
        return self.master(key.master).unwrap(key)

    def master(self, identity: str) -> MasterKey:
        if identity not in self._known:
            self._known = {each.id: each for each in self.file.known()}
        if identity not in self._known:
            where = "SETPOINT_MASTER_KEY" if self.file.given else str(self.file.path)
            raise Denied(f"the master key {identity} of this installation is not here: put it into {where}")
        return self._known[identity]

    def rewrapped(self, key: OrganizationKey, master: MasterKey) -> bytes:
        """The same private half, under another master key."""
        return master.wrap(self.private(key), about_key(key.home, key.version, key.public))


async def established(store: Store, file: MasterFile, *, alone: bool = False) -> Keyring:
    """The keys of this installation; the first process that needs one makes it, and no other ever does.

    One that is `alone` begins anew where the key was lost before anything was sealed under it. Any other one
    without it goes on: what needs no secret works, and what does is told where to put the key.
    """
    ring, row = Keyring(file), await store.get(Master, ROW)
    lost = row is not None and row.id not in {key.id for key in file.known()}
    if row is not None and lost and alone and not await _needed(store):
        await _forget(store, row)
        row = None
    if row is None:
        first = (file.known() or (file.begin(),))[0]
        try:
            change = Change(expects=(Expect(Master, ROW),), writes=(Put(Master(id=first.id)),))
            await store.commit(change)
        except Conflict:
            return ring
    return ring


async def missing(store: Store, ring: Keyring) -> str:
    """Why nothing can be opened here; empty where it can."""
    row = await store.get(Master, ROW)
    try:
        ring.master(row.id if row else "")
    except Denied as error:
        return str(error)
    return ""


async def forget(store: Store, key: OrganizationKey) -> None:
    """First what was sealed, then the key: without it nothing of that organization ever opens again."""
    while secrets := await store.read(SECRETS_OF, home=key.home, after="", limit=AT_ONCE):
        await store.commit(Change(writes=tuple(Drop(Secret, secret.id) for secret in secrets)))
    uses = await store.read(USES_OF, home=key.home)
    drops = (*(Drop(SecretUse, use.id) for use in uses), Drop(OrganizationKey, key.id))
    await store.commit(Change(writes=drops))


async def every_key(store: Store) -> AsyncIterator[OrganizationKey]:
    after = ""
    while page := await store.read(KEYS_PAGE, after=after, limit=AT_ONCE):
        for key in page:
            yield key
        after = page[-1].id


async def _needed(store: Store) -> bool:
    """Whether anything is sealed."""
    async for key in every_key(store):
        if await store.read(SECRETS_OF, home=key.home, after="", limit=1):
            return True
    return False


async def _forget(store: Store, row: Master) -> None:
    keys = [key async for key in every_key(store)]
    drops = (*(Drop(OrganizationKey, key.id) for key in keys), Drop(Master, ROW))
    await store.commit(Change(expects=(Expect(Master, ROW, "id", row.id),), writes=drops))
