"""`secret://NAME`, opened for one organization: its own sealed secret, else the operator's file."""

from collections.abc import Callable
from typing import Final

from msgspec import Struct, field

from setpoint.capabilities.world import Opened, Secrets
from setpoint.engine.entity import Ref, Scope, slot
from setpoint.engine.errors import Missing
from setpoint.engine.secret import OrganizationKey, Sealed, Secret, SecretUse, key_id, secret_id, use_id
from setpoint.engine.store import DECLARED_AT, Change, Put, Store
from setpoint.vault.keyring import Keyring
from setpoint.vault.opening import opened
from setpoint.vault.sealing import about_secret

PREFIX: Final = "secret://"
FRESH_SECONDS: Final = 1.0
"""So long an opened secret serves the one who asked for it: an act is not to wait for four reads each."""
Asked = tuple[Ref, str, str]


class SealedSecrets(Struct):
    """Whoever asks is known: what they get is of their own organization, or the operator's."""

    store: Store
    ring: Keyring
    now: Callable[[], float]
    others: Secrets
    _fresh: dict[Asked, tuple[float, Opened]] = field(default_factory=dict)
    _told: dict[Asked, int] = field(default_factory=dict)

    async def open(self, organization: str, name: str, by: Ref, *, newest: bool = False) -> Opened:
        if newest:
            return await self._found(organization, name, by, newest=True)
        asked, now = (by, organization, name), self.now()
        until, found = self._fresh.get(asked, (0.0, Opened(value="")))
        if until <= now:
            found = await self._found(organization, name, by, newest=False)
            self._fresh = {key: held for key, held in self._fresh.items() if held[0] > now}
            self._fresh[asked] = (now + FRESH_SECONDS, found)
        return found

    async def used(self, organization: str, name: str, by: Ref, version: int) -> None:
        told = (by, organization, name)
        if version == self._told.get(told, 0):
            return
        home, short = await self._home(organization), name.removeprefix(PREFIX)
        if home is None:
            return
        identity = use_id(home, short, by)
        known = await self.store.get(SecretUse, identity)
        if known is None or known.version != version:
            use = SecretUse(id=identity, home=home, name=short, ref=by, version=version, at=self.now())
            await self.store.commit(Change(writes=(Put(use),)))
        self._told[told] = version

    async def _found(self, organization: str, name: str, by: Ref, *, newest: bool) -> Opened:
        home, short = await self._home(organization), name.removeprefix(PREFIX)
        row = await self.store.get(Secret, secret_id(home, short)) if home else None
        if row is None or not name.startswith(PREFIX):
            return await self.others.open(organization, name, by, newest=newest)
        if row.before is None:
            return Opened(value=await self._value(row, row.now), version=row.now.version)
        before = await self._value(row, row.before)
        use = await self.store.get(SecretUse, use_id(row.home, short, by))
        if newest or (use is not None and use.version == row.now.version):
            return Opened(value=await self._value(row, row.now), version=row.now.version, before=before)
        # The new one has not been seen to work here: the old one is used until it has.
        return Opened(value=before, version=row.before.version)

    async def _value(self, row: Secret, sealed: Sealed) -> str:
        key = await self.store.get(OrganizationKey, key_id(row.home, sealed.key))
        if key is None:
            raise Missing(f"the key of {PREFIX}{row.name} is gone: set the secret again")
        about = about_secret(row.home, row.name, sealed.version, sealed.key)
        return opened(self.ring.private(key), sealed.box, about).decode()

    async def _home(self, organization: str) -> Ref | None:
        found = await self.store.read(DECLARED_AT, slot=slot("organization", Scope(), organization))
        return found[0].ref if found else None
