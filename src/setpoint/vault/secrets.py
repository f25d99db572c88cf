"""`secret://NAME`, opened for one organization: its own sealed secret, else the operator's file."""

from collections.abc import Callable
from contextlib import suppress
from typing import Final

from msgspec import Struct, field

from setpoint.access.hosts import why_not_sent
from setpoint.capabilities.world import Destination, Opened, Secrets
from setpoint.engine.entity import Ref, Scope, slot
from setpoint.engine.errors import Denied, Missing, Transient
from setpoint.engine.secret import OrganizationKey, Sealed, Secret, SecretUse, key_id, secret_id, use_id
from setpoint.engine.store import DECLARED_AT, Change, Put, Store
from setpoint.vault.keyring import Keyring
from setpoint.vault.opening import opened
from setpoint.vault.sealing import about_secret

PREFIX: Final = "secret://"
FRESH_SECONDS: Final = 1.0
"""So long an opened secret serves the one who asked for it: an act is not to wait for four reads each."""
UNPLACED_SECONDS: Final = 2.0
"""So long until somebody asks again for what was sealed before secrets had hosts, and has none yet."""
Told = tuple[Ref, str, str]
Asked = tuple[Ref, str, str, Destination]


class SealedSecrets(Struct):
    """Whoever asks is known: what they get is of their own organization, or the operator's."""

    store: Store
    ring: Keyring
    now: Callable[[], float]
    others: Secrets
    _fresh: dict[Asked, tuple[float, Opened]] = field(default_factory=dict)
    _told: dict[Told, int] = field(default_factory=dict)

    async def open(
        self, organization: str, name: str, by: Ref, to: Destination, *, newest: bool = False
    ) -> Opened:
        if newest:
            return await self._found(organization, name, by, to, newest=True)
        asked, now = (by, organization, name, to), self.now()
        until, found = self._fresh.get(asked, (0.0, Opened(value="")))
        if until <= now:
            found = await self._found(organization, name, by, to, newest=False)
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

    async def _found(self, organization: str, name: str, by: Ref, to: Destination, *, newest: bool) -> Opened:
        home, short = await self._home(organization), name.removeprefix(PREFIX)
        row = await self.store.get(Secret, secret_id(home, short)) if home else None
        if row is None or not name.startswith(PREFIX):
            return await self.others.open(organization, name, by, to, newest=newest)
        if row.before is None:
            return Opened(value=await self._value(row, row.now, to), version=row.now.version)
        use = await self.store.get(SecretUse, use_id(row.home, short, by))
        if newest or (use is not None and use.version == row.now.version):
            value, before = await self._value(row, row.now, to), ""
            with suppress(Denied):  # Each version has its own hosts: the one before may not serve this.
                before = await self._value(row, row.before, to)
            return Opened(value=value, version=row.now.version, before=before)
        # The new one has not been seen to work here: the old one is used until it has.
        return Opened(value=await self._value(row, row.before, to), version=row.before.version)

    async def _value(self, row: Secret, sealed: Sealed, to: Destination) -> str:
        """In clear, for a host that this version serves: the only way from sealed to used."""
        if sealed.hosts is None:
            why = f"{PREFIX}{row.name} is being given the hosts that it serves"
            raise Transient(why, retry_after=UNPLACED_SECONDS)
        if why := why_not_sent(f"{PREFIX}{row.name}", sealed.hosts, to.url, to.published):
            raise Denied(why)
        key = await self.store.get(OrganizationKey, key_id(row.home, sealed.key))
        if key is None:
            raise Missing(f"the key of {PREFIX}{row.name} is gone: set the secret again")
        about = about_secret(row.home, row.name, sealed.version, sealed.key)
        return opened(self.ring.private(key), sealed.box, about).decode()

    async def _home(self, organization: str) -> Ref | None:
        found = await self.store.read(DECLARED_AT, slot=slot("organization", Scope(), organization))
        return found[0].ref if found else None
