"""Changing keys, one commit at a time: what ends in the middle is resumed. The API may not import this."""

from collections.abc import AsyncIterator, Callable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from setpoint.engine.entity import Declared, Ref
from setpoint.engine.errors import Conflict, Denied, Missing
from setpoint.engine.rows import Audit
from setpoint.engine.secret import Master, OrganizationKey, Sealed, Secret, key_id
from setpoint.engine.store import (
    KEYS_OF,
    KEYS_RETIRED,
    KEYS_UNDER,
    SECRETS_OF,
    Change,
    Drop,
    Expect,
    Put,
    Store,
)
from setpoint.vault.keyring import ROW, Keyring, every_key, forget
from setpoint.vault.master import MasterKey, new_pair
from setpoint.vault.opening import opened
from setpoint.vault.sealing import about_secret, seal

AT_ONCE: Final = 100


class Rotation(Struct, frozen=True):
    """Keys of organizations, and the master key itself."""

    store: Store
    ring: Keyring
    now: Callable[[], float]
    actor: str

    async def organization(self, organization: Declared) -> int:
        """A new key, and everything sealed with it; returns the version of the key that is in force."""
        home = organization.ref
        known = await self.store.read(KEYS_OF, home=home)
        if not known:
            raise Missing(f"organization {organization.name} has no key yet: the worker makes it")
        if known[0].retired_at or len(known) == 1:
            await self._begin(organization, known[0])
        await self.finish(home)
        return (await self.store.read(KEYS_OF, home=home))[0].version

    async def unfinished(self) -> None:
        """Whatever somebody began and did not bring to its end."""
        for home in dict.fromkeys(key.home for key in await self.store.read(KEYS_RETIRED)):
            await self.finish(home)

    async def finish(self, home: Ref) -> None:
        """Everything is sealed with the newest key; then those before it go."""
        keys = await self.store.read(KEYS_OF, home=home)
        if not keys:
            return
        newest, *others = keys
        async for secret in self._secrets(home):
            await self._reseal(secret, newest)
        left = [row async for row in self._secrets(home)]
        needed = {sealed.key for row in left for sealed in row.versions}
        for key in others:
            # Nothing can be sealed with a key once it is retired, so what is not needed now never will be.
            if key.retired_at and key.version not in needed:
                expects = (Expect(OrganizationKey, key.id, "retired_at", key.retired_at),)
                await self._commit(Change(expects=expects, writes=(Drop(OrganizationKey, key.id),)))

    async def master(self, new: MasterKey) -> int:
        """Every key of every organization under a new master key; returns how many were left to do."""
        row = await self.store.get(Master, ROW)
        if row is None:
            raise Missing("this installation has no master key yet: start the worker once")
        for needed in filter(None, (row.id, row.before)):
            self.ring.master(needed)  # Or nothing is begun that could not be finished.
        done = await self._under(row) if row.before else 0
        if row.id != new.id:
            self._know(new)
            changed = Master(id=new.id, before=row.id)
            await self.store.commit(
                Change(
                    expects=(Expect(Master, ROW, "id", row.id),),
                    writes=(Put(changed),),
                    audit=(self._proof("", "master.changed", "master", master=new.id),),
                )
            )
            done += await self._under(changed)
        if not self.ring.file.given:
            self.ring.file.keep((new,))
        return done

    async def lost(self, new: MasterKey) -> int:
        """The master key is gone for good, and all that was sealed with it; returns how many keys went."""
        row = await self.store.get(Master, ROW)
        keys = [key async for key in every_key(self.store)]
        for key in keys:
            await forget(self.store, key)
        expects = (Expect(Master, ROW, "id", row.id) if row else Expect(Master, ROW),)
        proof = self._proof("", "master.lost", "master", master=new.id, keys=len(keys))
        await self.store.commit(Change(expects=expects, writes=(Put(Master(id=new.id)),), audit=(proof,)))
        if not self.ring.file.given:
            self.ring.file.keep((new,))
        return len(keys)

    async def _begin(self, organization: Declared, current: OrganizationKey) -> None:
        master = await self.store.get(Master, ROW)
        if master is None:
            raise Missing("this installation has no master key yet: start the worker once")
        version = current.version + 1
        pair = new_pair(self.ring.master(master.id), organization.ref, version, self.now())
        retired = replace(current, retired_at=current.retired_at or self.now())
        proof = self._proof(organization.tenant, "key.changed", organization.ref, version=version)
        await self.store.commit(
            Change(
                expects=(
                    Expect(OrganizationKey, pair.id),
                    Expect(OrganizationKey, current.id, "retired_at", current.retired_at),
                    Expect(OrganizationKey, current.id, "master", current.master),
                    Expect(Master, ROW, "id", master.id),
                ),
                writes=(Put(pair), Put(retired)),
                audit=(proof,),
            )
        )

    async def _reseal(self, secret: Secret, newest: OrganizationKey) -> None:
        if all(sealed.key == newest.version for sealed in secret.versions):
            return
        before = await self._resealed(secret, secret.before, newest) if secret.before else None
        written = replace(
            secret,
            now=await self._resealed(secret, secret.now, newest),
            before=before,
            revision=secret.revision + 1,
        )
        expects = (
            Expect(Secret, secret.id, "revision", secret.revision),
            Expect(OrganizationKey, newest.id, "retired_at", newest.retired_at),
        )
        await self._commit(Change(expects=expects, writes=(Put(written),)))

    async def _resealed(self, secret: Secret, sealed: Sealed, newest: OrganizationKey) -> Sealed:
        key = await self.store.get(OrganizationKey, key_id(secret.home, sealed.key))
        if key is None:
            raise Denied(f"the key of secret {secret.name} is gone; nothing was changed")
        about = about_secret(secret.home, secret.name, sealed.version, sealed.key)
        value = opened(self.ring.private(key), sealed.box, about)
        about = about_secret(secret.home, secret.name, sealed.version, newest.version)
        return replace(sealed, key=newest.version, box=seal(newest.public, value, about))

    async def _under(self, row: Master) -> int:
        """What the master key before still wraps, wrapped by this one."""
        master, done = self.ring.master(row.id), 0
        while keys := await self.store.read(KEYS_UNDER, master=row.before, limit=AT_ONCE):
            for key in keys:
                wrapped = replace(key, wrapped=self.ring.rewrapped(key, master), master=row.id)
                expects = (
                    Expect(OrganizationKey, key.id, "master", row.before),
                    Expect(OrganizationKey, key.id, "retired_at", key.retired_at),
                )
                done += await self._commit(Change(expects=expects, writes=(Put(wrapped),)))
        last = Put(replace(row, before=""))
        await self._commit(Change(expects=(Expect(Master, ROW, "id", row.id),), writes=(last,)))
        return done

    def _know(self, new: MasterKey) -> None:
        """Both are on disk before the first key is wrapped by the new one."""
        file = self.ring.file
        known = {key.id: key for key in file.known()}
        if file.given and new.id not in known:
            raise Denied("put the new master key first into SETPOINT_MASTER_KEY, a comma, then the old one")
        if not file.given:
            file.keep({new.id: new, **known}.values())

    async def _secrets(self, home: Ref) -> AsyncIterator[Secret]:
        after = ""
        while rows := await self.store.read(SECRETS_OF, home=home, after=after, limit=AT_ONCE):
            for row in rows:
                yield row
            after = rows[-1].name

    async def _commit(self, change: Change) -> bool:
        """Whether it is so; where somebody else was first, the next round finds what they left."""
        try:
            await self.store.commit(change)
        except Conflict:
            return False
        return True

    def _proof(self, organization: str, action: str, ref: str, **detail: int | str) -> Audit:
        return Audit(
            organization=organization,
            actor=self.actor,
            action=action,
            ref=ref,
            at=self.now(),
            detail=dict(detail),
        )
