"""Keys are changed while everything may end at any moment: nothing is ever unreadable, or true twice."""

import contextlib
import itertools
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import postgres
from setpoint.capabilities.world import Destination
from setpoint.engine.errors import Conflict, Denied, Missing
from setpoint.engine.secret import Master, OrganizationKey, Secret
from setpoint.engine.store import KEYS_OF, KEYS_PAGE, SECRETS_OF, Change, Expect, Put, Store
from setpoint.kinds import by_name
from setpoint.providers.secrets import FolderSecrets
from setpoint.storage.postgres import open_postgres
from setpoint.storage.sqlite import open_sqlite
from setpoint.vault.keeper import Keeper
from setpoint.vault.keyring import Keyring, established
from setpoint.vault.master import MasterFile, MasterKey, new_master
from setpoint.vault.rotation import Rotation
from setpoint.vault.secrets import SealedSecrets

from .rows import ASKER, organization, sealed, secret, settled

NAMES = [f"s{number}" for number in range(4)]

HERE = Destination(url="http://127.0.0.1:9/v1")


class Ended(BaseException):
    """The process is gone: nothing after this line happens."""


class Interrupted:
    """A store, or a file, that ends its process before or after the nth thing that it was asked to change."""

    def __init__(self, inner: Any, budget: list[int]) -> None:
        self.inner, self.budget = inner, budget

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def _step(self) -> None:
        self.budget[0] -= 1
        if self.budget[0] < 0:
            raise Ended

    async def commit(self, change: Change) -> None:
        self._step()
        await self.inner.commit(change)
        self._step()

    def keep(self, keys: Any) -> None:
        self._step()
        self.inner.keep(list(keys))
        self._step()


@contextlib.asynccontextmanager
async def on_sqlite(folder: Path) -> AsyncIterator[Store]:
    store = await open_sqlite(folder)
    try:
        yield store
    finally:
        await store.close()


@contextlib.asynccontextmanager
async def on_postgres(folder: Path) -> AsyncIterator[Store]:
    url = await postgres.database()
    store = await open_postgres(url, allow_unsafe=True)
    try:
        yield store
    finally:
        await store.close()
        await postgres.drop(url)


STORES: Any = pytest.mark.parametrize("opening", [on_sqlite, on_postgres], ids=["sqlite", "postgres"])
Opening = Callable[[Path], Any]


async def filled(store: Store, file: MasterFile) -> None:
    keys = await settled(store, "acme", "other", master=file.known()[0])
    rows = [secret(keys["acme"], name, f"value of {name}", before=f"old {name}") for name in NAMES]
    theirs = secret(keys["other"], "s0", "theirs")
    await store.commit(Change(writes=tuple(Put(row) for row in (*rows, theirs))))


async def readable(store: Store, file: MasterFile, folder: Path) -> None:
    """Every secret opens to what it was, by a process that begins now."""
    ring = await established(store, file)
    secrets = SealedSecrets(store, ring, lambda: 1.0, FolderSecrets(folder))
    for name in NAMES:
        found = await secrets.open("acme", f"secret://{name}", ASKER, HERE, newest=True)
        assert (found.value, found.before, found.version) == (f"value of {name}", f"old {name}", 2)
    assert (await secrets.open("other", "secret://s0", ASKER, HERE)).value == "theirs"


async def one_truth(store: Store) -> None:
    """One key is in force, and every secret is sealed with one that is there."""
    for name in ("acme", "other"):
        keys = await store.read(KEYS_OF, home=organization(name).ref)
        assert sum(not key.retired_at for key in keys) == 1
        versions = {key.version for key in keys}
        for row in await store.read(SECRETS_OF, home=organization(name).ref, after="", limit=99):
            assert {each.key for each in row.versions} <= versions


