"""Bugs put into a copy of the source, each of which the simulation must find, or it checks nothing.

`planted/*.patch` says which seed finds it, in which weather, and which lines become which others.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import setpoint

say = partial(print, flush=True)
TESTS = Path(__file__).parent.parent
PATCHES = Path(__file__).with_name("planted")
FIRST = 1


@dataclass(frozen=True)
class Edit:
    """Whole lines of one file, and what stands in their place."""

    file: str
    there: str
    instead: str


@dataclass(frozen=True)
class Bug:
    """What to put where, and the seed that finds it, where these faults are strong."""

    name: str
    seed: int
    strong: tuple[str, ...]
    edits: tuple[Edit, ...]


def read(patch: Path) -> Bug:
    head, *parts = patch.read_text().split("--- ")
    said = dict(line.split(": ") for line in head.splitlines())
    strong = tuple(said.get("strong", "").split())
    return Bug(patch.stem, int(said["seed"]), strong, tuple(_edit(part) for part in parts))


def _edit(part: str) -> Edit:
    file, *lines = part.splitlines()
    there, instead = (
        "".join(f"{line[1:]}\n" for line in lines if line.startswith(sign)) for sign in ("-", "+")
    )
    return Edit(file, there, instead)


BUGS = tuple(read(patch) for patch in sorted(PATCHES.glob("*.patch")))


@contextmanager
def infested(bug: Bug) -> Iterator[Path]:
    """A copy of the source with the bug in it."""
    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        copy = Path(folder) / "setpoint"
        shutil.copytree(Path(setpoint.__file__).parent, copy)
        for edit in bug.edits:
            text = (copy / edit.file).read_text()
            if text.count(edit.there) != 1:
                raise LookupError(f"{bug.name} does not fit {edit.file} any more: {edit.there!r}")
            (copy / edit.file).write_text(text.replace(edit.there, edit.instead))
        yield Path(folder)


def found_by(bug: Bug, first: int, seeds: int, jobs: int = 1) -> str:
    """The first verdict against it among these seeds; empty if it was not found."""
    with infested(bug) as folder:
        played = subprocess.run(  # noqa: S603 - our own command
            [
                *(sys.executable, "-m", "simulation", "--no-kept", "--enough", "1", "--jobs", str(jobs)),
                *("--first", str(first), "--seeds", str(seeds), "--strong", *bug.strong),
            ],
            env={**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{TESTS}", "PYTHONHASHSEED": "0"},
            capture_output=True,
            text=True,
            check=False,
        )
    if played.stdout.startswith("seed "):
        return played.stdout.splitlines()[0]
    if played.returncode != 0:
        raise RuntimeError(played.stdout + played.stderr)
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m simulation.plant", description=__doc__)
    parser.add_argument("names", nargs="*", help="some of them, by a part of their names")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seeds", type=int, default=400, help="how many to look through for each")
    parser.add_argument(
        "--write", action="store_true", help="write the seeds that find them into the patches"
    )
    asked = parser.parse_args()
    chosen = [bug for bug in BUGS if not asked.names or any(name in bug.name for name in asked.names)]
    missed = 0
    for bug in chosen:
        found = found_by(bug, bug.seed, 1) or found_by(bug, FIRST, asked.seeds, asked.jobs)
        missed += not found
        say(f"{bug.name}: {found or f'NOT FOUND within {asked.seeds} seeds'}"[:220])
        if found and asked.write:
            _write(bug, int(found.split()[1].rstrip(":")))
    say(f"{len(chosen) - missed} of {len(chosen)} found")
    return 1 if missed else 0


def _write(bug: Bug, seed: int) -> None:
    patch = PATCHES / f"{bug.name}.patch"
    patch.write_text(patch.read_text().replace(f"seed: {bug.seed}\n", f"seed: {seed}\n", 1))


if __name__ == "__main__":
    raise SystemExit(main())
