"""A database that is a copy, or older than the world, is frozen once; a plain restart never is."""

from pathlib import Path

import pytest

from conformance.store_rows import act, puts
from setpoint.drive.frozen import FAILED_OVER, inspected
from setpoint.drive.newest import NAME, Newest
from setpoint.engine.audit import broken_at
from setpoint.engine.rows import Installation, Mode, Switch
from setpoint.engine.store import AUDIT_PAGE, EVENTS_AFTER, Change, Identity, Put
from setpoint.storage.memory import MemoryStore

NOW = 1000.0
ABOUT = {"organization": "", "after": 0, "limit": 10}


async def known(identity: str = "here", timeline: str = "1") -> MemoryStore:
    """A store that knew itself by this when it was last looked at."""
    store = MemoryStore()
    store.here = Identity("here", "1")
    await store.commit(puts(Installation(id="i1", identity=identity, timeline=timeline), act("a1")))
    return store


async def look(store: MemoryStore, noted: str = "") -> str:
    return await inspected(store, noted, lambda: NOW)


async def switch(store: MemoryStore) -> Switch | None:
    return await store.get(Switch, "all")


async def test_where_nobody_was_before_there_is_nothing_to_doubt() -> None:
    assert await look(MemoryStore(), "a9") == ""


@pytest.mark.parametrize("noted", ["", "a1"])
async def test_the_same_database_is_not_frozen(noted: str) -> None:
    store = await known()
    assert (await look(store, noted), await switch(store)) == ("", None)


async def test_what_was_never_looked_at_is_noted_and_not_frozen() -> None:
    store = await known("", "")
    assert (await look(store), await switch(store)) == ("", None)
    assert await store.get(Installation, "installation") == Installation(
        id="i1", identity="here", timeline="1"
    )


@pytest.mark.parametrize(
    ("identity", "timeline", "noted", "mode", "says"),
    [
        (
            "there",
            "1",
            "",
            Mode.OBSERVE,
            "this database is a copy: it was known as there, and here it is here",
        ),
        ("there", "7", "a9", Mode.OBSERVE, "this database is a copy"),
        ("here", "1", "a9", Mode.OBSERVE, "put back to an older state: act a9, which it had, is not in it"),
        ("here", "7", "a9", Mode.OBSERVE, "put back to an older state"),
        ("here", "7", "a1", Mode.NO_DELETES, FAILED_OVER),
    ],
    ids=["a copy", "a copy above all", "put back", "a failover that lost its tail", "a failover"],
)
async def test_what_is_doubted_is_frozen_once_with_the_reason(
    identity: str, timeline: str, noted: str, mode: Mode, says: str
) -> None:
    store = await known(identity, timeline)
    assert says in await look(store, noted)
    frozen = await switch(store)
    assert frozen is not None
    assert (frozen.mode, frozen.by, frozen.since, frozen.version) == (mode, "setpoint", NOW, 1)
    assert says in frozen.reason
    [event] = await store.read(EVENTS_AFTER, **ABOUT)
    lines = await store.read(AUDIT_PAGE, **ABOUT)
    assert (event.type, event.ref) == ("switch.changed", "switch/all")
    assert [(line.actor, line.action) for line in lines] == [("setpoint", "switch.set")]
    assert broken_at(lines) is None
    await store.commit(
        Change(writes=(Put(Switch(key="all", mode=Mode.RUN, by="ann", reason="", since=2.0)),))
    )
    assert await look(store) == ""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (Mode.RUN, Mode.NO_DELETES),
        (Mode.NO_DELETES, Mode.NO_DELETES),
        (Mode.OBSERVE, Mode.OBSERVE),
        (Mode.STOP, Mode.STOP),
    ],
)
async def test_what_a_person_chose_is_never_loosened(before: Mode, after: Mode) -> None:
    store = await known(timeline="7")
    await store.commit(puts(Switch(key="all", mode=before, by="ann", reason="a storm", since=1.0, version=4)))
    await look(store)
    frozen = await switch(store)
    assert frozen is not None
    assert (frozen.mode, frozen.version) == (after, 5)
    assert ("before: " in frozen.reason) == (before is not Mode.RUN)
    assert (f"{before} by ann: a storm" in frozen.reason) == (before is not Mode.RUN)


async def test_two_replicas_that_notice_at_once_freeze_once() -> None:
    store = await known("there")
    first, second = await look(store), await look(store)
    assert (bool(first), second) == (True, "")
    frozen = await switch(store)
    assert frozen is not None
    assert frozen.version == 1


async def test_somebody_who_moves_the_switch_meanwhile_is_not_overruled() -> None:
    store = await known("there")
    commit, tried = store.commit, []

    async def overtaken(change: Change) -> None:
        if not tried:
            tried.append(change)
            await commit(puts(Switch(key="all", mode=Mode.STOP, by="ann", reason="a storm", since=1.0)))
        await commit(change)

    store.commit = overtaken  # type: ignore[method-assign]
    await look(store)
    frozen = await switch(store)
    assert frozen is not None
    assert (frozen.mode, frozen.version) == (Mode.STOP, 2)


async def test_the_newest_act_is_noted_beside_the_database(tmp_path: Path) -> None:
    store = await known()
    newest = Newest(store, tmp_path, lambda: NOW)
    assert await newest.begin() == ""
    assert noted(tmp_path) == "i1 a1"
    await store.commit(puts(act("a2"), act("a0")))
    await newest.note()
    assert noted(tmp_path) == "i1 a2"
    older = await known()
    assert "act a2, which it had, is not in it" in await Newest(older, tmp_path, lambda: NOW).begin()
    assert noted(tmp_path) == "i1 a1"
    assert await Newest(older, tmp_path, lambda: NOW).begin() == ""


async def test_a_database_put_back_to_before_its_first_act_is_frozen_once(tmp_path: Path) -> None:
    await Newest(await known(), tmp_path, lambda: NOW).begin()
    store = MemoryStore()
    await store.commit(puts(Installation(id="i1")))
    assert "put back" in await Newest(store, tmp_path, lambda: NOW).begin()
    assert await Newest(store, tmp_path, lambda: NOW).begin() == ""


async def test_what_another_installation_noted_in_the_same_folder_says_nothing(tmp_path: Path) -> None:
    await Newest(await known(), tmp_path, lambda: NOW).begin()
    other = MemoryStore()
    await other.commit(puts(Installation(id="i2"), act("b1")))
    assert await Newest(other, tmp_path, lambda: NOW).begin() == ""
    assert noted(tmp_path) == "i2 b1"


@pytest.mark.parametrize("found", [b"", b"\xff\xfe", b"\n", b"i1", b"i1 \n"])
async def test_a_note_that_cannot_be_read_says_nothing(tmp_path: Path, found: bytes) -> None:
    (tmp_path / NAME).write_bytes(found)
    assert await Newest(await known(), tmp_path, lambda: NOW).begin() == ""


async def test_where_nothing_can_be_noted_everything_else_goes_on(tmp_path: Path) -> None:
    newest = Newest(await known(), tmp_path / "nowhere", lambda: NOW)
    assert await newest.begin() == ""


def noted(folder: Path) -> str:
    return (folder / NAME).read_text().strip()
