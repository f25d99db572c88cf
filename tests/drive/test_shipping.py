"""Reading checkpoints back: the lines of one chain, however many others were shipped beside it."""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO, cast

from msgspec import json

from setpoint.drive.checkpoint import Checkpoint, Index, Shipped, sealed
from setpoint.drive.shipping import Shipping

KEY = "a key that the database does not hold"


class Counting:
    """A file that knows how many bytes were read of it."""

    def __init__(self, file: BinaryIO) -> None:
        self.file, self.read = file, 0

    def readline(self) -> bytes:
        line = self.file.readline()
        self.read += len(line)
        return line

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)


def line(organization: str, revision: int) -> bytes:
    point = Checkpoint(
        organization=organization, revision=revision, hash=f"{revision:064}", at=float(revision)
    )
    return json.encode(sealed(KEY, point)) + b"\n"


def append(file: Path, lines: Iterable[bytes]) -> None:
    with file.open("ab") as written:
        written.writelines(lines)


def shipping(file: Path) -> Shipping:
    return Shipping(cast("Any", None), KEY, lambda: 0.0, file=file)


def shipped(shipping: Shipping, organization: str) -> tuple[list[int], int]:
    found: Shipped = asyncio.run(shipping.shipped(organization))
    return [each.revision for each in found.points.get(organization, ())], found.foreign


def test_one_chain_is_read_without_the_lines_of_all_others(tmp_path: Path) -> None:
    file, index = tmp_path / "audit.checkpoints", Index()
    mine = [line("mine", 1), line("mine", 2)]
    append(file, [mine[0], *(line("other", number) for number in range(1_000)), mine[1]])
    with file.open("rb") as raw:
        assert index.lines_of(raw, "mine") == mine
        later = Counting(raw)
        assert index.lines_of(cast("BinaryIO", later), "mine") == mine
        assert later.read == sum(map(len, mine))
        append(file, [new := line("other", 1_001)])
        later.read = 0
        assert index.lines_of(cast("BinaryIO", later), "mine") == mine
        assert later.read == len(new) + sum(map(len, mine))


def test_what_is_shipped_between_two_looks_is_seen(tmp_path: Path) -> None:
    shelf = shipping(tmp_path / "audit.checkpoints")
    assert shipped(shelf, "mine") == ([], 0)
    append(tmp_path / "audit.checkpoints", [line("mine", 1), line("other", 2)])
    assert shipped(shelf, "mine") == ([1], 0)
    append(tmp_path / "audit.checkpoints", [line("mine", 3)])
    assert (shipped(shelf, "mine"), shipped(shelf, "other")) == (([1, 3], 0), ([2], 0))


def test_a_file_that_was_cut_replaced_or_changed_in_place_is_read_anew(tmp_path: Path) -> None:
    file = tmp_path / "audit.checkpoints"
    shelf = shipping(file)
    append(file, [line("other", 1), line("mine", 2), line("mine", 3)])
    assert shipped(shelf, "mine") == ([2, 3], 0)
    with file.open("r+b") as written:  # The first line is gone, and the file is as long as before.
        written.write(line("mine", 2) + line("mine", 3) + line("mine", 9))
        written.truncate()
    assert shipped(shelf, "mine") == ([2, 3, 9], 0)
    file.write_bytes(line("mine", 3))
    assert shipped(shelf, "mine") == ([3], 0)
    (tmp_path / "new").write_bytes(line("mine", 4) + line("mine", 5))
    (tmp_path / "new").replace(file)
    assert shipped(shelf, "mine") == ([4, 5], 0)


def test_what_nobody_here_sealed_is_counted(tmp_path: Path) -> None:
    file = tmp_path / "audit.checkpoints"
    shelf = shipping(file)
    append(file, [line("mine", 1).replace(b"mine", b"ours"), b"{\n", b"\xff\n", line("mine", 2), b'{"organ'])
    assert shipped(shelf, "mine") == ([2], 3)
    assert shipped(shelf, "ours") == ([], 4)


def test_several_at_once_find_the_same(tmp_path: Path) -> None:
    file = tmp_path / "audit.checkpoints"
    append(file, [line(f"o{number % 5}", number) for number in range(500)])
    shelf = shipping(file)

    async def all_at_once() -> list[Shipped]:
        return await asyncio.gather(*(shelf.shipped(f"o{number % 5}") for number in range(10)))

    found = asyncio.run(all_at_once())
    assert [len(each.points[f"o{number % 5}"]) for number, each in enumerate(found)] == [100] * 10
