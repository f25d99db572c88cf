"""A backup: one file from every store and into every store; damage is found, nothing is written over."""

# ruff: noqa: ASYNC240 - nobody else waits while these tests look at files

import asyncio
import gzip
import hashlib
import json
import random
import stat
import zlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import postgres
from conformance.store_rows import audit, event, one_of_each, puts, zone
from setpoint.backups import backup, restore
from setpoint.engine.account import Letter, Link, Strikes
from setpoint.engine.entity import Declared
from setpoint.engine.errors import Denied, Rejected
from setpoint.engine.rows import Audit, Head, Installation, Mode, Replica, Shard, Switch
from setpoint.engine.store import AUDIT_PAGE, SHARDS_OF, Change, Store
from setpoint.engine.tables import TABLES
from setpoint.storage import memory_archive
from setpoint.storage.backup import Writing, first_change, placeless, rows_in, verified
from setpoint.storage.backup.lines import ROWS, schema
from setpoint.storage.postgres import open_postgres
from setpoint.storage.sqlite import open_sqlite
from setpoint.storage.sqlite.archive import every_row
from setpoint.storage.sqlite.lock import FolderLock

LINES = 40


@dataclass(frozen=True)
class Place:
    """A store that the two commands are told of by a flag."""

    flags: tuple[str, str]
    opened: Callable[[], Awaitable[Store]]


def in_sqlite(folder: Path) -> Place:
    return Place(("--data", str(folder)), lambda: open_sqlite(folder))


async def placed(name: str, folder: Path) -> Place:
    if name == "sqlite":
        return in_sqlite(folder)
    url = await postgres.emptied()
    return Place(("--database", url), lambda: open_postgres(url, allow_unsafe=True))


async def ran(verb: Callable[..., int], *words: str) -> tuple[int, str]:
    said: list[str] = []
    code = await asyncio.to_thread(verb, list(words), {}, said.append)
    return code, "\n".join(said)


async def filled(place: Place) -> None:
    """One row of each sort, and forty events with their audit."""
    store = await place.opened()
    rows = [row for row in one_of_each() if not isinstance(row, Shard | Replica)]
    await store.commit(puts(*rows))
    for number in range(LINES):
        await store.commit(Change(events=(event(ref=f"zone/{number}"),), audit=(audit(f"n{number}"),)))
    await store.close()


def lines_of(path: Path) -> list[bytes]:
    return gzip.decompress(path.read_bytes()).splitlines(keepends=True)


def packed(path: Path, lines: list[bytes]) -> Path:
    path.write_bytes(gzip.compress(b"".join(lines)))
    return path


def sealed(lines: list[bytes]) -> list[bytes]:
    """The same lines with a hash and counts that fit, as somebody would write who knows how."""
    counts: dict[str, int] = {}
    for line in lines[1:-1]:
        table = json.loads(line)["table"]
        counts[table] = counts.get(table, 0) + 1
    digest = hashlib.sha256(b"".join(lines[:-1])).hexdigest()
    return [*lines[:-1], json.dumps({"counts": counts, "sha256": digest}).encode() + b"\n"]


@pytest.fixture
async def whole(tmp_path: Path) -> Path:
    place, path = in_sqlite(tmp_path / "data"), tmp_path / "whole.gz"
    await filled(place)
    code, said = await ran(backup, str(path), *place.flags)
    assert code == 0, said
    return path


@pytest.mark.parametrize("source", ["sqlite", "postgres"])
@pytest.mark.parametrize("target", ["sqlite", "postgres"])
async def test_every_store_can_be_restored_into_every_store(tmp_path: Path, source: str, target: str) -> None:
    one, first, second = await placed(source, tmp_path / "one"), tmp_path / "1.gz", tmp_path / "2.gz"
    await filled(one)
    assert (await ran(backup, str(first), *one.flags))[0] == 0
    # There is one database for all tests, so that of the source is emptied here if both are there.
    other = await placed(target, tmp_path / "other")
    code, said = await ran(restore, str(first), *other.flags)
    assert code == 0, said
    assert (await ran(backup, str(second), *other.flags))[0] == 0
    before, after = set(lines_of(first)[1:-1]), set(lines_of(second)[1:-1])
    tables = [json.loads(line)["table"] for line in after - before]
    gone = [json.loads(line) for line in before - after]
    assert {line["table"] for line in gone} <= {"switch", "head", "token"}
    assert [line["body"]["sort"] for line in gone if line["table"] == "token"] == ["session"]
    assert sorted(tables) == ["audit", "event", "head", "switch"]


