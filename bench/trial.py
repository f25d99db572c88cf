"""What a contestant gives: a run to be timed, and the proof that it did what it was asked to do."""

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
