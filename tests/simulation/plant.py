"""Bugs put into a copy of the source, each of which the simulation must find, or it checks nothing.

`planted/*.patch` says within how many seeds, which one found it last, and which lines become which others.
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
    """What to put where, within how many seeds it must be found, and the seed that found it last."""

    name: str
    within: int
    known: int
    edits: tuple[Edit, ...]


def read(patch: Path) -> Bug:
    head, *parts = patch.read_text().split("--- ")
    said = dict(line.split(": ") for line in head.splitlines())
    return Bug(patch.stem, int(said["within"]), int(said["known"]), tuple(_edit(part) for part in parts))


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


def found_by(bug: Bug, jobs: int = 1) -> str:
    """The first verdict against it; empty if it was not found."""
    with infested(bug) as folder:
        for first, seeds in ((bug.known, 1), (FIRST, bug.within)):
            played = subprocess.run(  # noqa: S603 - our own command
                [
                    *(sys.executable, "-m", "simulation", "--no-kept", "--enough", "1"),
                    *("--jobs", str(jobs), "--first", str(first), "--seeds", str(seeds)),
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
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args()
    chosen = [bug for bug in BUGS if not asked.names or any(name in bug.name for name in asked.names)]
    missed = 0
    for bug in chosen:
        found = found_by(bug, asked.jobs)
        missed += not found
        say(f"{bug.name}: {found or f'NOT FOUND within {bug.within} seeds'}"[:220])
    say(f"{len(chosen) - missed} of {len(chosen)} found")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