async def test_memory_is_backed_up_and_restored_alike(tmp_path: Path, whole: Path) -> None:
    found = verified(whole)
    store = await memory_archive.restored(placeless(rows_in(whole)), first_change(found, 1.0))
    with Writing(tmp_path / "again.gz", 1.0) as writing:
        for table, body in memory_archive.every_row(store):
            writing.put(table, body)
        writing.finish()
    assert (await ran(restore, str(whole), "--data", str(tmp_path / "new")))[0] == 0
    with Writing(tmp_path / "other.gz", 1.0) as writing:
        for table, body in every_row(tmp_path / "new"):
            writing.put(table, body)
        writing.finish()
    one, other = (
        [json.loads(line)["table"] for line in lines_of(tmp_path / name)[1:-1]]
        for name in ("again.gz", "other.gz")
    )
    assert one == other
    assert len(set(lines_of(tmp_path / "again.gz")) & set(lines_of(whole))) > 2 * LINES


@pytest.mark.parametrize("target", ["sqlite", "postgres"])
async def test_what_is_restored_is_frozen_provable_and_without_a_place(
    tmp_path: Path, whole: Path, target: str
) -> None:
    place = await placed(target, tmp_path / "other")
    assert (await ran(restore, str(whole), *place.flags))[0] == 0
    store = await place.opened()
    frozen = await store.get(Switch, "all")
    assert frozen is not None
    # It was at `stop` when the backup was taken: that is stricter, so it stays.
    assert (frozen.mode, frozen.version) == (Mode.STOP, 2)
    assert "restored from a backup of 20" in frozen.reason
    assert "taken by installation i1" in frozen.reason
    assert await store.get(Installation, "installation") == Installation(id="i1")
    assert len(await store.read(AUDIT_PAGE, organization="acme", after=0, limit=100)) == LINES
    [proof] = await store.read(AUDIT_PAGE, organization="", after=0, limit=100)
    assert (proof.action, proof.ref) == ("switch.set", "switch/all")
    assert {shard.epoch for shard in await store.read(SHARDS_OF, service="scheduler")} == {0}
    await store.close()


@pytest.mark.parametrize("target", ["sqlite", "postgres"])
async def test_a_store_that_is_not_empty_is_refused_and_left_alone(
    tmp_path: Path, whole: Path, target: str
) -> None:
    place = await placed(target, tmp_path / "other")
    store = await place.opened()
    await store.commit(puts(zone("mine")))
    await store.close()
    code, said = await ran(restore, str(whole), *place.flags)
    assert code == 1
    assert "nothing was changed" in said
    assert ("--replace" in said) == (target == "sqlite")
    store = await place.opened()
    assert (await store.get(Declared, "zone/mine"), await store.get(Declared, "zone/1")) == (
        zone("mine"),
        None,
    )
    await store.close()


async def test_a_database_that_is_replaced_is_moved_aside_whole(tmp_path: Path, whole: Path) -> None:
    place, folder = in_sqlite(tmp_path / "other"), tmp_path / "other"
    store = await place.opened()
    await store.commit(puts(zone("mine")))
    await store.close()
    code, said = await ran(restore, str(whole), *place.flags, "--replace")
    assert code == 0, said
    [aside] = folder.glob("setpoint.db.before-restore-*[0-9]")
    assert str(aside) in said
    (tmp_path / "looked").mkdir()
    aside.rename(tmp_path / "looked" / "setpoint.db")
    store = await open_sqlite(tmp_path / "looked")
    assert await store.get(Declared, "zone/mine") == zone("mine")
    await store.close()


async def test_a_folder_that_somebody_works_on_is_not_restored_into(tmp_path: Path, whole: Path) -> None:
    with FolderLock(tmp_path / "data"):
        code, said = await ran(restore, str(whole), "--data", str(tmp_path / "data"), "--replace")
    assert (code, "another setpoint process" in said) == (1, True)


