"""Whoever asks gets what is their own organization's, the version that works for them, or the operator's."""

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from setpoint.capabilities.world import Destination
from setpoint.engine.entity import Ref
from setpoint.engine.errors import Denied, Missing
from setpoint.engine.secret import ENROLMENTS, Master, OrganizationKey, Secret, SecretUse, secret_id, use_id
from setpoint.engine.store import USES_OF, Change, Drop, Put, Store
from setpoint.kinds import by_name
from setpoint.providers.secrets import FolderSecrets
from setpoint.storage.memory import MemoryStore
from setpoint.vault.keeper import SURE_SECONDS, Keeper
from setpoint.vault.keyring import Keyring, established, missing
from setpoint.vault.master import MasterFile, new_master
from setpoint.vault.secrets import SealedSecrets

from .rows import ASKER, organization, ring, secret, settled

HERE = Destination(url="http://127.0.0.1:9/v1")


class Clock:
    def __init__(self) -> None:
        self.at = 100.0

    def __call__(self) -> float:
        self.at += 10.0
        return self.at


def vault(store: Store, folder: Path) -> SealedSecrets:
    return SealedSecrets(store, ring(), Clock(), FolderSecrets(folder))


async def put(store: Store, *rows: object) -> None:
    await store.commit(Change(writes=tuple(Put(row) for row in rows)))


async def test_an_organization_opens_its_own_and_never_anothers(tmp_path: Path) -> None:
    store = MemoryStore()
    keys = await settled(store, "acme", "other")
    await put(store, secret(keys["acme"], "hetzner", "acme's"), secret(keys["other"], "hooks", "theirs"))
    secrets = vault(store, tmp_path)
    assert (await secrets.open("acme", "secret://hetzner", ASKER, HERE)).value == "acme's"
    for name in ("acme", "other", "nobody"):
        for which in ("hooks", "hetzner", f"../{keys['other'].home}/hooks", f"{keys['other'].home}/hooks"):
            if (name, which) in (("acme", "hetzner"), ("other", "hooks")):
                continue
            with pytest.raises(Missing):
                await secrets.open(name, f"secret://{which}", ASKER, HERE)


async def test_a_row_that_was_moved_between_tenants_or_names_does_not_open(tmp_path: Path) -> None:
    store = MemoryStore()
    keys = await settled(store, "acme", "other")
    ours, theirs = secret(keys["acme"], "hetzner", "ours"), secret(keys["other"], "hetzner", "theirs")
    stolen = replace(ours, now=theirs.now)
    renamed = replace(ours, id=secret_id(ours.home, "hooks"), name="hooks")
    await put(store, stolen, renamed)
    secrets = vault(store, tmp_path)
    for name in ("hetzner", "hooks"):
        with pytest.raises(Denied):
            await secrets.open("acme", f"secret://{name}", ASKER, HERE)
    # Also not with the other organization's key beside it.
    await put(store, replace(keys["other"], id=keys["acme"].id))
    with pytest.raises(Denied):
        await secrets.open("acme", "secret://hetzner", ASKER, HERE)


async def test_the_operators_file_is_for_names_that_nobody_sealed(tmp_path: Path) -> None:
    store = MemoryStore()
    keys = await settled(store, "acme")
    (tmp_path / "hetzner").write_text("operator's")
    secrets = vault(store, tmp_path)
    assert (await secrets.open("acme", "secret://hetzner", ASKER, HERE)).value == "operator's"
    await put(store, secret(keys["acme"], "hetzner", "acme's"))
    assert (await secrets.open("acme", "secret://hetzner", ASKER, HERE)).value == "acme's"


