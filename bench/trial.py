"""What a contestant gives: a run to be timed, and the proof that it did what it was asked to do."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Counts = dict[str, int]
AnyOutcome = Any


@dataclass(frozen=True, slots=True)
class Trial:
    """`run` is timed, `counts` is not; a run does its job `parts` times."""

    run: Callable[[], AnyOutcome]
    counts: Callable[[AnyOutcome], Counts]
    parts: int = 1
    cpu: Callable[[], float] = time.process_time
    """Seconds of CPU so far: of this process, or of the one that does the job for it."""
    close: Callable[[], None] = lambda: None