async def test_it_is_for_its_owner_alone_and_leaves_nothing_beside_it(tmp_path: Path, whole: Path) -> None:
    assert stat.S_IMODE(whole.stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "whole.gz"]


async def test_a_backup_is_never_written_over(tmp_path: Path, whole: Path) -> None:
    before = whole.read_bytes()
    code, said = await ran(backup, str(whole), "--data", str(tmp_path / "data"))
    assert (code, "never written over" in said) == (1, True)
    assert whole.read_bytes() == before


async def test_it_is_all_of_one_moment_while_others_write(tmp_path: Path) -> None:
    """Each commit writes a pair; a backup with half a pair would be of two moments."""
    store = await open_sqlite(tmp_path / "data")
    await store.commit(puts(Installation(id="i1"), zone("left"), zone("right")))
    busy = True

    async def write() -> None:
        number = 0
        while busy:
            number += 1
            await store.commit(
                puts(zone("left", labels={"n": str(number)}), zone("right", labels={"n": str(number)}))
            )

    writing = asyncio.create_task(write())
    for number in range(10):
        path = tmp_path / f"{number}.gz"
        assert (await ran(backup, str(path), "--data", str(tmp_path / "data")))[0] == 0
        rows = [json.loads(line) for line in lines_of(path)[1:-1]]
        pair = [row["body"]["labels"] for row in rows if row["table"] == "declared"]
        assert len(pair) == 2
        assert pair[0] == pair[1]
    busy = False
    await writing
    await store.close()


async def test_whoever_stops_halfway_leaves_no_file(tmp_path: Path, whole: Path) -> None:
    rows = list(every_row(tmp_path / "data"))
    with pytest.raises(ZeroDivisionError), Writing(tmp_path / "half.gz", 1.0) as writing:  # noqa: PT012
        writing.put(*rows[0])
        raise ZeroDivisionError
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "whole.gz"]


async def test_a_database_that_nobody_started_on_has_nothing_to_back_up(tmp_path: Path) -> None:
    store = await open_sqlite(tmp_path / "data")
    await store.close()
    code, said = await ran(backup, str(tmp_path / "b.gz"), "--data", str(tmp_path / "data"))
    assert (code, "nothing to back up" in said) == (1, True)
    code, said = await ran(backup, str(tmp_path / "b.gz"), "--data", str(tmp_path / "nowhere"))
    assert (code, "there is no database in" in said) == (1, True)
    assert not (tmp_path / "b.gz").exists()


async def test_a_file_that_is_cut_anywhere_is_refused_and_nothing_is_changed(
    tmp_path: Path, whole: Path
) -> None:
    raw = whole.read_bytes()
    chance = random.Random(7)  # noqa: S311 - the same places in every run
    for size in {0, 1, 10, len(raw) - 1, *(chance.randrange(len(raw)) for _ in range(60))}:
        cut = tmp_path / "cut.gz"
        cut.write_bytes(raw[:size])
        with pytest.raises(Rejected, match="is damaged or no backup"):
            verified(cut)
    code, said = await ran(restore, str(tmp_path / "cut.gz"), "--data", str(tmp_path / "new"))
    assert (code, "nothing was changed" in said) == (1, True)
    assert not (tmp_path / "new").exists()


def same_inside(one: Path, other: Path) -> bool:
    try:
        return gzip.decompress(one.read_bytes()) == gzip.decompress(other.read_bytes())
    except (OSError, EOFError, zlib.error):
        return False


async def test_a_flipped_bit_anywhere_is_found(tmp_path: Path, whole: Path) -> None:
    raw = whole.read_bytes()
    chance = random.Random(11)  # noqa: S311 - the same bits in every run
    header = 10  # Of gzip: its time and the system it was made on say nothing about what is inside.
    for at in (chance.randrange(header, len(raw)) for _ in range(200)):
        flipped = tmp_path / "flipped.gz"
        flipped.write_bytes(raw[:at] + bytes([raw[at] ^ 1 << chance.randrange(8)]) + raw[at + 1 :])
        if same_inside(flipped, whole):
            continue  # Bits that fill up the last byte before the sum say nothing.
        with pytest.raises(Rejected, match="is damaged or no backup"):
            verified(flipped)


