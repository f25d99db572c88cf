"""A loop under another name goes on with what it remembered, by what it holds; another loop does not."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace

from setpoint.engine.ledger import Ledger, Protection, item_key
from setpoint.engine.rows import Mode, Switch
from setpoint.engine.store import ACTS_SINCE, AUDIT_PAGE, PROTECTIONS_OF, Change, Put
from setpoint.loop.inherit import Left, best, orphans
from setpoint.loop.station import Station, working
from setpoint.storage.memory import MemoryStore

from .things import Shelf

WANTED = {f"k{n}": n for n in range(6)}


class Renamed(Shelf):
    """The same under another name."""


class Broken(Shelf):
    """Cannot look."""

    async def observe(self) -> Mapping[str, int]:
        raise OSError("away")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / ".setpoint" / "flags"


async def worked(folder: Path) -> dict[str, int]:
    """A loop made everything itself; a person protected one thing, and paused it."""
    loop = Shelf(WANTED, {})
    async with working([loop], folder, enforce=True) as station:
        while await station.reconcile("Shelf") == 0.0:
            pass
        ref = station.ref("Shelf")
        protection = Protection(
            key=item_key(ref, "k1"), domain=ref, item="k1", by="ann", reason="", since=1.0
        )
        switch = Switch(key=f"domain:{ref}", mode=Mode.NO_DELETES, by="ann", reason="", since=1.0)
        await station.store.commit(Change(writes=(Put(protection), Put(switch))))
    return loop.found


async def remembers(station: Station, name: str) -> tuple[int, int, list[str], bool]:
    """How many keys, how many acts, what is protected, and whether it is paused."""
    ref, store = station.ref(name), station.store
    ledger = await store.get(Ledger, ref) or Ledger(ref=ref)
    acts = await store.read(ACTS_SINCE, domain=ref, since=0.0)
    kept = await store.read(PROTECTIONS_OF, domain=ref)
    paused = await store.get(Switch, f"domain:{ref}") is not None
    return len(ledger.known), len(acts), [each.item for each in kept], paused


ALL = (6, 6, ["k1"], True)
NOTHING = (0, 0, [], False)


@pytest.mark.parametrize("place", ["flags", "moved"])
async def test_a_renamed_class_or_file_remembers_all_of_it(folder: Path, place: str) -> None:
    there = await worked(folder)
    async with working([Renamed(WANTED, there)], folder.parent / place, enforce=True) as station:
        assert await remembers(station, "Renamed") == ALL
        lines = await station.store.read(AUDIT_PAGE, organization="Renamed", after=0, limit=50)
        assert "memory.moved" in [line.action for line in lines]


async def test_what_was_moved_is_nowhere_else_and_comes_back_with_the_name(folder: Path) -> None:
    there = await worked(folder)
    async with working([Shelf(WANTED, there)], folder.parent / "moved", enforce=True) as station:
        ledger = await station.store.get(Ledger, station.ref("Shelf"))
        assert ledger is not None
        await station.store.commit(Change(writes=(Put(replace(ledger, accepted=77)),)))
    async with working([Shelf(WANTED, there)], folder, enforce=True) as station:
        assert await remembers(station, "Shelf") == ALL
        ledger = await station.store.get(Ledger, station.ref("Shelf"))
        assert ledger is not None
        assert ledger.accepted == 77


async def test_a_file_that_is_there_keeps_its_memory(folder: Path) -> None:
    there = await worked(folder)
    (folder.parent.parent / "flags.py").write_text("")
    async with working([Shelf(WANTED, there)], folder.parent / "moved", enforce=True) as station:
        assert await remembers(station, "Shelf") == NOTHING


async def test_a_folder_that_another_process_has_is_left_alone(folder: Path) -> None:
    there = await worked(folder)
    async with (
        working([Shelf(WANTED, there)], folder, enforce=True),
        working([Shelf(WANTED, there)], folder.parent / "moved", enforce=True) as station,
    ):
        assert await remembers(station, "Shelf") == NOTHING


async def test_a_loop_that_holds_other_things_begins_anew(folder: Path) -> None:
    await worked(folder)
    others = {"a": 1, "b": 2, "k1": 3}
    async with working([Renamed(others)], folder, enforce=True) as station:
        assert await remembers(station, "Renamed") == NOTHING


async def test_where_it_cannot_look_nothing_is_moved_and_the_next_start_does(folder: Path) -> None:
    there = await worked(folder)
    place = folder.parent / "moved"
    async with working([Broken(WANTED, there)], place, enforce=True) as station:
        assert await remembers(station, "Broken") == NOTHING
    async with working([Renamed(WANTED, there)], place, enforce=True) as station:
        assert await remembers(station, "Renamed") == ALL


def test_of_several_the_one_that_knew_most_of_it_is_taken() -> None:
    store = MemoryStore()

    def left(name: str, known: str, looked_at: float = 1.0) -> Left:
        return Left(store, Ledger(ref=f"{name}/1", known=tuple(known), looked_at=looked_at), name)

    found = best([left("few", "abx"), left("most", "abc"), left("late", "abc", 2.0)], frozenset("abcd"))
    assert found is not None
    assert found.place == "late"
    assert best([left("half", "ab")], frozenset("abcd")) is None
    assert best([left("nothing", "")], frozenset()) is None


def test_only_state_folders_with_a_store_and_without_a_file_are_left_behind(tmp_path: Path) -> None:
    state = tmp_path / ".setpoint"
    for name in ("gone", "here", "empty", "mine"):
        (state / name).mkdir(parents=True)
        if name != "empty":
            (state / name / "setpoint.db").touch()
    (tmp_path / "here.py").touch()
    assert [each.name for each in orphans(state / "mine")] == ["gone"]
    assert orphans(tmp_path / "elsewhere") == []