async def test_an_organization_of_the_same_name_inherits_nothing(tmp_path: Path) -> None:
    store = MemoryStore()
    keys = await settled(store, "acme")
    await put(store, secret(keys["acme"], "hetzner", "the first one's"))
    secrets = SealedSecrets(store, ring(), lambda: 100.0, FolderSecrets(tmp_path))
    assert (await secrets.open("acme", "secret://hetzner", ASKER, HERE)).version == 1
    again = replace(organization("acme"), ref=Ref("organization/second"))
    await store.commit(Change(writes=(Drop(type(again), keys["acme"].home), Put(again))))
    with pytest.raises(Missing):
        await secrets.open("acme", "secret://hetzner", Ref("provider/2"), HERE)


async def test_while_two_are_good_each_uses_what_works_for_it(tmp_path: Path) -> None:
    store = MemoryStore()
    keys = await settled(store, "acme")
    await put(store, secret(keys["acme"], "hetzner", "new", before="old"))
    secrets = vault(store, tmp_path)
    assert (await secrets.open("acme", "secret://hetzner", ASKER, HERE)).value == "old"
    newest = await secrets.open("acme", "secret://hetzner", ASKER, HERE, newest=True)
    assert (newest.value, newest.version, newest.before) == ("new", 2, "old")
    assert "new" not in repr(newest)
    await secrets.used("acme", "secret://hetzner", ASKER, 2)
    assert (await secrets.open("acme", "secret://hetzner", ASKER, HERE)).value == "new"
    assert (await secrets.open("acme", "secret://hetzner", Ref("provider/2"), HERE)).value == "old"
    (use,) = await store.read(USES_OF, home=keys["acme"].home)
    assert (use.ref, use.version, use.id) == (ASKER, 2, use_id(keys["acme"].home, "hetzner", ASKER))


async def test_use_is_told_once_and_an_operators_file_has_none(tmp_path: Path) -> None:
    store = MemoryStore()
    keys = await settled(store, "acme")
    secrets = vault(store, tmp_path)
    await secrets.used("acme", "secret://hetzner", ASKER, 0)
    await secrets.used("gone", "secret://hetzner", ASKER, 1)
    assert await store.read(USES_OF, home=keys["acme"].home) == []
    for version in (1, 1, 2):
        await secrets.used("acme", "secret://hetzner", ASKER, version)
    await store.commit(Change(writes=(Drop(SecretUse, use_id(keys["acme"].home, "hetzner", ASKER)),)))
    await secrets.used("acme", "secret://hetzner", ASKER, 2)
    assert await store.read(USES_OF, home=keys["acme"].home) == []


async def test_without_its_key_a_secret_is_missing(tmp_path: Path) -> None:
    store = MemoryStore()
    keys = await settled(store, "acme")
    await put(store, secret(keys["acme"], "hetzner", "x"))
    await store.commit(Change(writes=(Drop(OrganizationKey, keys["acme"].id),)))
    with pytest.raises(Missing, match="set the secret again"):
        await vault(store, tmp_path).open("acme", "secret://hetzner", ASKER, HERE)


async def test_the_keeper_makes_keys_for_those_without_and_forgets_those_that_are_gone() -> None:
    store = MemoryStore()
    keys = await settled(store, "acme")
    await put(store, organization("new"), secret(keys["acme"], "hetzner", "x"))
    keeper = Keeper(store, ring(), Clock(), by_name())
    await keeper.round()
    (made,) = [row for row in store.shelves[OrganizationKey].all() if row.home == organization("new").ref]
    assert ring().private(made)
    await store.commit(Change(writes=(Drop(type(organization("acme")), keys["acme"].home),)))
    keeper._swept = 0.0
    await keeper.round()
    homes = [row.home for row in store.shelves[OrganizationKey].all()]
    assert homes == [ENROLMENTS, organization("new").ref]
    assert store.shelves[Secret].all() == []


