"""What servers are let in with: signed by who holds the master key, checked by anybody, kept by nobody."""

from pathlib import Path

import pytest
from msgspec.structs import replace

import postgres
from setpoint.access.credential import enrolled, enrolment
from setpoint.engine.entity import Ref
from setpoint.engine.errors import Denied, Transient
from setpoint.engine.secret import ENROLMENTS, Master
from setpoint.engine.store import KEYS_OF, Change, Put, Store
from setpoint.kinds import by_name
from setpoint.storage.memory import MemoryStore
from setpoint.storage.postgres import open_postgres
from setpoint.vault.enrolment import genuine
from setpoint.vault.keeper import Keeper
from setpoint.vault.keyring import Keyring, established
from setpoint.vault.master import MasterFile, MasterKey, new_master, new_pair
from setpoint.vault.rotation import Rotation
from setpoint.vault.signer import Signer

from .rows import MASTER, ring
from .test_rotation import STORES, Opening

HOST, ACT = Ref("host/1m7gdpak09v07r7ywcr6"), "1m7gdpak09v07r7ywcr7"


async def kept(store: Store, file: MasterFile) -> Signer:
    """An installation whose worker was up once."""
    keyring = await established(store, file)
    await Keeper(store, keyring, lambda: 1.0, by_name()).round()
    return Signer(store, keyring)


@pytest.fixture
async def signer(tmp_path: Path) -> Signer:
    return await kept(MemoryStore(), MasterFile(tmp_path / "master.key"))


async def test_the_same_act_gives_the_same_token_and_any_other_another(signer: Signer) -> None:
    first = await signer.issue(HOST, ACT)
    again = Signer(signer.store, Keyring(signer.ring.file))  # Another process, after the first one died.
    assert await again.issue(HOST, ACT) == first
    assert enrolled(first)[:2] == (HOST, ACT)
    others = [await signer.issue(HOST, "another"), await signer.issue(Ref("host/another"), ACT)]
    assert len({first, *others}) == 3
    assert [await genuine(signer.store, token) for token in (first, *others)] == [True] * 3


def moved(token: str) -> list[str]:
    """What somebody makes of a token that they have, or of nothing."""
    host, act, signature = enrolled(token)
    flipped = f"{int(signature[0], 16) ^ 1:x}{signature[1:]}"
    return [
        enrolment(Ref("host/another"), act, signature),
        enrolment(host, "another", signature),
        enrolment(host, act, flipped),
        enrolment(host, act, signature[:-2]),
        enrolment(host, act, "not hexadecimal"),
        enrolment(host, act, ""),
        token[:-1],
        "",
    ]


async def test_a_token_that_was_moved_or_made_up_is_not_genuine(signer: Signer) -> None:
    token = await signer.issue(HOST, ACT)
    assert [await genuine(signer.store, each) for each in moved(token)] == [False] * 8


async def test_another_installation_does_not_take_it(signer: Signer, tmp_path: Path) -> None:
    other = await kept(MemoryStore(), MasterFile(tmp_path / "other.key"))
    assert not await genuine(other.store, await signer.issue(HOST, ACT))


async def test_nothing_is_genuine_where_no_pair_was_made(tmp_path: Path, signer: Signer) -> None:
    empty = MemoryStore()
    assert not await genuine(empty, await signer.issue(HOST, ACT))
    with pytest.raises(Transient, match="the worker makes it") as caught:
        await Signer(empty, signer.ring).issue(HOST, ACT)
    assert (caught.value.landed, caught.value.retry_after) == (False, 2.0)


async def test_who_has_the_database_and_not_the_master_key_makes_no_token(signer: Signer) -> None:
    (key,) = await signer.store.read(KEYS_OF, home=ENROLMENTS)
    private = signer.ring.private(key)
    assert private not in key.wrapped
    thief = Signer(signer.store, ring(new_master()))
    with pytest.raises(Denied, match="is not here"):
        await thief.issue(HOST, ACT)


async def test_a_pair_that_was_put_in_its_place_signs_nothing() -> None:
    store = MemoryStore()
    signing, sealing = (new_pair(MASTER, home, 1, 1.0) for home in (ENROLMENTS, Ref("organization/1")))
    for wrong in (replace(signing, wrapped=sealing.wrapped), replace(signing, public=sealing.public)):
        await store.commit(Change(writes=(Put(Master(id=MASTER.id)), Put(wrong))))
        with pytest.raises(Denied):
            await Signer(store, ring()).issue(HOST, ACT)


@STORES
async def test_the_keeper_makes_one_pair_and_no_sweep_takes_it_for_an_orphan(
    opening: Opening, tmp_path: Path
) -> None:
    async with opening(tmp_path) as store:
        file, times = MasterFile(tmp_path / "master.key"), iter((0.0, 1e3, 2e3, 3e3, 4e3, 5e3, 6e3, 7e3, 8e3))
        keyring = await established(store, file)
        keeper = Keeper(store, keyring, lambda: next(times, 9e9), by_name())
        for _ in range(3):
            await keeper.round()
        (key,) = await store.read(KEYS_OF, home=ENROLMENTS)
        assert (key.version, key.master) == (1, keyring.file.known()[0].id)


@STORES
async def test_a_token_stays_good_and_the_same_under_a_new_master_key(
    opening: Opening, tmp_path: Path
) -> None:
    async with opening(tmp_path) as store:
        signer = await kept(store, MasterFile(tmp_path / "master.key"))
        token = await signer.issue(HOST, ACT)
        assert await Rotation(store, signer.ring, lambda: 2.0, "ann").master(new_master()) == 1
        assert await Signer(store, Keyring(signer.ring.file)).issue(HOST, ACT) == token
        assert await genuine(store, token)


@STORES
async def test_where_the_master_key_was_lost_a_new_pair_signs_and_older_tokens_are_void(
    opening: Opening, tmp_path: Path
) -> None:
    async with opening(tmp_path) as store:
        file = MasterFile(tmp_path / "master.key")
        old = await (await kept(store, file)).issue(HOST, ACT)
        await Rotation(store, Keyring(file), lambda: 2.0, "ann").lost(MasterKey(b"n" * 32))
        assert not await genuine(store, old)
        new = await (await kept(store, file)).issue(HOST, ACT)
        assert (await genuine(store, new), await genuine(store, old)) == (True, False)


async def test_each_service_does_its_part_with_its_own_database_role(tmp_path: Path) -> None:
    """The worker makes the pair, the scheduler signs, the API checks: none of them needs more."""
    url, file = await postgres.database(), MasterFile(tmp_path / "master.key")
    worker = await open_postgres(url, role="worker", allow_unsafe=True)
    scheduler = await open_postgres(url, role="scheduler", allow_unsafe=True)
    api = await open_postgres(url, role="api", allow_unsafe=True)
    try:
        await kept(worker, file)
        token = await Signer(scheduler, Keyring(file)).issue(HOST, ACT)
        assert await genuine(api, token)
        (key,) = await api.read(KEYS_OF, home=ENROLMENTS)
        with pytest.raises(Denied):
            await api.commit(Change(writes=(Put(replace(key, public=b"of a thief")),)))
    finally:
        for store in (worker, scheduler, api):
            await store.close()
    await postgres.drop(url)
