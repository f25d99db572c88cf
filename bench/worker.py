"""One contestant in a process of its own: gets ready, answers once, then runs a round whenever it is told."""

import gc
import importlib
import json
import statistics
import sys
import time
from dataclasses import dataclass
from typing import Final, TextIO

from bench.trial import Counts, Trial

EVICTION: Final = 128 << 20  # Larger than the caches of the machines this runs on.
REPEATS: Final = ((0.05, 25), (1.0, 3))
"""A run of fewer seconds than this is repeated so often within a round: others on the machine disturb it."""


def main() -> None:
    answers = sys.stdout
    sys.stdout = sys.stderr  # What a peer prints is not an answer.
    place, size = sys.argv[1], int(sys.argv[2])
    module, _, name = place.partition(":")
    try:
        trial: Trial = getattr(importlib.import_module(module), name)(size)
    except ImportError as error:
        _tell(answers, missing=str(error))
        return
    try:
        _rounds(trial, answers)
    finally:
        trial.close()


def _rounds(trial: Trial, answers: TextIO) -> None:
    evict = bytearray(b"\1") * EVICTION
    first = timed(trial, evict)
    _tell(answers, counts=first.counts)
    took = first.wall * trial.parts
    repeats = next((often for seconds, often in REPEATS if took < seconds), 1)
    for _ in sys.stdin:
        runs = [timed(trial, evict) for _ in range(repeats)]
        _tell(
            answers,
            cost=statistics.median(run.cpu for run in runs),
            wall=statistics.median(run.wall for run in runs),
            counts=runs[-1].counts,
        )


@dataclass(frozen=True, slots=True)
class Timed:
    """One job: seconds of CPU, seconds on the wall, and what it answered."""

    cpu: float
    wall: float
    counts: Counts


def timed(trial: Trial, evict: bytearray) -> Timed:
    """One run, begun with cold caches and nothing to collect: as it is after other work."""
    gc.collect()
    evict.find(b"\2")
    began, wall = trial.cpu(), time.perf_counter()
    outcome = trial.run()
    spent, wall = trial.cpu() - began, time.perf_counter() - wall
    return Timed(spent / trial.parts, wall / trial.parts, trial.counts(outcome))


def _tell(answers: TextIO, **fields: object) -> None:
    answers.write(json.dumps(fields) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
