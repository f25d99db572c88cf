"""One contestant in a process of its own: gets ready, answers once, then runs a round whenever it is told."""

import gc
import importlib
import json
import statistics
import sys
import time
from typing import Final, TextIO

from bench.trial import Counts, Trial

EVICTION: Final = 128 << 20  # Larger than the caches of the machines this runs on.
SHORT: Final = 0.05  # A run of fewer CPU seconds than this is repeated within a round.
REPEATS: Final = 25


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
    evict = bytearray(b"\1") * EVICTION
    cost, counts = timed(trial, evict)
    _tell(answers, counts=counts)
    repeats = REPEATS if cost * trial.parts < SHORT else 1
    for _ in sys.stdin:
        runs = [timed(trial, evict) for _ in range(repeats)]
        _tell(answers, cost=statistics.median(cost for cost, _ in runs), counts=runs[-1][1])


def timed(trial: Trial, evict: bytearray) -> tuple[float, Counts]:
    """CPU seconds of one job, begun with cold caches and nothing to collect: as it is after other work."""
    gc.collect()
    evict.find(b"\2")
    began = time.process_time()
    outcome = trial.run()
    spent = time.process_time() - began
    return spent / trial.parts, trial.counts(outcome)


def _tell(answers: TextIO, **fields: object) -> None:
    answers.write(json.dumps(fields) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
