"""An organization with its key, and secrets sealed as the API seals them."""

from pathlib import Path

from setpoint.engine.entity import Declared, Ref, Scope
from setpoint.engine.secret import Master, OrganizationKey, Sealed, Secret, secret_id
from setpoint.engine.store import Change, Put, Store
from setpoint.vault.keyring import Keyring
from setpoint.vault.master import MasterFile, MasterKey, new_pair
from setpoint.vault.sealing import about_secret, seal

MASTER = MasterKey(b"m" * 32)
ASKER = Ref("provider/1")


def ring(*keys: MasterKey) -> Keyring:
    given = ",".join(key.text for key in keys or (MASTER,))
    return Keyring(MasterFile(Path("/nowhere"), given))


def organization(name: str) -> Declared:
    return Declared(
        ref=Ref(f"organization/{name}-id"), kind="organization", scope=Scope(), name=name, spec={}
    )


def sealed(key: OrganizationKey, name: str, value: str, version: int = 1) -> Sealed:
    about = about_secret(key.home, name, version, key.version)
    box = seal(key.public, value.encode(), about)
    return Sealed(version=version, key=key.version, box=box, digest=f"d-{value}", at=1.0, by="ann", hosts=())


def secret(key: OrganizationKey, name: str, value: str, before: str = "") -> Secret:
    old = sealed(key, name, before, 1) if before else None
    now = sealed(key, name, value, 2 if before else 1)
    return Secret(id=secret_id(key.home, name), home=key.home, name=name, now=now, before=old)


async def settled(store: Store, *names: str, master: MasterKey = MASTER) -> dict[str, OrganizationKey]:
    """Organizations with a key each, under this master."""
    rows = [organization(name) for name in names]
    keys = {row.name: new_pair(master, row.ref, 1, 1.0) for row in rows}
    writes = tuple(Put(row) for row in (*rows, *keys.values(), Master(id=master.id)))
    await store.commit(Change(writes=writes))
    return keys
