"""`python -m simulation.hunt`: looks for every planted bug with fresh seeds, and saves those that found one.

`make simulate PLANTED=1` is this search. `make test` replays what it saved in `planted.txt`, and searches on
where the worlds have changed since, so that a saved seed no longer finds its bug.
"""

import argparse
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from setpoint.engine import tenure
from simulation.fresh import fresh

tenure.SHARDS = 8  # type: ignore[misc]  # As in `__main__`: counted when the modules below are read.

from simulation import kernel  # noqa: E402
from simulation.plant import REACHED, Bug  # noqa: E402
from simulation.planted import BUGS  # noqa: E402
from simulation.run import judged, prepared  # noqa: E402

say = partial(print, flush=True)
SAVED: Final = Path(__file__).with_name("planted.txt")
ENOUGH: Final = 3_000
"""Seeds to look through before a bug counts as not found."""
kernel.STEPS_AT_MOST = 200_000  # A bug that never ends is found sooner.
OWN_MISTAKES: Final = ("planted.py", "plant.py")


@dataclass(frozen=True)
class Hunt:
    """How the search for one bug went."""

    name: str
    tried: int
    reached: int
    seed: int = -1
    violation: str = ""

    def __str__(self) -> str:
        if self.violation:
            said = self.violation.splitlines()[0][:100]
            return f"{self.name}: found after {self.tried} by seed {self.seed}: {said}"
        never = "" if self.reached else "; nothing reaches it: plant it elsewhere"
        return f"{self.name}: NOT FOUND within {self.tried} seeds, reached {self.reached} times{never}"


def main() -> int:
    asked = _asked()
    saved = saved_seeds()
    chosen = [bug for bug in BUGS.values() if not asked.only or bug.name in asked.only]
    fresh_ones = range(asked.first, asked.first + asked.seeds)
    errands = [
        (bug.name, [*([saved[bug.name]] if asked.replay and bug.name in saved else []), *fresh_ones])
        for bug in chosen
    ]
    hunts: list[Hunt] = []
    prepared()
    # Each in a process of its own: what is planted there ends with it.
    with get_context("fork").Pool(asked.jobs, maxtasksperchild=1) as pool:
        for each in pool.imap_unordered(_hunted, errands):
            hunts.append(each)
            say(each)
    found = {each.name: each.seed for each in hunts if each.violation}
    say(f"{len(found)} of {len(chosen)} found, {sum(each.tried for each in hunts)} seeds from {asked.first}")
    if not asked.replay:
        _save({**{name: seed for name, seed in saved.items() if name in BUGS}, **found})
    return 0 if len(found) == len(chosen) else 1


def hunt(bug: Bug, seeds: Iterable[int]) -> Hunt:
    """Plays these worlds with the bug in them until one ends in a violation. It spoils this process."""
    tried = reached = 0
    bug.plant()
    for seed in seeds:
        verdict = judged(seed, strong=bug.strong)
        tried, reached = tried + 1, reached + verdict.counted.get(REACHED, 0)
        if any(f'{name}"' in verdict.violation for name in OWN_MISTAKES):
            raise RuntimeError(f"{bug.name} no longer fits where it is planted: {verdict.violation}")
        if verdict.violation:
            return Hunt(bug.name, tried, reached, seed, verdict.violation)
    return Hunt(bug.name, tried, reached)


def saved_seeds() -> dict[str, int]:
    """The seed that found each bug in the last search."""
    lines = SAVED.read_text().splitlines() if SAVED.exists() else []
    return {name: int(seed) for name, seed in (line.split() for line in lines if not line.startswith("#"))}


def _hunted(errand: tuple[str, list[int]]) -> Hunt:
    name, seeds = errand
    return hunt(BUGS[name], seeds)


def _save(found: dict[str, int]) -> None:
    head = (
        "# The seed that found each planted bug in the last search; written by `make simulate PLANTED=1`.\n"
    )
    SAVED.write_text(head + "".join(f"{name} {seed}\n" for name, seed in sorted(found.items())))


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m simulation.hunt", description=__doc__)
    parser.add_argument("only", nargs="*", metavar="bug", help="these alone, by name")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--first", type=int, default=fresh(), help="beginning with this seed")
    parser.add_argument("--seeds", type=int, default=ENOUGH, help="how many to look through for each")
    parser.add_argument("--replay", action="store_true", help="the saved seed first; save nothing")
    asked = parser.parse_args()
    if unknown := [name for name in asked.only if name not in BUGS]:
        parser.error(f"there is no planted bug called {', '.join(unknown)}")
    return asked


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":
        # The order of sets is part of a world: it must be the same whoever plays it.
        os.execve(  # noqa: S606 - ourselves, once more
            sys.executable,
            [sys.executable, "-m", "simulation.hunt", *sys.argv[1:]],
            {**os.environ, "PYTHONHASHSEED": "0"},
        )
    raise SystemExit(main())