async def ended(change: Callable[[list[int]], Any], check: Callable[[], Any]) -> int:
    """Ends a change at each of its steps, and its resumption again and again; how often it was ended."""
    ends = 0
    for first in itertools.count():
        for steps in (first, *range(1, 99)):
            try:
                await change([steps])
            except Ended:
                ends += 1
                await check()
            else:
                await check()
                if steps == first:
                    return ends
                break
    raise AssertionError


@STORES
async def test_a_key_changes_though_it_is_ended_at_every_step(opening: Opening, tmp_path: Path) -> None:
    file = MasterFile(tmp_path / "master.key")
    file.begin()
    async with opening(tmp_path / "data") as store:
        await filled(store, file)

        async def change(budget: list[int]) -> None:
            held: Any = Interrupted(store, budget)
            await Rotation(held, Keyring(file), lambda: 5.0, "ann").organization(organization("acme"))

        async def check() -> None:
            await readable(store, file, tmp_path)
            await one_truth(store)

        assert await ended(change, check) > 40
        (last,) = await store.read(KEYS_OF, home=organization("acme").ref)
        rows = await store.read(SECRETS_OF, home=organization("acme").ref, after="", limit=99)
        assert {each.key for row in rows for each in row.versions} == {last.version}
        assert [key.version for key in await store.read(KEYS_OF, home=organization("other").ref)] == [1]


@STORES
async def test_the_master_key_changes_though_it_is_ended_at_every_step(
    opening: Opening, tmp_path: Path
) -> None:
    file = MasterFile(tmp_path / "master.key")
    first = file.begin()
    async with opening(tmp_path / "data") as store:
        await filled(store, file)
        wanted = [first]

        async def change(budget: list[int]) -> None:
            row = await store.get(Master, "master")
            assert row is not None
            if row.id == wanted[-1].id and not row.before and file.known() == (wanted[-1],):
                wanted.append(new_master())
            held, kept = Interrupted(store, budget), Interrupted(file, budget)
            await Rotation(held, Keyring(kept), lambda: 5.0, "ann").master(wanted[-1])  # type: ignore[arg-type]

        async def check() -> None:
            await readable(store, file, tmp_path)
            await one_truth(store)

        assert await ended(change, check) > 40
        assert len(wanted) > 5
        assert await store.get(Master, "master") == Master(id=wanted[-1].id)
        assert file.known() == (wanted[-1],)
        keys = await store.read(KEYS_PAGE, after="", limit=9)
        assert {key.master for key in keys} == {wanted[-1].id}
        with pytest.raises(Denied, match="is not here"):
            Keyring(MasterFile(tmp_path / "x", first.text)).private(keys[0])


@STORES
async def test_another_new_master_key_first_finishes_what_was_begun(opening: Opening, tmp_path: Path) -> None:
    file = MasterFile(tmp_path / "master.key")
    file.begin()
    async with opening(tmp_path / "data") as store:
        await filled(store, file)
        budget = [5]
        with pytest.raises(Ended):
            await Rotation(
                Interrupted(store, budget),  # type: ignore[arg-type]
                Keyring(Interrupted(file, budget)),  # type: ignore[arg-type]
                lambda: 5.0,
                "ann",
            ).master(new_master())
        last = new_master()
        assert await Rotation(store, Keyring(file), lambda: 5.0, "ann").master(last) > 2
        assert file.known() == (last,)
        await readable(store, file, tmp_path)


async def test_a_secret_set_in_the_middle_is_never_lost(tmp_path: Path) -> None:
    """The API read its key before the change, and commits after each of its steps."""
    file = MasterFile(tmp_path / "master.key")
    file.begin()
    async with on_sqlite(tmp_path / "data") as store:
        await filled(store, file)
        for after in range(1, 8):
            (before, *_) = await store.read(KEYS_OF, home=organization("acme").ref)
            fresh = secret(before, f"late-{after}", "late")
            budget = [after]
            with contextlib.suppress(Ended):
                await Rotation(Interrupted(store, budget), Keyring(file), lambda: 5.0, "ann").organization(  # type: ignore[arg-type]
                    organization("acme")
                )
            rests = (Expect(OrganizationKey, before.id, "retired_at", 0.0), Expect(Secret, fresh.id))
            with contextlib.suppress(Conflict):
                await store.commit(Change(expects=rests, writes=(Put(fresh),)))
            await Rotation(store, Keyring(file), lambda: 6.0, "ann").unfinished()
            await readable(store, file, tmp_path)
            await one_truth(store)


