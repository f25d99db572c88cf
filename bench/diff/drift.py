"""Which of N things differ from what was declared: 1 % are missing, 1 % changed, 1 % more than declared."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from bench.trial import Counts

SEED: Final = 7


@dataclass(frozen=True, slots=True)
class Drift:
    """Things by number. Declared are the first N; what is observed comes in no order."""

    size: int

    @property
    def share(self) -> int:
        return self.size // 100

    @property
    def right(self) -> Counts:
        """What whoever compares must find."""
        return {"create": self.share, "update": self.share, "delete": self.share}

    @property
    def declared(self) -> range:
        return range(self.size)

    @property
    def changed(self) -> range:
        return range(self.share, 2 * self.share)

    def observed(self) -> Sequence[int]:
        shuffled = list(range(self.share, self.size + self.share))
        Random(SEED).shuffle(shuffled)  # noqa: S311 - the same order on each machine
        return shuffled