async def test_a_line_that_is_missing_doubled_or_changed_is_found(tmp_path: Path, whole: Path) -> None:
    lines = lines_of(whole)
    for at in range(len(lines)):
        for changed in (lines[:at] + lines[at + 1 :], [*lines[: at + 1], *lines[at:]]):
            with pytest.raises(Rejected, match="is damaged or no backup"):
                verified(packed(tmp_path / "changed.gz", changed))
    for old, new in ((b'"www"', b'"wwx"'), (b'"n7"', b'"n8"')):
        text = b"".join(lines)
        assert old in text
        with pytest.raises(Rejected, match=r"its hash is another|breaks at"):
            verified(packed(tmp_path / "changed.gz", [text.replace(old, new)]))


@pytest.mark.parametrize(
    ("forged", "says"),
    [
        (lambda lines: [line for line in lines if b'"n5"' not in line], "the audit of acme breaks at 14"),
        (lambda lines: [line for line in lines if b'"n39"' not in line], "ends before its head"),
        (lambda lines: [line.replace(b'"n5"', b'"n6"') for line in lines], "the audit of acme breaks at 12"),
        (lambda lines: [line for line in lines if not line.startswith(b'{"table":"installation"')], "whose"),
        (
            lambda lines: [line.replace(b'"table":"act"', b'"table":"deed"') for line in lines],
            "that there is",
        ),
        (lambda lines: [line.replace(b'"verb":"create"', b'"verb":"wish"') for line in lines], "is no act"),
    ],
    ids=["a line of evidence out", "the last one out", "one changed", "nobody's", "another table", "no act"],
)
async def test_even_with_a_hash_that_fits_the_evidence_must_hold(
    tmp_path: Path, whole: Path, forged: Callable[[list[bytes]], list[bytes]], says: str
) -> None:
    path = packed(tmp_path / "forged.gz", sealed(forged(lines_of(whole))))
    with pytest.raises(Rejected, match=says):
        verified(path)


@pytest.mark.parametrize(
    ("newer", "says"),
    [({"format": 2}, "has format 2"), ({"schema": {**schema(), "Act": ["id", "mood"]}}, "Act.mood")],
)
async def test_what_a_newer_release_wrote_is_refused_by_name(
    tmp_path: Path, whole: Path, newer: dict[str, object], says: str
) -> None:
    lines = lines_of(whole)
    header = json.dumps(json.loads(lines[0]) | newer).encode() + b"\n"
    path = packed(tmp_path / "newer.gz", sealed([header, *lines[1:]]))
    code, said = await ran(restore, str(path), "--data", str(tmp_path / "new"))
    assert (code, says in said, "newer" in said) == (1, True, True)
    assert not (tmp_path / "new").exists()


async def test_what_is_no_backup_at_all_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("hello")
    packed(tmp_path / "json.gz", [b"[1, 2]\n", b"3\n"])
    for name in ("text", "json.gz"):
        code, said = await ran(backup, "--verify", str(tmp_path / name))
        assert (code, "is damaged or no backup" in said) == (1, True)
    code, said = await ran(backup, "--verify", str(tmp_path / "nothing.gz"))
    assert (code, "there is no file" in said) == (1, True)
    with pytest.raises(Denied, match="cannot be read"):
        verified(tmp_path)


def test_every_table_is_in_a_backup_but_who_owns_what_and_what_works_once() -> None:
    left_out = {table.row for table in TABLES.values()} - set(ROWS.values())
    assert left_out == {Shard, Replica, Link, Letter, Strikes}
    assert {Audit, Head} <= set(ROWS.values())
    assert next(iter(ROWS)) == "installation"


def test_the_schema_names_what_is_nested_too() -> None:
    assert "values" not in schema()
    assert {"Declared", "Scope", "Action", "Case", "Limits", "Taken"} <= schema().keys()
    assert "holds" in schema()["PlanRow"]
    assert "guard" in schema()["HoldRow"]