async def test_an_edit_between_look_and_change_stays(tmp_path: Path) -> None:
    file = MasterFile(tmp_path / "master.key")
    file.begin()
    async with on_sqlite(tmp_path / "data") as store:
        await filled(store, file)

        class Editing(Interrupted):
            async def commit(self, change: Change) -> None:
                (row,) = [write.row for write in change.writes if isinstance(write, Put)][:1] or (None,)
                if isinstance(row, Secret) and row.name == "s0" and not self.budget[0]:
                    self.budget[0] = 1
                    held = await self.inner.get(Secret, row.id)
                    (key, *_) = await self.inner.read(KEYS_OF, home=row.home)
                    edit = replace(held, now=sealed(key, "s0", "edited", 3), revision=held.revision + 1)
                    await self.inner.commit(Change(writes=(Put(edit),)))
                await self.inner.commit(change)

        rotation = Rotation(Editing(store, [0]), Keyring(file), lambda: 5.0, "ann")  # type: ignore[arg-type]
        await rotation.organization(organization("acme"))
        await rotation.unfinished()
        secrets = SealedSecrets(store, Keyring(file), lambda: 1.0, FolderSecrets(tmp_path))
        assert (await secrets.open("acme", "secret://s0", ASKER, HERE, newest=True)).value == "edited"
        assert len(await store.read(KEYS_OF, home=organization("acme").ref)) == 1


@STORES
async def test_after_the_master_key_was_lost_one_begins_anew(opening: Opening, tmp_path: Path) -> None:
    file = MasterFile(tmp_path / "master.key")
    file.begin()
    async with opening(tmp_path / "data") as store:
        await filled(store, file)
        file.path.unlink()
        new = new_master()
        with pytest.raises(Denied, match="is not here"):
            await Rotation(store, Keyring(file), lambda: 5.0, "ann").master(new)
        assert (file.known(), await store.get(Master, "master") == Master(id=new.id)) == ((), False)
        for budget in ([1], [3], [99]):
            held: Any = Interrupted(store, budget)
            with contextlib.suppress(Ended):
                await Rotation(held, Keyring(file), lambda: 5.0, "ann").lost(new)
        assert await store.get(Master, "master") == Master(id=new.id)
        assert (await store.read(KEYS_PAGE, after="", limit=9), file.known()) == ([], (new,))
        assert await store.read(SECRETS_OF, home=organization("acme").ref, after="", limit=9) == []
        await Keeper(store, await established(store, file), lambda: 99.0, by_name()).round()
        assert len(await store.read(KEYS_PAGE, after="", limit=9)) == 3  # And the pair for enrolments.


async def test_what_cannot_be_changed_says_so(tmp_path: Path) -> None:
    file = MasterFile(tmp_path / "master.key")
    file.begin()
    async with on_sqlite(tmp_path / "data") as store:
        rotation = Rotation(store, Keyring(file), lambda: 5.0, "ann")
        with pytest.raises(Missing, match="no master key yet"):
            await rotation.master(new_master())
        with pytest.raises(Missing, match="has no key yet"):
            await rotation.organization(organization("acme"))
        await filled(store, file)
        given = Keyring(MasterFile(Path("/nowhere"), file.known()[0].text))
        with pytest.raises(Denied, match="SETPOINT_MASTER_KEY"):
            await Rotation(store, given, lambda: 5.0, "ann").master(new_master())
        new = MasterKey(b"n" * 32)
        both = Keyring(MasterFile(Path("/nowhere"), f"{new.text},{file.known()[0].text}"))
        assert await Rotation(store, both, lambda: 5.0, "ann").master(new) == 2
