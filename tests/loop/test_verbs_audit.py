"""`audit verify`: every line that is changed, dropped, swapped, slipped in or cut off is found."""

import contextlib
import json
import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from loop.commands import Folder
from setpoint.engine.audit import chained
from setpoint.engine.entity import canonical
from setpoint.engine.rows import Audit, Head
from setpoint.engine.store import AUDIT_PAGE, Change
from setpoint.loop.commands.seal import NAME, seal, verified
from setpoint.storage.memory import MemoryStore

TENANT = "Flags"
LINES = 60


def line(number: int) -> Audit:
    return Audit(
        organization=TENANT,
        actor="scheduler",
        action="act.done",
        ref="flags/flags",
        at=float(number),
        detail={"item": f"flag-{number}"},
    )


async def written(folder: Path, lines: int = LINES, sealed: int = LINES) -> MemoryStore:
    """A chain of so many lines, sealed after some of them."""
    store = MemoryStore()
    for number in range(1, lines + 1):
        await store.commit(Change(audit=(line(number),)))
        if number == sealed:
            await seal(store, folder, ("", TENANT))
    return store


class Tampered(MemoryStore):
    """Answers with another chain than the one that was written."""

    def __init__(self, entries: list[Audit], head: Head) -> None:
        super().__init__()
        self.entries, self.head = entries, head

    async def read(self, query, **values):  # type: ignore[no-untyped-def]
        found = [entry for entry in self.entries if entry.revision > values["after"]]
        own = [entry for entry in found if entry.organization == values["organization"]]
        return sorted(own, key=lambda entry: entry.revision)[: values["limit"]]

    async def get(self, row, key):  # type: ignore[no-untyped-def]
        return self.head if key == TENANT else None


def flipped(entries: list[Audit], chance: random.Random) -> list[Audit]:
    at = chance.randrange(len(entries))
    text = bytearray(canonical(entries[at]))
    while True:
        spot = chance.randrange(len(text))
        changed = bytes(text[:spot]) + bytes([chance.choice(b"0123456789abcdef")]) + bytes(text[spot + 1 :])
        with contextlib.suppress(ValueError, TypeError):
            other = msgspec.json.decode(changed, type=Audit)
            if other != entries[at] and other.organization == TENANT:
                return [*entries[:at], other, *entries[at + 1 :]]


def dropped(entries: list[Audit], chance: random.Random) -> list[Audit]:
    at = chance.randrange(len(entries))
    return [*entries[:at], *entries[at + 1 :]]


def swapped(entries: list[Audit], chance: random.Random) -> list[Audit]:
    one, two = sorted(chance.sample(range(len(entries)), 2))
    found = list(entries)
    found[one] = replace(entries[two], revision=entries[one].revision)
    found[two] = replace(entries[one], revision=entries[two].revision)
    return found


def slipped_in(entries: list[Audit], chance: random.Random) -> list[Audit]:
    """A line of the forger's own, well made, between two others; those behind it move up."""
    at = chance.randrange(1, len(entries))
    new = chained(line(999), revision=entries[at].revision, previous=entries[at - 1].hash)
    behind = [replace(entry, revision=entry.revision + 1) for entry in entries[at:]]
    return [*entries[:at], new, *behind]


def cut(entries: list[Audit], chance: random.Random) -> list[Audit]:
    return entries[: chance.randrange(len(entries))]


@pytest.mark.parametrize("forged", [flipped, dropped, swapped, slipped_in, cut])
@pytest.mark.parametrize("with_head", [False, True])
async def test_each_of_a_thousand_forgeries_is_found(
    tmp_path: Path, forged: Callable[[list[Audit], random.Random], list[Audit]], with_head: bool
) -> None:
    store = await written(tmp_path)
    assert [chain.broken for chain in await verified(store, tmp_path, ("", TENANT))] == ["", ""]
    entries = await store.read(AUDIT_PAGE, organization=TENANT, after=0, limit=1000)
    head = await store.get(Head, TENANT)
    assert head is not None
    chance = random.Random(7)  # noqa: S311 - to be repeated, not to be kept
    for _ in range(100):
        found = forged(entries, chance)
        last = found[-1] if found else None
        # A careful forger sets the head back too: only the seal beside the database tells.
        own = Head(organization=TENANT, revision=last.revision if last else 0, hash=last.hash if last else "")
        chains = await verified(Tampered(found, own if with_head else head), tmp_path, ("", TENANT))
        assert any(chain.broken for chain in chains), found


async def test_a_chain_forged_anew_from_its_first_line_is_not_the_one_that_was_sealed(tmp_path: Path) -> None:
    await written(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    forged = MemoryStore()
    for number in range(LINES, 2 * LINES):
        await forged.commit(Change(audit=(line(number),)))
    (chain,) = [c for c in await verified(forged, tmp_path, (TENANT,)) if c.organization == TENANT]
    assert chain.broken == f"it is not the chain that was sealed at {LINES} in {NAME}"


async def test_what_was_written_after_the_seal_is_no_forgery(tmp_path: Path) -> None:
    store = await written(tmp_path, lines=80, sealed=40)
    assert [chain.broken for chain in await verified(store, tmp_path, (TENANT,))] == [""]


async def test_an_older_seal_never_replaces_a_newer_one(tmp_path: Path) -> None:
    await written(tmp_path, lines=50, sealed=50)
    await written(tmp_path, lines=10, sealed=10)
    assert json.loads((tmp_path / NAME).read_text())[TENANT][0] == 50


async def test_a_spoilt_seal_is_said_and_never_mended(tmp_path: Path) -> None:
    store = await written(tmp_path)
    (tmp_path / NAME).write_text("{")
    assert any("cannot be read" in chain.broken for chain in await verified(store, tmp_path, (TENANT,)))
    await seal(store, tmp_path, (TENANT,))
    assert (tmp_path / NAME).read_text() == "{"


def test_the_command_finds_a_dropped_line_and_a_database_that_was_put_back(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.declare({f"flag-{number}": {"on": True} for number in range(5)})
    folder.world({})
    state = tmp_path / ".setpoint" / "flags"
    assert folder.said("run", "flags.py", "--enforce", "--once").code == 0
    shutil.copy(state / "setpoint.db", tmp_path / "older.db")
    whole = folder.said("audit", "verify", "flags.py")
    assert (whole.code, whole.out) == (0, "= 11 lines of audit, whole\n")
    folder.world({})
    assert folder.said("run", "flags.py", "--enforce", "--once").code in (3, 4)
    assert folder.said("pause", "flags.py", "--all", "--reason", "now").code == 0
    assert folder.said("audit", "verify", "flags.py", "-o", "json").body["whole"]
    shutil.copy(state / "setpoint.db", tmp_path / "newer.db")
    shutil.copy(tmp_path / "older.db", state / "setpoint.db")
    back = folder.said("audit", "verify", "flags.py")
    assert back.code == 1
    assert "it was cut back to" in back.out
    shutil.copy(tmp_path / "newer.db", state / "setpoint.db")
    with contextlib.closing(sqlite3.connect(state / "setpoint.db")) as database:
        database.execute("DELETE FROM audit WHERE revision = (SELECT max(revision) - 2 FROM audit)")
        database.commit()
    broken = folder.said("audit", "verify", "flags.py", "-o", "json")
    assert (broken.code, broken.body["whole"]) == (1, False)