async def test_a_name_that_begins_anew_has_its_key_a_moment_later() -> None:
    """What is heard of while the name is believed to have a key is kept, and looked at afterwards."""
    store, now = MemoryStore(), [100.0]
    await settled(store, "acme")
    keeper = Keeper(store, ring(), lambda: now[0], by_name())
    await keeper.round()
    await store.commit(Change(writes=(Drop(type(organization("acme")), organization("acme").ref),)))
    again = replace(organization("acme"), ref=Ref("organization/again"))
    await put(store, again)
    keeper._hear(frozenset({"acme"}))
    await keeper.round()
    now[0] += SURE_SECONDS + 0.1
    await keeper.round()
    assert again.ref in [row.home for row in store.shelves[OrganizationKey].all()]


async def test_the_keeper_goes_where_it_hears_of_something() -> None:
    store = MemoryStore()
    await settled(store, "acme")
    keeper = Keeper(store, ring(), Clock(), by_name())
    await keeper.round()
    await put(store, organization("new"))
    keeper._swept = 1e12
    keeper._hear(frozenset({"new"}))
    await keeper.round()
    homes = {row.home for row in store.shelves[OrganizationKey].all()}
    assert homes == {ENROLMENTS, organization("acme").ref, organization("new").ref}


async def test_a_process_without_the_master_key_makes_no_other_and_says_where_it_belongs(
    tmp_path: Path,
) -> None:
    store = MemoryStore()
    first = MasterFile(tmp_path / "master.key")
    assert isinstance(await established(store, first), Keyring)
    assert await store.get(Master, "master") == Master(id=first.known()[0].id)
    assert await missing(store, await established(store, first)) == ""
    without = await established(store, MasterFile(tmp_path / "elsewhere.key"))
    assert f"put it into {tmp_path / 'elsewhere.key'}" in await missing(store, without)
    assert not (tmp_path / "elsewhere.key").exists()
    other = await established(store, MasterFile(Path("/nowhere"), new_master().text))
    assert "put it into SETPOINT_MASTER_KEY" in await missing(store, other)
    told: asyncio.Queue[object] = asyncio.Queue()
    keeper = Keeper(store, without, Clock(), by_name(), lambda event, fields: told.put_nowait(fields["why"]))
    await put(store, organization("acme"))
    running = asyncio.create_task(keeper.run())
    assert "is not here" in str(await told.get())
    keeper.stop()
    await running
    await Keeper(store, await established(store, first), Clock(), by_name()).round()
    for key in store.shelves[OrganizationKey].all():
        with pytest.raises(Denied, match="is not here"):
            without.private(key)
    assert len(store.shelves[OrganizationKey].all()) == 2


async def test_a_key_that_was_lost_before_anything_was_sealed_is_made_anew_by_one_that_is_alone(
    tmp_path: Path,
) -> None:
    store = MemoryStore()
    keys = await settled(store, "acme")
    file = MasterFile(tmp_path / "master.key")
    assert await missing(store, await established(store, file))
    await put(store, secret(keys["acme"], "hetzner", "x"))
    assert await missing(store, await established(store, file, alone=True))
    assert not file.path.exists()
    await store.commit(Change(writes=(Drop(Secret, secret_id(keys["acme"].home, "hetzner")),)))
    ring = await established(store, file, alone=True)
    await Keeper(store, ring, Clock(), by_name()).round()
    made = store.shelves[OrganizationKey].all()
    assert [(key.master, bool(ring.private(key))) for key in made] == [(file.known()[0].id, True)] * 2


async def test_of_two_that_begin_at_once_one_decides(tmp_path: Path) -> None:
    store = MemoryStore()
    file, late = MasterFile(tmp_path / "a.key"), MasterFile(tmp_path / "b.key")
    late.begin()

    class Late(MemoryStore):
        async def get(self, row: type, key: str):  # type: ignore[no-untyped-def,override]
            found = await store.get(row, key)
            if found is None and not file.path.exists():
                await established(store, file)
                return None
            return found

        async def commit(self, change: Change) -> None:
            await store.commit(change)

    assert "is not here" in await missing(store, await established(Late(), late))
